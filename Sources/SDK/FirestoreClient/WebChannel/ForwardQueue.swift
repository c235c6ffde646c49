import FirestoreModel

/// The messages of a WebChannel client on their way to the server.
///
/// Messages are numbered over the whole session. One request is under way at a time; it carries all that waited when
/// it began, up to bounds, and is sent again as it was until it is answered.
struct ForwardQueue {
  /// The messages of one request.
  struct Batch {
    /// The number of the first.
    let offset: Int
    let messages: [[UInt8]]

    /// The form of the request.
    func form(headers: String?) -> [UInt8] {
      var form: [UInt8] = []
      form.reserveCapacity(messages.reduce(256) { $0 + $1.count * 2 })
      if let headers { form += Array("headers=\(PercentEncoding.encode(headers))&".utf8) }
      form += Array("count=\(messages.count)&ofs=\(offset)".utf8)
      for (index, message) in messages.enumerated() {
        form += Array("&req\(index)___data__=".utf8)
        ForwardQueue.append(message, to: &form)
      }
      return form
    }
  }

  private static let greatestCount = 1_000
  private static let greatestSize = 2 << 20

  private var waiting: [[UInt8]] = []
  private var next = 0
  /// What is under way.
  private(set) var current: Batch?

  /// Whether nothing waits and nothing is under way.
  var isEmpty: Bool { waiting.isEmpty && current == nil }

  /// Adds a message.
  mutating func append(_ message: [UInt8]) { waiting.append(message) }

  /// Takes up what waits, unless a request is under way or nothing waits.
  mutating func begin() -> Batch? {
    guard current == nil, !waiting.isEmpty else { return nil }
    var count = 0
    var size = 0
    while count < min(waiting.count, Self.greatestCount), count == 0 || size < Self.greatestSize {
      size += waiting[count].count
      count += 1
    }
    let batch = Batch(offset: next, messages: Array(waiting.prefix(count)))
    waiting.removeFirst(count)
    next += count
    current = batch
    return batch
  }

  /// The request was answered.
  mutating func finish() { current = nil }

  private static let plain: [Bool] = (0...255).map { byte in
    switch UInt8(byte) {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Appends bytes in the encoding of forms.
  private static func append(_ bytes: [UInt8], to form: inout [UInt8]) {
    for byte in bytes {
      if plain[Int(byte)] {
        form.append(byte)
      } else {
        form.append(UInt8(ascii: "%"))
        form.append(digits[Int(byte >> 4)])
        form.append(digits[Int(byte & 15)])
      }
    }
  }
}

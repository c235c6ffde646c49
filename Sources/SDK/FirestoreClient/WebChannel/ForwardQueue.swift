import BaseText

/// The messages of a WebChannel client on their way to the server.
///
/// Messages are numbered over the whole session. One request is in flight at a time. It carries all
/// messages that were queued when it started, up to bounds, and is sent again unchanged until it
/// has a response.
struct ForwardQueue {
  /// A message and a number that the caller knows it by.
  struct Message {
    let bytes: [UInt8]
    let tag: Int?
  }

  /// The messages of one request.
  struct Batch {
    /// The number of the first.
    let offset: Int
    let messages: [Message]

    var byteCount: Int { messages.reduce(0) { $0 + $1.bytes.count } }

    /// The form of the request.
    ///
    /// Escapes make three bytes of one. Large forms escape only the bytes that separate fields, so that ten megabytes of
    /// text in any language stay within a server's limit.
    func form(headers: String?) -> [UInt8] {
      var form: [UInt8] = []
      let isLarge = byteCount > ForwardQueue.largeForm
      form.reserveCapacity(byteCount * (isLarge ? 1 : 2) + 256)
      let plain = isLarge ? ForwardQueue.separable : ForwardQueue.plain
      if let headers { form += Array("headers=\(PercentEncoding.encode(headers))&".utf8) }
      form += Array("count=\(messages.count)&ofs=\(offset)".utf8)
      for (index, message) in messages.enumerated() {
        form += Array("&req\(index)___data__=".utf8)
        ForwardQueue.append(message.bytes, to: &form, plain)
      }
      return form
    }
  }

  private static let greatestCount = 1_000
  /// The most bytes of a request with several messages; a larger message goes alone.
  private static let greatestSize = 2 << 20
  private static let largeForm = 4 << 20

  private var waiting: [Message] = []
  private var isSeparated = false
  private var next = 0
  /// The batch in flight.
  private(set) var current: Batch?

  /// True if nothing waits and nothing is in flight.
  var isEmpty: Bool { waiting.isEmpty && current == nil }

  /// Adds a message.
  mutating func append(_ message: [UInt8], tag: Int? = nil) {
    waiting.append(Message(bytes: message, tag: tag))
  }

  /// Sends the queued messages, unless a request is in flight or nothing is queued.
  mutating func begin() -> Batch? {
    guard current == nil, !waiting.isEmpty else { return nil }
    var count = 1
    var size = waiting[0].bytes.count
    while !isSeparated, count < min(waiting.count, Self.greatestCount) {
      size += waiting[count].bytes.count
      guard size <= Self.greatestSize else { break }
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

  /// Takes back a request that the server refused for its size, and sends its messages one by one from now on.
  ///
  /// Returns the request of the first message; nil where the request had no more than one.
  mutating func separate() -> Batch? {
    guard let refused = current, refused.messages.count > 1 else { return nil }
    isSeparated = true
    waiting = refused.messages + waiting
    next = refused.offset
    current = nil
    return begin()
  }

  private static let plain: [Bool] = (0...255).map { byte in
    switch UInt8(byte) {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// The bytes that mean nothing in a form; controls and blanks are escaped too.
  private static let separable: [Bool] = (0...255).map { byte in
    byte > 0x20 && byte != 0x7F && !"%&+=;#".utf8.contains(UInt8(byte))
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Appends bytes in the encoding of forms.
  private static func append(_ bytes: [UInt8], to form: inout [UInt8], _ plain: [Bool]) {
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

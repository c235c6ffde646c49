/// A request as bytes of which some are other ones each time: so the load tool takes little of the processors that it measures.
struct RequestTemplate {
  private var bytes: [UInt8]
  private let holes: [Range<Int>]

  /// A request in which each of those texts is once, to be replaced by texts as long.
  init(_ request: FileRequest, _ target: FileTarget, holes: [String]) throws {
    guard case .bytes(let body) = request.body else { throw Self.malformed }
    bytes = request.head(target) + body
    self.holes = try holes.map { [bytes] text in
      guard let start = ByteSearch.first(Array(text.utf8), in: bytes) else { throw Self.malformed }
      return start..<start + text.utf8.count
    }
  }

  /// The request with those texts, in the order of the holes.
  mutating func filled(_ texts: some Sequence<[UInt8]>) -> [UInt8] {
    for (hole, text) in zip(holes, texts) {
      precondition(hole.count == text.count, "what is filled in is as long as its place")
      bytes.replaceSubrange(hole, with: text)
    }
    return bytes
  }

  /// A number in as many digits as there are in the largest.
  static func digits(_ number: Int64) -> [UInt8] {
    var (digits, rest) = ([UInt8](repeating: UInt8(ascii: "0"), count: width), number)
    for index in digits.indices.reversed() where rest > 0 {
      digits[index] += UInt8(rest % 10)
      rest /= 10
    }
    return digits
  }

  /// Digits of a number.
  static let width = 18
  private static let malformed = LoadError.refused("a request without what is to be replaced")
}

/// A value of CBOR (RFC 8949), as authenticators write it: of definite length, with whole numbers alone.
indirect enum CBOR: Sendable, Hashable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([CBOR])
  case map([CBOR: CBOR])
  case flag(Bool)
  case null

  /// The bytes are no such value, or not that alone.
  struct Malformed: Error {}

  /// Reads bytes that are one value.
  init(_ bytes: [UInt8]) throws(Malformed) {
    var rest = bytes[...]
    self = try CBOR(from: &rest)
    guard rest.isEmpty else { throw Malformed() }
  }

  /// The values may lie in each other so deep; CTAP2 writes four levels at most.
  private static let maximumDepth = 8

  /// Takes the value that the bytes begin with.
  init(from rest: inout ArraySlice<UInt8>, depth: Int = 0) throws(Malformed) {
    guard depth < Self.maximumDepth, let head = rest.popFirst() else { throw Malformed() }
    let kind = head >> 5
    if kind == 7 {
      self = try Self.simple(head & 31)
      return
    }
    let number = try Self.number(head & 31, from: &rest)
    switch kind {
    case 0: self = .integer(number)
    case 1: self = .integer(-1 - number)
    case 2: self = .bytes(Array(try Self.take(number, from: &rest)))
    case 3:
      guard let text = String(validating: try Self.take(number, from: &rest), as: UTF8.self) else {
        throw Malformed()
      }
      self = .text(text)
    case 4:
      var elements: [CBOR] = []
      for _ in 0..<number { elements.append(try CBOR(from: &rest, depth: depth + 1)) }
      self = .array(elements)
    case 5:
      var members: [CBOR: CBOR] = [:]
      for _ in 0..<number {
        let key = try CBOR(from: &rest, depth: depth + 1)
        let value = try CBOR(from: &rest, depth: depth + 1)
        guard members.updateValue(value, forKey: key) == nil else { throw Malformed() }
      }
      self = .map(members)
    default: throw Malformed()
    }
  }

  private static func simple(_ code: UInt8) throws(Malformed) -> CBOR {
    switch code {
    case 20: .flag(false)
    case 21: .flag(true)
    case 22: .null
    default: throw Malformed()
    }
  }

  /// The number that a head's last five bits say, or that follows it in one, two, four or eight bytes.
  private static func number(
    _ code: UInt8,
    from rest: inout ArraySlice<UInt8>
  ) throws(Malformed) -> Int64 {
    if code < 24 { return Int64(code) }
    guard code < 28 else { throw Malformed() }
    let bytes = try take(1 << Int64(code - 24), from: &rest)
    guard let number = Int64(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) else {
      throw Malformed()
    }
    return number
  }

  private static func take(
    _ count: Int64,
    from rest: inout ArraySlice<UInt8>
  ) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw Malformed() }
    defer { rest = rest.dropFirst(Int(count)) }
    return rest.prefix(Int(count))
  }

  // MARK: Parts

  /// The value of a map's member; nil without one.
  subscript(_ key: CBOR) -> CBOR? {
    if case .map(let members) = self { members[key] } else { nil }
  }

  /// The bytes; nil of everything else.
  var byteString: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }
}

import BaseStatus
import BaseText
import FirestoreModel

/// A position in a listing that a client sends back to continue from.
///
/// FORMAT: base64url of a format byte (1), the FNV-1a hash of the arguments that the position belongs
/// to (8 bytes big-endian), then the position's parts, each after its length (4 bytes big-endian). A
/// token that is malformed or belongs to other arguments is refused.
struct PageToken {
  let parts: [[UInt8]]

  private static let format: UInt8 = 1

  init(_ parts: [[UInt8]]) { self.parts = parts }

  /// Reads a token for a listing with these arguments; nil for the empty one.
  init?(_ text: String, of arguments: [String]) throws(ServiceError) {
    if text.isEmpty { return nil }
    guard let bytes = Base64.decodeStrictly(text.utf8), bytes.count >= 9, bytes[0] == Self.format,
      Array(bytes[1..<9]) == Self.hash(arguments), let parts = Self.parts(bytes.dropFirst(9))
    else { throw .invalidArgument("Invalid page token.") }
    self.parts = parts
  }

  /// The token's text for a listing with these arguments.
  func text(of arguments: [String]) -> String {
    var bytes = [Self.format] + Self.hash(arguments)
    for part in parts {
      withUnsafeBytes(of: UInt32(part.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes += part
    }
    return Base64.url(bytes)
  }

  private static func parts(_ bytes: ArraySlice<UInt8>) -> [[UInt8]]? {
    var rest = bytes
    var result: [[UInt8]] = []
    while !rest.isEmpty {
      guard rest.count >= 4 else { return nil }
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard rest.count >= length else { return nil }
      result.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return result
  }

  private static func hash(_ arguments: [String]) -> [UInt8] {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in arguments.map({ "\($0.utf8.count):\($0)" }).joined().utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    var bytes: [UInt8] = []
    appendBigEndian(hash, to: &bytes)
    return bytes
  }
}

import Crypto

/// An authenticator's data about itself and the person before it (WebAuthn, section 6.1): 32 bytes
/// of digest of the host, one of flags, four of a counter, and of a new credential its id and key.
struct AuthenticatorData: Sendable {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let userPresent = Flags(rawValue: 0x01)
    static let userVerified = Flags(rawValue: 0x04)
    static let hasCredential = Flags(rawValue: 0x40)
  }

  private let hostDigest: [UInt8]
  private let flags: Flags
  let signCount: Int64
  /// The credential that was created; nil if one was used.
  let credential: Credential?

  /// A credential that was made.
  struct Credential: Sendable {
    let id: [UInt8]
    /// A point on P-256 in the uncompressed form of X9.63.
    let publicKey: [UInt8]
  }

  /// Reads what the authenticator sent.
  init(_ bytes: [UInt8]) throws(CBOR.Malformed) {
    guard bytes.count >= 37 else { throw CBOR.Malformed() }
    hostDigest = Array(bytes[..<32])
    flags = Flags(rawValue: bytes[32])
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | Int64($1) }
    credential = try flags.contains(.hasCredential) ? Self.credential(bytes[37...]) : nil
  }

  /// Returns true if a person was there, shown by PIN or biometrics, at a page of that host.
  func isVerified(at host: String) -> Bool {
    flags.contains([.userPresent, .userVerified])
      && hostDigest == Array(SHA256.hash(data: Array(host.utf8)))
  }

  private static func credential(_ bytes: ArraySlice<UInt8>) throws(CBOR.Malformed) -> Credential {
    // The first sixteen bytes name the authenticator's model.
    let rest = bytes.dropFirst(16)
    guard rest.count > 2 else { throw CBOR.Malformed() }
    let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    let id = rest.dropFirst(2).prefix(length)
    guard id.count == length, (1...1_023).contains(length) else { throw CBOR.Malformed() }
    // Extensions may follow the key.
    var key = rest.dropFirst(2 + length)
    return Credential(id: Array(id), publicKey: try point(try CBOR(from: &key)))
  }

  /// The point of a key in the form of COSE (RFC 9053): elliptic curve, ES256, P-256.
  private static func point(_ key: CBOR) throws(CBOR.Malformed) -> [UInt8] {
    guard key[.integer(1)] == .integer(2), key[.integer(3)] == .integer(-7),
      key[.integer(-1)] == .integer(1),
      let x = key[.integer(-2)]?.byteString, x.count == 32,
      let y = key[.integer(-3)]?.byteString, y.count == 32
    else { throw CBOR.Malformed() }
    return [4] + x + y
  }
}

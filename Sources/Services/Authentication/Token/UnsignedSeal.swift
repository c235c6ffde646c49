import BaseJSON
import BaseText
import Crypto
import Synchronization

// A development server's token, in the compact form of RFC 7519:
//
//   header    {"alg":"none","typ":"JWT","ses":SESSION}
//   claims    the token's claims, then as the last member "jti":SEAL
//   signature empty
//
// SEAL is the unpadded URL-safe Base64 of HMAC-SHA256 over the encoded header, a dot and the
// claims' JSON without `jti`. Clients that require the form of Google's Auth emulator read such
// tokens; Brasa itself accepts one only with the seal of its own process. `ses` distinguishes a
// token of a Brasa server from one that a test wrote by hand.

/// The seal of unsigned tokens: a key that this process made and no disk has.
///
/// A restart and `replaceKey` end all tokens with the old key's seal; refresh tokens stay valid.
/// Any thread may call.
final class UnsignedSeal: Sendable {
  private let random: RandomBytes
  private let key: Mutex<SymmetricKey>

  /// The header's member that names the session of a user.
  static let session = "ses"

  init(random: RandomBytes) {
    self.random = random
    key = Mutex(Self.makeKey(random))
  }

  /// Ends every token that was sealed before.
  func replaceKey() { key.withLock { $0 = Self.makeKey(random) } }

  /// A token of those claims for a session, which must have no `jti`.
  func token(_ claims: [JSONValue.Member], session: Int64) -> String {
    let header = JSONValue.object([
      .init("alg", .string("none")), .init("typ", .string("JWT")),
      .init(Self.session, .string("\(session)")),
    ])
    let first = Base64.url(Array(header.compact.utf8))
    let content = JSONValue.object(claims).compact
    let seal = Base64.url(code(Array("\(first).\(content)".utf8)))
    return first + "." + Base64.url(Array((content.dropLast() + Self.member(seal)).utf8)) + "."
  }

  /// Returns true for a token that this process sealed.
  func covers(_ token: JSONWebToken) -> Bool {
    guard token.isUnsigned, let seal = token.claims["jti"]?.string,
      let dot = token.signed.firstIndex(of: UInt8(ascii: ".")),
      let claims = Base64.decodeStrictly(token.signed[(dot + 1)...])
    else { return false }
    let end = Array(Self.member(seal).utf8)
    guard claims.count > end.count, claims.suffix(end.count).elementsEqual(end) else {
      return false
    }
    let content = Array(claims.dropLast(end.count)) + [UInt8(ascii: "}")]
    let expected = Base64.url(code(Array(token.signed[...dot]) + content))
    return ConstantTime.areEqual(Array(expected.utf8), Array(seal.utf8))
  }

  /// The last member of the claims with the brace that closes them.
  private static func member(_ seal: String) -> String { ",\"jti\":\"\(seal)\"}" }

  private func code(_ bytes: [UInt8]) -> [UInt8] {
    key.withLock { Array(HMAC<SHA256>.authenticationCode(for: bytes, using: $0)) }
  }

  private static func makeKey(_ random: RandomBytes) -> SymmetricKey {
    SymmetricKey(data: random.bytes(32))
  }
}

extension JSONWebToken {
  /// True of an unsigned token that claims to come from a Brasa server: its seal has to be checked.
  var isSealed: Bool { isUnsigned && header[UnsignedSeal.session] != nil }
}

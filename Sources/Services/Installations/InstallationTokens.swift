import BaseJSON
import BaseText
import Crypto
import FirestoreModel
import Foundation
import KeyValueStore

// The key of the secret by which tokens are made: 0xA0, the first byte of `KeyOwner.installations`, then 0x01.
// Its value is 32 random bytes.

extension KeyOwner {
  /// The secret of apps' installations.
  package static let installations = KeyOwner("installations", firstBytes: 0xA0...0xAF)
}

/// The tokens of apps' installations.
///
/// Nothing is stored for an installation, so creating millions of them costs nothing: a token
/// contains its installation, under a code that only the server's secret gives. Any thread may
/// call.
package struct InstallationTokens: Sendable {
  /// The installation that a refresh token proves.
  package struct Installation: Sendable, Equatable {
    /// The id of the project that the app belongs to.
    package let project: Text
    /// The installation's id.
    package let id: String
    /// The id of its app.
    package let appID: String

    /// An installation of an app.
    package init(project: Text, id: String, appID: String) {
      self.project = project
      self.id = id
      self.appID = appID
    }
  }

  private let secret: SymmetricKey
  /// Seconds for which an authentication token is valid.
  package static let lifetime: Int64 = 604_800

  /// Tokens under a secret of 32 bytes.
  package init(secret: [UInt8]) { self.secret = SymmetricKey(data: secret) }

  /// Tokens under the secret that is kept in an engine, made by its first use; blocks.
  package init(engine: any KeyValueEngine) throws {
    let key = [KeyOwner.installations.firstBytes.lowerBound, 0x01]
    self.init(secret: try KeptSecret.read(key, in: engine))
  }

  /// Returns true if a text is an id: 22 characters of URL-safe base64, of which the first is c, d,
  /// e or f.
  package static func isID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 22, let first = bytes.first else { return false }
    return (UInt8(ascii: "c")...UInt8(ascii: "f")).contains(first)
      && bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// A new id.
  package static func newID() -> String {
    var generator = SystemRandomNumberGenerator()
    return id((0..<17).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// The ID that a secret proves to be its creator's: an app creates it before the server knows the
  /// installation.
  ///
  /// It is made of the SHA-256 of the secret's bytes, which are 32; nil for another text.
  package static func id(provedBy secret: String) -> String? {
    guard secret.utf8.count <= 64, let bytes = Base64.decodeStrictly(secret.utf8),
      bytes.count == 32
    else { return nil }
    return id(Array(SHA256.hash(data: bytes)))
  }

  /// An id of the first 17 of those bytes, without their first bits.
  private static func id(_ bytes: [UInt8]) -> String {
    var bytes = Array(bytes.prefix(17))
    bytes[0] = bytes[0] & 0x0F | 0x70
    return String(Base64.url(bytes).prefix(22))
  }

  /// The token by which an installation gets others; it does not end.
  package func refreshToken(of installation: Installation) -> String {
    let app = Base64.url(Array(installation.appID.utf8))
    return "\(app).\(Base64.url(code(for: "refresh", installation)))"
  }

  /// The installation of an id whose refresh token it is; nil for another's.
  package func installation(
    _ id: String,
    of project: Text,
    refreshToken: String
  ) -> Installation? {
    let parts = refreshToken.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let app = Base64.decodeStrictly(parts[0].utf8),
      let appID = String(validating: app, as: UTF8.self),
      let code = Base64.decodeStrictly(parts[1].utf8)
    else { return nil }
    let installation = Installation(project: project, id: id, appID: appID)
    let message = Self.message("refresh", installation)
    let isRight = HMAC<SHA256>.isValidAuthenticationCode(
      code,
      authenticating: message,
      using: secret
    )
    return isRight ? installation : nil
  }

  /// A token for the project's services, which ends `lifetime` seconds after a time in seconds.
  package func authToken(of installation: Installation, now: Int64) -> String {
    let header = JSONValue.object([.init("alg", .string("HS256")), .init("typ", .string("JWT"))])
    let claims = JSONValue.object([
      .init("appId", .string(installation.appID)), .init("exp", .integer(now + Self.lifetime)),
      .init("fid", .string(installation.id)),
      .init("projectNumber", .string(installation.project.string)),
    ])
    let content = [header, claims].map { Base64.url(Array($0.compact.utf8)) }
    let signed = content.joined(separator: ".")
    let signature = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: secret)
    return "\(signed).\(Base64.url(Array(signature)))"
  }

  /// The installation whose authentication token it is, valid at a time in seconds; nil for another text.
  package func installation(ofAuthToken token: String, now: Int64) -> Installation? {
    guard let proved = proved(byAuthToken: token), now < proved.end else { return nil }
    return proved.installation
  }

  /// Returns the installation that an authentication token proves until a time in seconds; nil for
  /// another text.
  func proved(byAuthToken token: String) -> (installation: Installation, end: Int64)? {
    let bytes = Array(token.utf8)
    guard bytes.count <= 4_096 else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let code = Base64.decodeStrictly(parts[2]),
      HMAC<SHA256>.isValidAuthenticationCode(
        code,
        authenticating: bytes[..<parts[1].endIndex],
        using: secret
      ),
      let text = Base64.decodeStrictly(parts[1]).flatMap({ String(validating: $0, as: UTF8.self) }),
      let claims = try? JSONValue(parsing: text), let id = claims["fid"]?.string,
      let appID = claims["appId"]?.string, let project = claims["projectNumber"]?.string,
      let end = claims["exp"]?.integer
    else { return nil }
    return (Installation(project: Text(project), id: id, appID: appID), end)
  }

  private func code(for purpose: String, _ installation: Installation) -> [UInt8] {
    let message = Self.message(purpose, installation)
    return Array(HMAC<SHA256>.authenticationCode(for: message, using: secret))
  }

  /// Returns the bytes that a code is computed from: parts that cannot be taken for others, since
  /// each has its length before it.
  private static func message(_ purpose: String, _ installation: Installation) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in [purpose, installation.project.string, installation.id, installation.appID] {
      appendBigEndian(UInt64(part.utf8.count), to: &bytes)
      bytes += Array(part.utf8)
    }
    return bytes
  }
}

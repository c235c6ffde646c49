import Authentication
import BaseText
import Crypto

// Devices of administrators. A device's token is the unpadded URL-safe Base64 of three parts: 16
// random bytes, the device's name, and an HMAC-SHA256. The HMAC covers name, uid and session of the
// account, so the token ends with a change of the account's password or roles.

extension Administrators {
  private static let nameLength = 16

  /// A new token of a device in which the administrator of that address signed in; nil where there is none.
  func makeDeviceToken(for email: String) throws -> String? {
    guard let user = try scope.user(email: email) else { return nil }
    let name = scope.accounts.configuration.random.bytes(Self.nameLength)
    return Base64.url(name + Array(try code(name, user)))
  }

  /// The name of the device that a token is of; nil where it is none of the administrator's of that address.
  func device(of token: String, for email: String) throws -> Text? {
    guard token.utf8.count <= 100, let bytes = Base64.decodeStrictly(Array(token.utf8)),
      bytes.count == Self.nameLength + SHA256.byteCount, let user = try scope.user(email: email)
    else { return nil }
    let name = Array(bytes.prefix(Self.nameLength))
    // The comparison takes the same time for every code.
    guard try code(name, user) == bytes.suffix(SHA256.byteCount) else { return nil }
    return Text(Base64.url(name))
  }

  private func code(
    _ name: [UInt8],
    _ user: User
  ) throws -> HMAC<SHA256>.MAC {
    let key = SymmetricKey(data: try scope.accounts.providersSecret())
    let text = "console device \(user.session) \(user.uid.string) "
    return HMAC<SHA256>.authenticationCode(for: Array(text.utf8) + name, using: key)
  }
}

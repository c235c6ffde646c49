import Access
import Authentication
import FirestoreModel

/// What a set-up link invites to.
///
/// The link names the invitation by a code that is used once; the invitation is kept until then, with the secret of
/// the second factor, so that the account is made whole by one call.
struct Invitation: Sendable {
  /// The address of the account; nil leaves the choice to who opens the link.
  let email: String?
  let roles: AdministratorRoles
  /// The secret of the second factor.
  let secret: [UInt8]

  /// The secret as authenticator programs take it.
  var secretText: String { TimedPassword.base32(secret) }

  /// The address that authenticator programs read out of a picture or a link.
  func address(for email: String) -> String {
    let label = "Brasa:\(email)".addingPercentEncoding()
    return "otpauth://totp/\(label)?secret=\(secretText)&issuer=Brasa"
  }

  init(email: String?, roles: AdministratorRoles, secret: [UInt8]) {
    self.email = email
    self.roles = roles
    self.secret = secret
  }

  init?(_ payload: JSONText) {
    guard let roles = AdministratorRoles(payload),
      let secret = payload["secret"]?.string.flatMap(Base64.decode)
    else { return nil }
    self.init(email: payload["email"]?.string, roles: roles, secret: secret)
  }

  var payload: JSONText {
    .object(
      (email.map { [.init("email", .string($0))] } ?? []) + roles.members + [
        .init("secret", .string(Base64.url(secret)))
      ]
    )
  }
}

extension String {
  /// The text with everything but letters, digits and four signs escaped.
  fileprivate func addingPercentEncoding() -> String {
    utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || Array("-._~".utf8).contains(byte)
      guard !isPlain else { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }
}

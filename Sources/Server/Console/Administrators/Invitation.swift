import Access
import Authentication
import BaseJSON
import BaseText
import FirestoreModel
import FirestoreWire

/// The account that a set-up link invites to create.
///
/// The link names the invitation by a code that is used once; the invitation is kept until then, with the secret of
/// the second factor, so that the account is made whole by one call.
struct Invitation: Sendable {
  /// The address of the account; nil leaves the choice to who opens the link.
  let email: String?
  let roles: AdministratorRoles
  /// The secret of the second factor.
  let secret: [UInt8]
  /// The owner who made it; nil for one of a command.
  var maker: (uid: String, email: String)?

  /// The secret as authenticator programs take it.
  var secretText: String { TOTP.base32(secret) }

  /// The address that authenticator programs read out of a picture or a link.
  func address(for email: String) -> String {
    let label = "Brasa:\(email)".addingPercentEncoding()
    return "otpauth://totp/\(label)?secret=\(secretText)&issuer=Brasa"
  }

  init(
    email: String?,
    roles: AdministratorRoles,
    secret: [UInt8],
    maker: SignedInAdministrator? = nil
  ) {
    self.email = email
    self.roles = roles
    self.secret = secret
    self.maker = maker.map { ($0.uid.string, $0.email) }
  }

  init?(_ payload: JSONValue) {
    guard let roles = AdministratorRoles(payload),
      let secret = payload["secret"]?.string.flatMap(Base64.decode)
    else { return nil }
    self.init(email: payload["email"]?.string, roles: roles, secret: secret)
    if let uid = payload["maker"]?.string {
      maker = (uid, payload["makerEmail"]?.string ?? "")
    }
  }

  var payload: JSONValue {
    var members: [JSONValue.Member] = []
    if let email { members.append(.init("email", .string(email))) }
    members += roles.members
    members.append(.init("secret", .string(Base64.url(secret))))
    if let maker {
      members.append(.init("maker", .string(maker.uid)))
      members.append(.init("makerEmail", .string(maker.email)))
    }
    return .object(members)
  }
}

/// An unused set-up link, as lists show it: never its code or its secret.
package struct OpenInvitation: Sendable {
  /// Names the link to who ends it.
  package let id: String
  /// The address that the link is for; nil if any holder may open it.
  package let email: String?
  /// The roles that the new administrator gets.
  package let roles: AdministratorRoles
  /// The owner who made it; nil for a command.
  package let maker: String?
  /// Milliseconds since 1970.
  package let end: Int64

  init?(_ ticket: ListedTicket) {
    guard let invitation = Invitation(ticket.payload) else { return nil }
    id = ticket.id
    email = invitation.email
    roles = invitation.roles
    maker = invitation.maker?.email
    end = ticket.end / 1_000
  }

  /// The link for people: a line.
  package var line: String {
    let whom = email ?? "whoever opens it"
    let text = Timestamp(microseconds: end * 1_000)
    let until = TimestampText.format(seconds: text.seconds, nanos: 0)
    let from = maker.map { "by \($0)" } ?? "by a command"
    return "open link \(id)  \(whom)  \(roles.text)  until \(until)  \(from)"
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

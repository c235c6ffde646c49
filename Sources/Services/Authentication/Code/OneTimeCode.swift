import BaseJSON
import BaseText

/// The purpose of a code in an email.
package enum CodePurpose: String, Sendable, Hashable, CaseIterable {
  case passwordReset = "PASSWORD_RESET"
  case verifyEmail = "VERIFY_EMAIL"
  case emailSignIn = "EMAIL_SIGNIN"
  case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
  case recoverEmail = "RECOVER_EMAIL"

  /// The `mode` of the link.
  package var mode: String {
    switch self {
    case .passwordReset: "resetPassword"
    case .verifyEmail: "verifyEmail"
    case .emailSignIn: "signIn"
    case .verifyAndChangeEmail: "verifyAndChangeEmail"
    case .recoverEmail: "recoverEmail"
    }
  }

  /// Seconds until a code is over.
  var lifetime: Int64 {
    switch self {
    case .passwordReset, .emailSignIn: 3_600
    case .verifyAndChangeEmail: 86_400
    case .verifyEmail: 3 * 86_400
    case .recoverEmail: 30 * 86_400
    }
  }
}

/// The action that a code allows.
package struct OneTimeCode: Sendable {
  /// The one action that the code can be redeemed for.
  package let purpose: CodePurpose
  /// The account's address in its canonical form; for `recoverEmail` the former one, which the code restores.
  package let email: String
  /// The address that a change sets, or that `recoverEmail` takes back; nil where there is none.
  package let newEmail: String?
  /// Nil for a sign-in of a person who may have no account yet.
  let uid: Text?
  /// The user's session when the code was made: another password or address since voids the code.
  let session: Int64?

  var payload: JSONValue {
    .object(
      [
        JSONValue.Member("purpose", .string(purpose.rawValue)), .init("email", .string(email)),
      ] + [newEmail.map { JSONValue.Member("newEmail", .string($0)) }].compactMap(\.self)
        + [uid.map { JSONValue.Member("uid", .string($0.string)) }].compactMap(\.self)
        + [session.map { JSONValue.Member("session", .integer($0)) }].compactMap(\.self)
    )
  }

  init(_ purpose: CodePurpose, email: String, newEmail: String? = nil, of user: User? = nil) {
    self.purpose = purpose
    self.email = email
    self.newEmail = newEmail
    uid = user?.uid
    session = user?.session
  }

  init(payload: JSONValue) throws {
    guard let purpose = payload["purpose"]?.string.flatMap(CodePurpose.init),
      let email = payload["email"]?.string
    else { throw AccountError(.invalidOobCode) }
    self.purpose = purpose
    self.email = email
    newEmail = payload["newEmail"]?.string
    uid = payload["uid"]?.string.map { Text($0) }
    session = payload["session"]?.integer
  }
}

/// A code for an email, with the addresses as the store has them.
///
/// Emails go to those and never to the spelling that a request had: two spellings may be one address
/// here and two mailboxes elsewhere.
package struct AddressedCode: Sendable {
  /// Nil if no account has the address and the caller must not learn this.
  package let text: String?
  /// The text, or one that opens nothing: the content of an email, sent or not.
  package let written: String
  /// The account's address in its canonical form, as `OneTimeCode.email`; at a sign-in it may have no account yet.
  package let email: String
  /// The address that a change sets, or that `recoverEmail` takes back; nil where there is none.
  package let newEmail: String?
}

/// A user's address was changed, and the old one had been shown to be his.
package struct AddressChange: Sendable {
  /// The user after the change.
  package let user: User
  let old: EmailAddress
  let new: EmailAddress?

  /// Nil if nothing changed, or if the old address was never verified: it may belong to another
  /// person.
  init?(from before: User?, to after: User) {
    guard let before, let old = before.email, before.isEmailVerified, old != after.email else {
      return nil
    }
    user = after
    self.old = old
    new = after.email
  }
}

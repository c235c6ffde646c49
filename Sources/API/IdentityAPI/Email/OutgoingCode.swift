import Authentication

/// A code on its way to a person.
package struct OutgoingCode: Sendable {
  package let purpose: CodePurpose
  package let email: String
  package let newEmail: String?
  package let code: String
  package let link: String

  /// Where the email goes: a change of address is proved at the new one and told to the old one.
  var recipient: String { purpose == .verifyAndChangeEmail ? newEmail ?? email : email }
}

import Authentication

/// A code on its way to a person.
package struct OutgoingCode: Sendable {
  /// The one action that the code can be redeemed for.
  package let purpose: CodePurpose
  /// The account's address, as `AddressedCode.email`.
  package let email: String
  /// The other address of a change, as `AddressedCode.newEmail`.
  package let newEmail: String?
  /// The code's text, or one that opens nothing, as `AddressedCode.written`.
  package let code: String
  /// The link that carries the code, for the email.
  package let link: String

  /// The address that the email goes to: a change of address is proved at the new one, and the old
  /// one is notified.
  var recipient: String { purpose == .verifyAndChangeEmail ? newEmail ?? email : email }
}

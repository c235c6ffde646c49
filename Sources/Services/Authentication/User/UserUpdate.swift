import BaseText

/// The change of one field of a user.
package enum FieldChange<Content: Sendable & Hashable>: Sendable, Hashable {
  case keep
  case clear
  case set(Content)

  /// Sets the given value and keeps the field otherwise.
  package init(_ content: Content?) { self = content.map(Self.set) ?? .keep }

  var content: Content? {
    if case .set(let content) = self { content } else { nil }
  }

  func apply(to field: inout Content?) {
    switch self {
    case .keep: break
    case .clear: field = nil
    case .set(let content): field = content
    }
  }
}

/// A change of an account; members that are not named stay.
///
/// A change of e-mail or password, `isDisabled` and `validSince` end all tokens of the user.
package struct UserUpdate: Sendable {
  /// A new address is not verified unless `isEmailVerified` says so.
  package var email = FieldChange<String>.keep
  /// True or false to set the mark of a verified address; nil keeps it.
  package var isEmailVerified: Bool?
  /// The password in plain text, hashed before it is stored.
  package var password = FieldChange<String>.keep
  /// The change of the name to show.
  package var displayName = FieldChange<String>.keep
  /// The change of the picture's address.
  package var photoURL = FieldChange<String>.keep
  /// The change of the phone number, given in the form of E.164.
  package var phoneNumber = FieldChange<String>.keep
  /// True to stop the account, false to let it sign in again; nil keeps it.
  package var isDisabled: Bool?
  /// The text of a JSON object.
  package var customClaims = FieldChange<String>.keep
  /// Seconds since 1970: ends the tokens issued before.
  package var validSince: Int64?
  /// An identity to link, in place of an earlier one of the same provider; nil links none.
  package var linkedProvider: LinkedProvider?
  /// Provider ids; `password` drops the password and e-mail link, `phone` the number.
  package var unlinkedProviders: [Text] = []
  /// Replaces all second factors; the recovery codes that stood in for them go.
  package var secondFactors: [SecondFactor]?
  /// Removes all passkeys.
  package var removesPasskeys = false
  /// The time of creation to set, in milliseconds since 1970; nil keeps it.
  package var createdAt: Int64?
  /// The time of the last sign-in to set, in milliseconds since 1970; nil keeps it.
  package var lastSignInAt: Int64?

  /// Changes nothing.
  package init() {}
}

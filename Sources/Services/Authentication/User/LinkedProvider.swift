import BaseText

/// An identity of another provider that signs a user in.
package struct LinkedProvider: Sendable, Hashable {
  /// `google.com`, `apple.com`, `oidc.…`.
  package let providerID: Text
  /// The provider's own, unchanging name for the person.
  package let rawID: Text
  /// The provider's address, verified or not; nil without one.
  package var email: String?
  /// The person's name at the provider; nil without one.
  package var displayName: String?
  /// The address of the person's picture; nil without one.
  package var photoURL: String?
  /// The person's user name at the provider; nil without one.
  package var screenName: String?

  /// A provider's identity with its data about the person.
  package init(
    providerID: Text,
    rawID: Text,
    email: String? = nil,
    displayName: String? = nil,
    photoURL: String? = nil,
    screenName: String? = nil
  ) {
    self.providerID = providerID
    self.rawID = rawID
    self.email = email
    self.displayName = displayName
    self.photoURL = photoURL
    self.screenName = screenName
  }

  /// The identity as a URL-like name, as clients see it.
  package var federatedID: String {
    providerID == "google.com" ? "https://accounts.google.com/\(rawID)" : rawID.string
  }
}

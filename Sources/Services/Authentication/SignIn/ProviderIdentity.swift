import BaseText

/// The facts about a person that a provider stated, after its token was verified: issuer, audience,
/// signature, times.
package struct ProviderIdentity: Sendable {
  /// The person's identity at the provider, with name, picture and email address.
  package var profile: LinkedProvider
  /// True if the provider says that the person has shown to own `profile.email`.
  package let isEmailVerified: Bool

  /// A verified identity.
  package init(profile: LinkedProvider, isEmailVerified: Bool) {
    self.profile = profile
    self.isEmailVerified = isEmailVerified
  }
}

/// The outcome of a sign-in with a provider.
package enum ProviderSignIn: Sendable {
  /// `isRecycled` says that the account had another identity of the provider: the address went from
  /// one person to another there.
  case outcome(SignInOutcome, isRecycled: Bool)
  /// Another account has the address, and the provider does not vouch for it: the person must sign in
  /// as these providers first, and link; the uid only where the project tells which accounts there are.
  case needsConfirmation(verifiedProviders: [Text], uid: Text?)
}

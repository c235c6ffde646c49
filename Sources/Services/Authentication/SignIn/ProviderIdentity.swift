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
  /// Another account has the address, and the provider does not confirm it: the person must sign in
  /// with these providers first, and link. The uid is set only if the project reveals existing
  /// accounts.
  case needsConfirmation(verifiedProviders: [Text], uid: Text?)
}

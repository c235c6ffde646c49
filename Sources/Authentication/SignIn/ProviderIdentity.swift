import FirestoreModel

/// What a provider told of a person, after its token was verified: issuer, audience, signature, times.
package struct ProviderIdentity: Sendable {
  package let profile: LinkedProvider
  /// Whether the provider says that the person has shown to own `profile.email`.
  package let isEmailVerified: Bool

  /// A verified identity.
  package init(profile: LinkedProvider, isEmailVerified: Bool) {
    self.profile = profile
    self.isEmailVerified = isEmailVerified
  }
}

/// Where a sign-in with a provider leads.
package enum ProviderSignIn: Sendable {
  case outcome(SignInOutcome)
  /// Another account has the address, and the provider does not vouch for it: the person must sign in
  /// as these providers first, and link.
  case needsConfirmation(verifiedProviders: [Text])
}

import BaseText

// Signing in with identities of other providers, and linking them.
//
// An address joins accounts only when the provider vouches for it. If it does, and the account's
// own address was never verified, the creator of the account did not prove ownership. So its
// password, number and identities are removed, and its tokens end. So no one can prepare an account
// for another person and keep access to it.

extension ProjectAccounts {
  /// Signs in the person with that identity; makes an account where there is none and `creates`.
  package func signIn(
    _ identity: ProviderIdentity,
    creates: Bool = true,
    from origin: RequestOrigin
  ) throws -> ProviderSignIn {
    let configuration = try configuration()
    let profile = identity.profile
    let email = profile.email.flatMap(EmailAddress.init)
    let owner = try read { users in
      try users.owner(AccountKey.provider(scope, profile.providerID, profile.rawID))
    }
    if owner == nil {
      guard configuration.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
      _ = try accounts.limits.enterSignUp(from: origin)
    }
    var confirmation: User?
    var isRecycled = false
    do {
      return .outcome(
        try establish(signIn(by: profile.providerID)) { users in
          if let user = try users.users.user(provider: profile.providerID, rawID: profile.rawID) {
            return (try refresh(user, identity, email, users), false)
          }
          if let email, let user = try users.users.user(email: email) {
            guard identity.isEmailVerified else {
              confirmation = user
              throw AccountError(.emailExists)
            }
            isRecycled = user.provider(profile.providerID) != nil
            return (try merge(identity, into: user, users), false)
          }
          guard creates else { throw AccountError(.userNotFound) }
          let user = newUser(identity, email)
          try users.insert(user)
          return (user, true)
        },
        isRecycled: isRecycled
      )
    } catch let error as AccountError {
      guard let confirmation, error.code == .emailExists else { throw error }
      return .needsConfirmation(
        verifiedProviders: confirmation.providerIDs,
        uid: configuration.hidesAccounts ? nil : confirmation.uid
      )
    }
  }

  /// Links the identity to the account of an ID token's holder.
  ///
  /// FEDERATED_USER_ID_ALREADY_LINKED when an account has it already, EMAIL_EXISTS when its address
  /// is another's. Linking is not a sign-in: the new tokens have the time of the one before, except
  /// those of an anonymous account, which has no sign-in.
  package func link(_ identity: ProviderIdentity, idToken: String) throws -> Session {
    let (holder, token) = try signedIn(idToken)
    let profile = identity.profile
    let email = profile.email.flatMap(EmailAddress.init)
    let changed = try write { users in
      let key = AccountKey.provider(scope, profile.providerID, profile.rawID)
      guard try users.users.owner(key) == nil else {
        throw AccountError(.federatedUserIDAlreadyLinked)
      }
      if let email, let owner = try users.users.user(email: email), owner.uid != holder.uid {
        throw AccountError(.emailExists)
      }
      return try users.change(holder.uid) { user in
        guard user.accepts(token) else { throw AccountError(.tokenExpired) }
        user.providers.removeAll { $0.providerID == profile.providerID }
        user.providers.append(profile)
        if user.email == nil, let email {
          user.email = email
          user.isEmailVerified = identity.isEmailVerified
        } else if identity.isEmailVerified, user.email == email {
          user.isEmailVerified = true
        }
        user.displayName = user.displayName ?? profile.displayName
        user.photoURL = user.photoURL ?? profile.photoURL
        return user
      }
    }
    var facts = token.signIn
    facts.provider = profile.providerID
    if holder.isAnonymous { facts.time = now / 1_000_000 }
    return try renew(changed, facts)
  }

  private func newUser(_ identity: ProviderIdentity, _ email: EmailAddress?) -> User {
    var user = User(uid: Text(random.uid()), at: now)
    user.providers = [identity.profile]
    user.email = email
    user.isEmailVerified = email != nil && identity.isEmailVerified
    user.displayName = identity.profile.displayName
    user.photoURL = identity.profile.photoURL
    return user
  }

  /// Brings the provider's profile up to date.
  private func refresh(
    _ user: User,
    _ identity: ProviderIdentity,
    _ email: EmailAddress?,
    _ users: UserGroup
  ) throws -> User {
    guard !user.isDisabled else { return user }
    return try users.change(user.uid) { user in
      if let index = user.providers.firstIndex(where: {
        $0.providerID == identity.profile.providerID
      }) {
        // Apple sends the name only once.
        let name = identity.profile.displayName ?? user.providers[index].displayName
        user.providers[index] = identity.profile
        user.providers[index].displayName = name
      }
      if identity.isEmailVerified, user.email == email, email != nil { user.isEmailVerified = true }
      return user
    }
  }

  private func merge(
    _ identity: ProviderIdentity,
    into user: User,
    _ users: UserGroup
  ) throws -> User {
    try users.change(user.uid) { user in
      // A provider that sends no name, like Apple after the first time, removes none from its
      // owner.
      let ownName = user.isEmailVerified ? user.displayName : nil
      if !user.isEmailVerified {
        user.dropCredentials()
        user.revoke(at: now)
      }
      user.isEmailVerified = true
      user.providers.removeAll { $0.providerID == identity.profile.providerID }
      user.providers.append(identity.profile)
      // The provider confirms the person: its data counts, and nothing older.
      user.displayName = identity.profile.displayName ?? ownName
      user.photoURL = identity.profile.photoURL
      return user
    }
  }
}

import BaseText

// Passkeys of users. The WebAuthn code verifies the signatures of authenticators.

extension ProjectAccounts {
  /// The passkeys that a user may have.
  package static let maximumPasskeys = 10

  /// Adds a passkey; SECOND_FACTOR_LIMIT_EXCEEDED where there are enough, DUPLICATE_RAW_ID where it is there already.
  package func add(_ passkey: Passkey, to uid: Text) throws {
    try write { users in
      try users.change(uid) { user in
        guard user.passkeys.count < Self.maximumPasskeys else {
          throw AccountError(.secondFactorLimitExceeded)
        }
        guard !user.passkeys.contains(where: { $0.id == passkey.id }) else {
          throw AccountError(.duplicateRawID)
        }
        user.passkeys.append(passkey)
      }
    }
  }

  /// Removes a passkey; MFA_ENROLLMENT_NOT_FOUND where there is none.
  package func removePasskey(_ id: [UInt8], of uid: Text) throws {
    try write { users in
      try users.change(uid) { user in
        guard user.passkeys.contains(where: { $0.id == id }) else {
          throw AccountError(.secondFactorNotFound)
        }
        user.passkeys.removeAll { $0.id == id }
      }
    }
  }

  /// Notes that a user signs in by a passkey whose signature `verify` finds right.
  ///
  /// INVALID_LOGIN_CREDENTIALS where there is no such user or passkey, or where the authenticator has signed more often
  /// than it says: then there is a copy of it.
  ///
  /// - Parameter verify: Returns how often the authenticator says it has signed.
  package func signIn(
    _ uid: Text,
    byPasskey id: [UInt8],
    _ verify: (Passkey) throws -> Int64
  ) throws -> User {
    guard let passkey = try user(uid)?.passkeys.first(where: { $0.id == id }) else {
      throw AccountError(.invalidLoginCredentials)
    }
    let count = try verify(passkey)
    return try write { users in
      try users.change(uid) { user in
        guard !user.isDisabled else { throw AccountError(.userDisabled) }
        guard let index = user.passkeys.firstIndex(where: { $0.id == id }),
          count > user.passkeys[index].signCount
            || count == 0 && user.passkeys[index].signCount == 0
        else { throw AccountError(.invalidLoginCredentials) }
        user.passkeys[index].signCount = count
        user.passkeys[index].lastUsedAt = now / 1_000
        user.lastSignInAt = now / 1_000
        return user
      }
    }
  }
}

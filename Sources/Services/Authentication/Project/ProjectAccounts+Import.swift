import BaseText

// Accounts from elsewhere.

extension ProjectAccounts {
  /// Imports up to 1,000 accounts; a fault in one does not affect the others.
  ///
  /// The passwords stay as they are hashed until their users sign in. An account of the same uid is
  /// overwritten, or with `keepsExisting` left as it is, as an error. Addresses, numbers and identities
  /// that other accounts have are errors.
  package func importUsers(
    _ imported: [ImportedUser],
    keepsExisting: Bool = false
  ) throws -> [ItemError] {
    guard !imported.isEmpty else { throw AccountError(.missingUserAccount) }
    guard imported.count <= 1_000 else {
      throw AccountError(.init(rawValue: "INVALID_ARGUMENT"), "more than 1000 users")
    }
    try checkUnique(imported)
    var errors: [ItemError] = []
    var good: [(index: Int, user: User, keepsFactors: Bool)] = []
    for (index, item) in imported.enumerated() {
      do {
        good.append((index, try user(of: item), item.keepsSecondFactors))
      } catch let error as AccountError {
        errors.append(ItemError(index: index, uid: Text(item.uid), message: importText(error)))
      }
    }
    let refused = try write { users in
      var refused: [ItemError] = []
      for (index, user, keepsFactors) in good {
        do {
          try users.group.setSavepoint()
          try bringIn(user, keepsExisting: keepsExisting, keepsFactors: keepsFactors, users)
          try users.group.releaseSavepoint()
        } catch let error as AccountError {
          try users.group.rollbackToSavepoint()
          refused.append(ItemError(index: index, uid: user.uid, message: importText(error)))
        }
      }
      return refused
    }
    return (errors + refused).sorted { $0.index < $1.index }
  }

  private func bringIn(
    _ user: User,
    keepsExisting: Bool,
    keepsFactors: Bool,
    _ users: UserGroup
  ) throws {
    guard let old = try users.users.user(user.uid) else {
      return try users.insert(user, isImport: true)
    }
    guard !keepsExisting else {
      throw AccountError(
        .duplicateLocalID,
        "localId belongs to an existing account - can not overwrite."
      )
    }
    var user = user
    if keepsFactors { user.secondFactors = old.secondFactors }
    try users.replace(old, by: user)
  }

  /// The same address, uid or identity twice in one import is refused as a whole.
  private func checkUnique(_ imported: [ImportedUser]) throws {
    var uids: Set<Text> = []
    var emails: Set<EmailAddress> = []
    var rawIDs: Set<[Text]> = []
    for item in imported where !item.uid.isEmpty && item.refusal == nil {
      guard uids.insert(Text(item.uid)).inserted else {
        throw AccountError(.duplicateLocalID, item.uid)
      }
      if let email = item.email.flatMap(EmailAddress.init), !emails.insert(email).inserted {
        throw AccountError(.duplicateEmail, email.string)
      }
      for provider in item.providers
      where !rawIDs.insert([provider.providerID, provider.rawID]).inserted {
        throw AccountError(
          .duplicateRawID,
          "Provider id(\(provider.providerID)), Raw id(\(provider.rawID))"
        )
      }
    }
  }

  private func user(of item: ImportedUser) throws -> User {
    if let refusal = item.refusal { throw refusal }
    guard !item.uid.isEmpty else { throw AccountError(.missingLocalID) }
    guard item.uid.utf16.count <= 128 else { throw AccountError(.invalidUserID) }
    var user = User(uid: Text(item.uid), at: now)
    user.email = try item.email.map(Self.email)
    user.isEmailVerified = item.isEmailVerified
    user.displayName = try item.displayName.map { try Self.bounded($0, "DISPLAY_NAME") }
    user.photoURL = try item.photoURL.map { try Self.bounded($0, "PHOTO_URL") }
    user.phoneNumber = try item.phoneNumber.map(Self.phone)
    user.isDisabled = item.isDisabled
    user.customClaims = try item.customClaims.flatMap(CustomClaims.check)
    user.providers = item.providers
    user.secondFactors = item.secondFactors
    if let password = item.password {
      try password.checkBounds()
      user.password = password
    } else if let raw = item.rawPassword {
      user.password = try newHash(raw, .administrators)
    }
    if user.password != nil { user.passwordUpdatedAt = item.passwordUpdatedAt ?? now / 1_000 }
    user.hasEmailLink = item.hasEmailLink && user.email != nil
    user.isCustom = item.isCustom
    user.initialEmail = try item.initialEmail.map(Self.email)
    user.lastRefreshAt = item.lastRefreshAt
    user.createdAt = item.createdAt ?? user.createdAt
    user.lastSignInAt = item.lastSignInAt
    user.validSince = item.validSince ?? user.validSince
    return user
  }

  /// The texts that Google's server gives for one account of an import.
  private func importText(_ error: AccountError) -> String {
    switch error.code {
    case .missingLocalID: "localId is missing"
    case .invalidEmail: "email is invalid"
    case .invalidPhoneNumber: "phone number format is invalid"
    case .emailExists: "email exists in other account in database"
    case .federatedUserIDAlreadyLinked: "raw id exists in other account in database"
    case .phoneNumberExists: "phone number exists in other account in database"
    case .duplicateLocalID: error.detail ?? error.message
    default: error.message
    }
  }
}

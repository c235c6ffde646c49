import BaseText

// Users by their keys, and changes by administrators.

extension ProjectAccounts {
  /// The user with that uid.
  package func user(_ uid: Text) throws -> User? { try read { try $0.user(uid) } }

  /// The user with that e-mail, in any spelling.
  package func user(email: String) throws -> User? {
    guard let email = EmailAddress(email) else { return nil }
    return try read { try $0.user(email: email) }
  }

  /// The users whose first e-mail it was.
  package func users(initialEmail: String) throws -> [User] {
    guard let email = EmailAddress(initialEmail) else { return [] }
    return try read { try $0.users(initialEmail: email) }
  }

  /// The user with that telephone number.
  package func user(phoneNumber: String) throws -> User? {
    guard let phone = PhoneNumber(phoneNumber) else { return nil }
    return try read { try $0.user(phone: phone) }
  }

  /// The user linked with that identity of a provider.
  package func user(provider: Text, rawID: Text) throws -> User? {
    try read { try $0.user(provider: provider, rawID: rawID) }
  }

  /// Makes an account; DUPLICATE_LOCAL_ID, EMAIL_EXISTS and PHONE_NUMBER_EXISTS when taken.
  ///
  /// - Parameter ticket: Taken in the same write; `Ticket.Problem`, and no account, where it is over or ended.
  package func create(_ draft: NewUser, redeeming ticket: ListedTicket? = nil) throws -> User {
    var user = User(uid: try uid(draft.uid), at: now)
    user.email = try draft.email.map(Self.email)
    user.isEmailVerified = draft.isEmailVerified
    user.displayName = try draft.displayName.map { try Self.bounded($0, "DISPLAY_NAME") }
    user.photoURL = try draft.photoURL.map { try Self.bounded($0, "PHOTO_URL") }
    user.phoneNumber = try draft.phoneNumber.map(Self.phone)
    user.isDisabled = draft.isDisabled
    user.customClaims = try draft.customClaims.flatMap(CustomClaims.check)
    user.secondFactors = draft.secondFactors
    if let password = draft.password {
      user.password = try newHash(password, .administrators)
      user.passwordUpdatedAt = user.createdAt
    }
    let made = user
    try write { users in
      try ticket?.redeem(in: users.group)
      try users.insert(made)
    }
    return made
  }

  /// Changes an account; USER_NOT_FOUND, EMAIL_EXISTS and so on where it cannot be.
  ///
  /// - Parameters:
  ///   - ticket: Taken in the same write; `Ticket.Problem`, and no change, where it is over or ended.
  ///   - ending: Tickets that end in the same write.
  package func update(
    _ uid: Text,
    _ update: UserUpdate,
    redeeming ticket: ListedTicket? = nil,
    ending: TicketEnding? = nil
  ) throws -> User {
    let prepared = try PreparedUpdate(update) { try newHash($0, .administrators) }
    return try write { users in
      try ticket?.redeem(in: users.group)
      if let ending { try end(ending, in: users.group) }
      return try users.change(uid) { user in
        try prepared.apply(to: &user, at: now)
        return user
      }
    }
  }

  /// Deletes an account; USER_NOT_FOUND when there is none.
  ///
  /// - Parameter ending: Tickets that end in the same write.
  package func delete(_ uid: Text, ending: TicketEnding? = nil) throws {
    try write { users in
      if let ending { try end(ending, in: users.group) }
      try users.delete(try users.user(uid))
    }
  }

  /// Ends every token of the user issued up to now.
  package func revoke(_ uid: Text) throws {
    try write { users in try users.change(uid) { $0.revoke(at: now) } }
  }

  /// Hashes a new password after a policy let it pass: that one, or else the project's.
  func newHash(
    _ password: String,
    _ policy: PasswordPolicy? = nil,
    for caller: PasswordCaller = .administrator
  ) throws -> PasswordHash {
    try (policy ?? configuration().passwordPolicy).check(password)
    let hasher = try hasher
    let random = random
    return try accounts.passwords.run(for: caller) { try hasher.hash(password, random: random) }
  }

  private func uid(_ chosen: String?) throws -> Text {
    guard let chosen else { return Text(random.uid()) }
    guard !chosen.isEmpty, chosen.utf16.count <= 128 else {
      throw AccountError(.invalidUserID, "uid must have between 1 and 128 characters")
    }
    return Text(chosen)
  }

  static func email(_ raw: String) throws -> EmailAddress {
    guard let email = EmailAddress(raw) else { throw AccountError(.invalidEmail) }
    return email
  }

  static func phone(_ raw: String) throws -> PhoneNumber {
    guard let phone = PhoneNumber(raw) else {
      throw AccountError(.invalidPhoneNumber, "Invalid format.")
    }
    return phone
  }

  /// Names and addresses that are shown have at most 2,048 bytes.
  static func bounded(_ text: String, _ name: String) throws -> String {
    guard text.utf8.count <= 2_048 else {
      throw AccountError(.init(rawValue: "INVALID_\(name)"), "longer than 2048 bytes")
    }
    return text
  }
}

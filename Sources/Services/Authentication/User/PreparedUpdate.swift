/// An update whose values were checked and whose password was hashed, before the group begins.
struct PreparedUpdate {
  private let update: UserUpdate
  private let email: FieldChange<EmailAddress>
  private let phone: FieldChange<PhoneNumber>
  private let claims: FieldChange<String>
  private let password: FieldChange<PasswordHash>

  init(_ update: UserUpdate, hash: (String) throws -> PasswordHash) throws {
    self.update = update
    email = try update.email.map(ProjectAccounts.email)
    phone = try update.phoneNumber.map(ProjectAccounts.phone)
    claims = try update.customClaims.flatMap(CustomClaims.check)
    password = try update.password.map(hash)
    if let name = update.displayName.content {
      _ = try ProjectAccounts.bounded(name, "DISPLAY_NAME")
    }
    if let photo = update.photoURL.content { _ = try ProjectAccounts.bounded(photo, "PHOTO_URL") }
  }

  func apply(to user: inout User, at time: Int64) throws {
    let oldEmail = user.email
    applyEmail(to: &user)
    applyPassword(to: &user, at: time)
    if let isVerified = update.isEmailVerified { user.isEmailVerified = isVerified }
    update.displayName.apply(to: &user.displayName)
    update.photoURL.apply(to: &user.photoURL)
    phone.apply(to: &user.phoneNumber)
    claims.apply(to: &user.customClaims)
    let isStopped = update.isDisabled == true && !user.isDisabled
    if let isDisabled = update.isDisabled { user.isDisabled = isDisabled }
    if let factors = update.secondFactors {
      user.secondFactors = factors
      user.recoveryCodes = []
    }
    if update.removesPasskeys { user.passkeys = [] }
    if let createdAt = update.createdAt { user.createdAt = createdAt }
    if let lastSignInAt = update.lastSignInAt { user.lastSignInAt = lastSignInAt }
    applyProviders(to: &user)
    if user.email != oldEmail || password != .keep || isStopped { user.revoke(at: time) }
    if let validSince = update.validSince {
      user.revoke(at: time)
      user.validSince = validSince
    }
  }

  private func applyEmail(to user: inout User) {
    switch email {
    case .keep: break
    case .clear:
      user.email = nil
      user.isEmailVerified = false
      user.hasEmailLink = false
    case .set(let new):
      guard new != user.email else { break }
      if let old = user.email, user.initialEmail == nil { user.initialEmail = old }
      user.email = new
      user.isEmailVerified = false
    }
  }

  private func applyPassword(to user: inout User, at time: Int64) {
    password.apply(to: &user.password)
    if password != .keep { user.passwordUpdatedAt = user.password == nil ? nil : time / 1_000 }
  }

  private func applyProviders(to user: inout User) {
    for id in update.unlinkedProviders {
      switch id {
      case "password":
        user.password = nil
        user.passwordUpdatedAt = nil
        user.hasEmailLink = false
      case "phone": user.phoneNumber = nil
      default: user.providers.removeAll { $0.providerID == id }
      }
    }
    if let provider = update.linkedProvider {
      user.providers.removeAll { $0.providerID == provider.providerID }
      user.providers.append(provider)
    }
  }
}

extension FieldChange {
  func map<Other>(_ body: (Content) throws -> Other) rethrows -> FieldChange<Other> {
    switch self {
    case .keep: .keep
    case .clear: .clear
    case .set(let content): .set(try body(content))
    }
  }

  /// A nil clears.
  func flatMap<Other>(_ body: (Content) throws -> Other?) rethrows -> FieldChange<Other> {
    switch self {
    case .keep: .keep
    case .clear: .clear
    case .set(let content): try body(content).map { .set($0) } ?? .clear
    }
  }
}

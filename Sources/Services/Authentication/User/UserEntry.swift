/// A key that points to a user, whose value is the uid; each belongs to at most one user.
struct UserEntry {
  let key: [UInt8]
  /// The error for a key that another user has.
  let taken: AccountError.Code

  /// The kinds of keys that are index entries of users.
  static let kinds: [AccountKey.Kind] = [.email, .phone, .provider, .initialEmail]

  /// The index entries of a user, in the order in which conflicts are reported: an identity of
  /// another account comes before its address.
  static func all(of user: User, in scope: AccountScope) -> [UserEntry] {
    var entries = user.providers.map { provider in
      UserEntry(
        key: AccountKey.provider(scope, provider.providerID, provider.rawID),
        taken: .federatedUserIDAlreadyLinked
      )
    }
    if let email = user.email {
      entries.append(UserEntry(key: AccountKey.email(scope, email), taken: .emailExists))
    }
    if let email = user.initialEmail {
      let key = AccountKey.initialEmail(scope, email, user.uid)
      entries.append(UserEntry(key: key, taken: .emailExists))
    }
    if let phone = user.phoneNumber {
      let key = AccountKey.phone(scope, phone.text)
      entries.append(UserEntry(key: key, taken: .phoneNumberExists))
    }
    return entries
  }
}

import BaseText
import KeyValueStore

/// An account that came to be or ended.
package enum AccountChange: Sendable {
  case created(User)
  case deleted(User)
}

/// Changes users of one scope within one group, with their index entries.
///
/// Uniqueness is decided here: groups run one after the other, and each sees what the earlier wrote.
/// Lives as long as its group, on the group's thread.
final class UserGroup {
  let group: any KeyValueGroup
  let scope: AccountScope
  /// The revocations that take effect with this group.
  private(set) var revoked: [Revocations.Event] = []
  /// The sessions that began with this group, each with its user's uid.
  private(set) var begun: [(uid: Text, session: Int64)] = []
  /// The accounts that were made and deleted, in their order.
  private(set) var changes: [AccountChange] = []

  init(group: any KeyValueGroup, scope: AccountScope) {
    self.group = group
    self.scope = scope
  }

  var users: UserReader { UserReader(reader: group, scope: scope) }

  /// The user, or USER_NOT_FOUND.
  func user(_ uid: Text) throws -> User {
    guard let user = try users.user(uid) else { throw AccountError(.userNotFound) }
    return user
  }

  /// Adds an account; DUPLICATE_LOCAL_ID, EMAIL_EXISTS and so on when something of it is taken.
  ///
  /// - Parameter isImport: True for an account that was created elsewhere, without an event.
  func insert(_ user: User, isImport: Bool = false) throws {
    let key = AccountKey.user(scope, user.uid)
    guard try group.get(key) == nil else { throw AccountError(.duplicateLocalID) }
    try claim(UserEntry.all(of: user, in: scope), without: [], for: user.uid)
    try group.put(key, user.encoded())
    begun.append((user.uid, user.session))
    if !isImport { changes.append(.created(user)) }
  }

  /// Replaces an account.
  func replace(_ old: User, by new: User) throws {
    let before = UserEntry.all(of: old, in: scope)
    let after = UserEntry.all(of: new, in: scope)
    try claim(after, without: before, for: new.uid)
    let kept = Set(after.map(\.key))
    for entry in before where !kept.contains(entry.key) { try group.delete(entry.key) }
    try group.put(AccountKey.user(scope, new.uid), new.encoded())
    if new.isDisabled != old.isDisabled || new.session != old.session {
      revoked.append(
        .init(scope: scope, uid: new.uid, session: new.isDisabled ? nil : new.session)
      )
    }
    if new.session != old.session { try dropRefreshTokens(of: new.uid) }
  }

  /// Changes an account.
  func change<R>(_ uid: Text, _ body: (inout User) throws -> R) throws -> R {
    let old = try user(uid)
    var new = old
    let result = try body(&new)
    try replace(old, by: new)
    return result
  }

  /// Removes an account with all that points to it.
  func delete(_ user: User) throws {
    for entry in UserEntry.all(of: user, in: scope) { try group.delete(entry.key) }
    try group.delete(AccountKey.user(scope, user.uid))
    try dropRefreshTokens(of: user.uid)
    revoked.append(.init(scope: scope, uid: user.uid, session: nil))
    changes.append(.deleted(user))
  }

  private func dropRefreshTokens(of uid: Text) throws {
    let range = KeyRange(prefix: AccountKey.refreshTokens(scope, uid))
    let cursor = try group.cursor(over: range, reversed: false)
    var keys: [[UInt8]] = []
    while try cursor.next() { keys.append(Array(cursor.key)) }
    for key in keys { try group.delete(key) }
  }

  /// Takes index entries that are not the user's yet; each belongs to at most one user.
  private func claim(_ entries: [UserEntry], without owned: [UserEntry], for uid: Text) throws {
    let owned = Set(owned.map(\.key))
    let owner = uid.withBytes { Array($0) }
    for entry in entries where !owned.contains(entry.key) {
      if let other = try group.get(entry.key), other != owner { throw AccountError(entry.taken) }
      try group.put(entry.key, owner)
    }
  }
}

import BaseText
import KeyValueStore

// Many users at once.

extension ProjectAccounts {
  /// Users in the order of their uids, at most 1,000, behind the uid that is the token of the last page.
  package func list(limit: Int = 1_000, pageToken: String? = nil) throws -> UserPage {
    guard 1...1_000 ~= limit else { throw AccountError(.invalidPageToken) }
    return try accounts.engine.read { snapshot in
      var range = KeyRange(prefix: AccountKey.prefix(.user, scope))
      if let pageToken {
        guard !pageToken.isEmpty, pageToken.utf16.count <= 128 else {
          throw AccountError(.invalidPageToken)
        }
        range.lower = AccountKey.user(scope, Text(pageToken)) + [0]
      }
      var users: [User] = []
      let cursor = try snapshot.cursor(over: range, reversed: false)
      while try cursor.next() {
        guard users.count < limit else {
          return UserPage(users: users, nextPageToken: users.last?.uid.string)
        }
        users.append(try Self.user(at: cursor))
      }
      return UserPage(users: users, nextPageToken: nil)
    }
  }

  /// The users that fit a query.
  ///
  /// Without expressions, and in another order than that of uids, this reads all users of the scope
  /// and keeps `offset + limit` of them, 10,000 at most.
  package func query(_ query: UserQuery) throws -> [User] {
    guard 1...500 ~= query.limit, 0...9_500 ~= query.offset else {
      throw AccountError(.invalidPageToken)
    }
    let found =
      query.expressions.isEmpty
      ? try all(inOrderOf: query) : try matches(of: query.expressions).sorted(by: query.precedes)
    return Array(found.dropFirst(query.offset).prefix(query.limit))
  }

  /// Returns the number of users; reads every key.
  package func count() throws -> Int {
    try accounts.engine.read { snapshot in
      let range = KeyRange(prefix: AccountKey.prefix(.user, scope))
      let cursor = try snapshot.cursor(over: range, reversed: false)
      var count = 0
      while try cursor.next() { count += 1 }
      return count
    }
  }

  /// The error of one item of many.
  package struct ItemError: Sendable, Hashable {
    /// The position of the account in the request, from 0.
    package let index: Int
    /// The account's id.
    package let uid: Text
    /// The reason, in the words of Google's server.
    package let message: String
  }

  /// Deletes up to 1,000 accounts; without `force` only those that are disabled.
  package func delete(_ uids: [Text], force: Bool) throws -> [ItemError] {
    guard !uids.isEmpty else { throw AccountError(.missingLocalID) }
    guard uids.count <= 1_000 else {
      throw AccountError(.init(rawValue: "LOCAL_ID_LIST_EXCEEDS_LIMIT"))
    }
    return try write { users in
      var errors: [ItemError] = []
      for (index, uid) in uids.enumerated() {
        guard let user = try users.users.user(uid) else { continue }
        guard force || user.isDisabled else {
          let message = "NOT_DISABLED : Disable the account before batch deletion."
          errors.append(ItemError(index: index, uid: uid, message: message))
          continue
        }
        try users.delete(user)
      }
      return errors
    }
  }

  /// Deletes every account of the scope, a thousand at a time.
  package func deleteAll() throws {
    while true {
      let page = try list()
      guard !page.users.isEmpty else { return }
      _ = try delete(page.users.map(\.uid), force: true)
    }
  }

  private func matches(of expressions: [UserQuery.Expression]) throws -> [User] {
    var found: [Text: User] = [:]
    for expression in expressions.prefix(100) {
      let match =
        switch expression {
        case .email(let email): try user(email: email)
        case .uid(let uid): try user(Text(uid))
        case .phoneNumber(let number): try user(phoneNumber: number)
        }
      if let match { found[match.uid] = match }
    }
    return Array(found.values)
  }

  /// Keeps the first of all users in the query's order.
  private func all(inOrderOf query: UserQuery) throws -> [User] {
    let wanted = query.offset + query.limit
    return try accounts.engine.read { snapshot in
      let range = KeyRange(prefix: AccountKey.prefix(.user, scope))
      let byKey = query.order == .uid
      let cursor = try snapshot.cursor(over: range, reversed: byKey && query.isDescending)
      var kept: [User] = []
      while try cursor.next() {
        if byKey, kept.count == wanted { break }
        kept.append(try Self.user(at: cursor))
        if !byKey, kept.count >= 2 * wanted {
          kept = Array(kept.sorted(by: query.precedes).prefix(wanted))
        }
      }
      return byKey ? kept : kept.sorted(by: query.precedes)
    }
  }

  private static func user(at cursor: any KeyValueCursor) throws -> User {
    guard let uid = AccountKey.uid(ofUserKey: cursor.key) else {
      throw RecordReader.corrupt("a key without a uid")
    }
    return try User(uid: uid, record: Array(cursor.value))
  }
}

extension UserQuery {
  /// Ties are in the order of uids.
  func precedes(_ left: User, _ right: User) -> Bool {
    let ascending: Bool? =
      switch order {
      case .uid: nil
      case .name: less(Text(left.displayName ?? ""), Text(right.displayName ?? ""))
      case .createdAt: less(left.createdAt, right.createdAt)
      case .lastSignInAt: less(left.lastSignInAt ?? 0, right.lastSignInAt ?? 0)
      case .email: less(left.email?.text ?? "", right.email?.text ?? "")
      }
    return (ascending ?? (left.uid < right.uid)) != isDescending
  }

  private func less<Key: Comparable>(_ left: Key, _ right: Key) -> Bool? {
    left == right ? nil : left < right
  }
}

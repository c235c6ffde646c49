import KeyValueStore

/// The records of scopes in memory.
struct KnownProjects {
  private var records: [AccountScope: ProjectRecord] = [:]
  /// Counted after each change by another engine, so that no caller keeps data that was read
  /// before.
  private(set) var changes = 0

  subscript(scope: AccountScope) -> ProjectRecord? {
    get { records[scope] }
    set { records[scope] = newValue }
  }

  mutating func forget() {
    records = [:]
    changes += 1
  }
}

// The memory of accounts that other engines change too.

extension Accounts {
  /// Registers for changes of the data that memory depends on.
  func observeOthers() throws {
    let kinds: [AccountKey.Kind] = [.user, .scope, .signingKey, .serviceAccount]
    try engine.observeOthers(in: kinds.map { KeyRange(prefix: AccountKey.prefix($0)) }) {
      [weak self] writes, reader in
      try self?.othersWrote(writes, reader)
    }
  }

  private func othersWrote(_ writes: OtherWrites, _ reader: any KeyValueReader) throws {
    guard case .groups(let groups) = writes else {
      projects.withLock { $0.forget() }
      try readKeys(reader)
      // At the beginning no token is known that could have ended.
      if isFollowing.exchange(true, ordering: .relaxed) { revocations.forget(at: now) }
      return
    }
    var kinds: Set<UInt8> = []
    var users: Set<[UInt8]> = []
    for key in groups.flatMap(\.keys) where key.count > 1 {
      kinds.insert(key[1])
      if key[1] == AccountKey.Kind.user.rawValue { users.insert(key) }
    }
    if kinds.contains(AccountKey.Kind.scope.rawValue) { projects.withLock { $0.forget() } }
    if kinds.contains(AccountKey.Kind.signingKey.rawValue)
      || kinds.contains(AccountKey.Kind.serviceAccount.rawValue)
    {
      try readKeys(reader)
    }
    try learn(Array(users), reader)
  }

  private func readKeys(_ reader: any KeyValueReader) throws {
    try serviceAccounts.read(reader)
    if let second = try signingKeys.read(reader) { revocations.endAll(issuedUpTo: second) }
  }

  /// Learns which tokens of users are valid who were changed.
  private func learn(_ keys: [[UInt8]], _ reader: any KeyValueReader) throws {
    for (key, record) in zip(keys, try reader.get(keys)) {
      guard let scope = key.withUnsafeBytes({ AccountKey.scope(ofKey: $0) }),
        let uid = key.withUnsafeBytes({ AccountKey.uid(ofUserKey: $0) })
      else { continue }
      let user = try record.get().map { try User(uid: uid, record: $0) }
      let session = user.flatMap { $0.isDisabled ? nil : $0.session }
      revocations.learn(.init(scope: scope, uid: uid, session: session), at: now)
    }
  }
}

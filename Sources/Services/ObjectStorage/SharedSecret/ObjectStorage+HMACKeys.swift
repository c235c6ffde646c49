import Access
import BaseText
import KeyValueStore

extension ObjectStorage {
  /// The most keys of one service account that are not deleted, and of the server, those among them.
  private static let keyLimits = (account: 10, all: 10_000)
  /// The time for which a deleted key is listed, in microseconds.
  private static let deletedLifetime: Int64 = 30 * 86_400 * 1_000_000

  /// Creates a key of a service account; its secret is returned here and never again.
  ///
  /// - Parameter maker: The account that makes it, as people know it.
  package func makeHMACKey(
    of account: Text,
    in project: Text,
    by maker: String = "",
    _ permit: AdministratorPermit
  ) async throws -> HMACKey {
    let key = HMACKey(
      project: project,
      account: account,
      maker: String(maker.prefix(320)),
      at: configuration.clock.now()
    )
    try await write { group in
      let all = try group.hmacKeys(of: nil, from: "")
      let own = all.filter { $0.account == account && $0.state != .deleted }
      guard own.count < Self.keyLimits.account, all.count < Self.keyLimits.all else {
        throw StorageError(
          .quotaExceeded,
          "A service account can have \(Self.keyLimits.account) HMAC keys."
        )
      }
      try group.put(StorageKey.hmacKey(key.accessID), key.bytes)
    }
    return key
  }

  /// A project's keys by access id.
  ///
  /// - Parameter first: The least access id that is listed; where a page ended.
  package func hmacKeys(
    of project: Text,
    from first: Text = "",
    _ permit: AdministratorPermit
  ) async throws -> [HMACKey] {
    try await read { try $0.hmacKeys(of: project, from: first) }
  }

  /// The keys of all projects by access id.
  package func hmacKeys(_ permit: AdministratorPermit) async throws -> [HMACKey] {
    try await read { try $0.hmacKeys(of: nil, from: "") }
  }

  /// Deletes a key in any state; false if there is none of that access ID that is not deleted.
  package func revokeHMACKey(_ accessID: Text, _ permit: AdministratorPermit) async throws -> Bool {
    let now = configuration.clock.now()
    return try await write { group in
      guard var key = try group.hmacKey(accessID), key.state != .deleted else { return false }
      key.secret = nil
      key.state = .deleted
      key.updated = max(now, key.updated + 1)
      try group.put(StorageKey.hmacKey(accessID), key.bytes)
      return true
    }
  }

  /// A key of a project; throws `notFound` where there is none, a deleted one is there.
  package func hmacKey(
    _ accessID: Text,
    of project: Text,
    _ permit: AdministratorPermit
  ) async throws -> HMACKey {
    try await read { try Self.key(accessID, of: project, in: $0) }
  }

  /// Makes a key active or inactive, or deletes it, for which it has to be inactive.
  ///
  /// - Parameter tag: The tag that the key must have; nil is any.
  package func setHMACKey(
    _ accessID: Text,
    of project: Text,
    to state: HMACKey.State,
    ifEntityTag tag: String? = nil,
    _ permit: AdministratorPermit
  ) async throws -> HMACKey {
    let now = configuration.clock.now()
    return try await write { group in
      var key = try Self.key(accessID, of: project, in: group)
      guard tag ?? key.entityTag == key.entityTag else { throw StorageError.conditionNotMet }
      guard key.state != .deleted else {
        throw StorageError(.invalid, "Cannot change a DELETED HMAC key.")
      }
      if state == .deleted {
        guard key.state == .inactive else {
          throw StorageError(.invalid, "Cannot delete keys in 'ACTIVE' state.")
        }
        key.secret = nil
      }
      key.state = state
      key.updated = max(now, key.updated + 1)
      try group.put(StorageKey.hmacKey(accessID), key.bytes)
      return key
    }
  }

  /// Stores a key as it was exported, in the place of one of its access id.
  ///
  /// Throws where another project has that id, or a key of it was deleted, which never comes back.
  package func importHMACKey(_ key: HMACKey, _ permit: AdministratorPermit) async throws {
    try await write { group in
      let known = try group.hmacKey(key.accessID)
      guard known.map({ $0.project == key.project && $0.state != .deleted }) ?? true else {
        throw StorageError(.conflict, "A key with that access ID already exists.")
      }
      if known == nil, try group.hmacKeys(of: nil, from: "").count >= Self.keyLimits.all {
        throw StorageError(.quotaExceeded, "The server has \(Self.keyLimits.all) HMAC keys.")
      }
      try group.put(StorageKey.hmacKey(key.accessID), key.bytes)
    }
  }

  private static func key(
    _ accessID: Text,
    of project: Text,
    in reader: any KeyValueReader
  ) throws -> HMACKey {
    guard let key = try reader.hmacKey(accessID), key.project == project else {
      throw StorageError(.notFound, "Access ID not found in project '\(project.string)'.")
    }
    return key
  }

  /// The key by which a request says that it is signed; nil unless it is active.
  ///
  /// Blocks.
  package func activeHMACKey(_ accessID: String) throws -> HMACKey? {
    let key = try engine.read { try $0.hmacKey(Text(accessID)) }
    return key?.state == .active ? key : nil
  }

  /// The active key of an access id from memory alone; nil too where that cannot tell.
  package func activeHMACKeyInMemory(_ accessID: String) throws -> HMACKey? {
    let id = Text(accessID)
    guard case .found(let record) = try engine.get(StorageKey.hmacKey(id), cachedOnly: true) else {
      return nil
    }
    let key = try HMACKey(id, try RecordReader(record))
    return key.state == .active ? key : nil
  }

  /// Returns true if there is a key of an access ID, in any state.
  ///
  /// Blocks.
  package func hasHMACKey(_ accessID: String) throws -> Bool {
    try engine.read { try $0.hmacKey(Text(accessID)) != nil }
  }

  /// Forgets keys that were deleted long ago.
  func forgetDeletedHMACKeys() async throws {
    let end = configuration.clock.now() - Self.deletedLifetime
    let gone = try await read(on: .maintenance) { view in
      try view.hmacKeys(of: nil, from: "").filter { $0.state == .deleted && $0.updated <= end }
    }
    guard !gone.isEmpty else { return }
    try await write(.background) { group in
      for key in gone { try group.delete(StorageKey.hmacKey(key.accessID)) }
    }
  }
}

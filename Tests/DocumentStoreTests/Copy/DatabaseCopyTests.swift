import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore
import Testing

@testable import DocumentStore

@Suite struct DatabaseCopyTests {
  private static let copied = DatabaseID(project: "demo", database: "copied")

  @Test(arguments: TestEngineKind.allCases)
  func `a copy has what there was at a version, with references that lead into it`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let source = try fixture.database
    let name = DocumentName(database: source.id, path: ResourcePath(["a", "x000"]))
    let foreign = DocumentName(
      database: DatabaseID(project: "other"),
      path: ResourcePath(["a", "x000"])
    )
    for number in 0..<700 {
      let digits = String(1_000 + number).dropFirst()
      let list = Value.array([.reference(name), .reference(foreign)])
      try await source.commit(
        set(path("a/x\(digits)"), ["n": .integer(Int64(number)), "to": list])
      )
    }
    let version = try source.readTime()
    try await source.commit(delete("a/x001"), set("a/x002", ["n": .string("later")]))
    _ = try fixture.store.startCopy(of: source.id, at: version, as: Self.copied)
    try fixture.maintain()
    let copy = try fixture.store.database(Self.copied)
    let record = try #require(try copy.databaseCopy())
    #expect(record.documents == 700 && record.end != nil && record.failure == nil)
    let moved = DocumentName(database: Self.copied, path: ResourcePath(["a", "x000"]))
    let expected = Value.array([.reference(moved), .reference(foreign)])
    for (id, number) in [("x001", 1), ("x002", 2), ("x699", 699)] {
      let fields = try copy.fields(ResourcePath(["a", Text(id)]))
      #expect(fields == map(["n": .integer(Int64(number)), "to": expected]))
    }
    #expect(try copy.verify { Issue.record("\($0)") }.differences == 0)
    try fixture.close()
  }

  @Test func `a copy goes on after a restart, and has no times to live`() async throws {
    let storage = TestStorage(.rocksDB)
    let first = try StoreFixture(storage)
    let source = try first.database
    try source.setTimeToLive(true, field: FieldPath(["ends"]), of: "a")
    let past = Value.timestamp(Timestamp(microseconds: 1_000_000))
    for number in 0..<600 { try await source.commit(set(path("b/\(number)"), ["ends": past])) }
    _ = try first.store.startCopy(of: source.id, at: try source.readTime(), as: Self.copied)
    _ = try first.store.database(Self.copied).performCopy { try first.store.existingDatabase($0) }
    let half = try #require(try first.store.database(Self.copied).databaseCopy())
    #expect(half.documents == 256 && half.end == nil)
    try first.close()
    let second = try StoreFixture(storage)
    // Nobody opens the copy before it is whole.
    try second.maintain()
    let copy = try #require(second.store.openDatabase(Self.copied))
    #expect(try copy.databaseCopy()?.documents == 600)
    #expect(copy.indexes.current.timesToLive.isEmpty)
    #expect(try copy.get("b/599") != nil)
    try second.close()
  }

  @Test func `a copy of what is gone fails with a sentence`() async throws {
    let fixture = try StoreFixture()
    let source = try fixture.database
    let version = try await source.commit(set("a/x", ["n": .integer(1)])).version
    try await source.commit(set("a/x", ["n": .integer(2)]))
    _ = try fixture.store.startCopy(of: source.id, at: version, as: Self.copied)
    let taken = await refusal {
      _ = try fixture.store.startCopy(of: source.id, at: version, as: Self.copied)
    }
    #expect(taken?.code == .alreadyExists)
    fixture.storage.clock.advance(by: 2 * 3_600_000_000)
    let copy = try fixture.store.database(Self.copied)
    _ = try copy.performCopy { try fixture.store.existingDatabase($0) }
    #expect(try copy.databaseCopy()?.failure == "The requested snapshot version is too old.")
    let late = await refusal {
      _ = try fixture.store.startCopy(
        of: source.id,
        at: version,
        as: DatabaseID(project: "demo", database: "another")
      )
    }
    #expect(late?.code == .invalidArgument)
    #expect(try fixture.store.listDatabases().count == 2)
    try fixture.close()
  }

  /// A unique index of the field `n` of collections `a`.
  private static func unique() throws -> IndexDefinition {
    try IndexDefinition(
      collectionID: "a",
      scope: .collection,
      fields: [IndexedField("n", .ascending)],
      isUnique: true
    )
  }

  @Test func `a copy of a version with duplicates has all of it, whatever is unique now`()
    async throws
  {
    let fixture = try StoreFixture()
    let source = try fixture.database
    for number in 0..<300 { try await source.commit(set(path("a/\(number)"), ["n": .integer(1)])) }
    let version = try source.readTime()
    for number in 0..<300 {
      try await source.commit(set(path("a/\(number)"), ["n": .integer(Int64(number))]))
    }
    try source.declareIndex(Self.unique())
    while try source.performIndexMaintenance() {}
    let later = try source.readTime()
    let other = DatabaseID(project: "demo", database: "other-copy")
    _ = try fixture.store.startCopy(of: source.id, at: version, as: Self.copied)
    _ = try fixture.store.startCopy(of: source.id, at: later, as: other)
    try fixture.maintain()
    let copy = try fixture.store.database(Self.copied)
    let record = try #require(try copy.databaseCopy())
    #expect(record.documents == 300 && record.end != nil && record.failure == nil)
    #expect(copy.indexes.current.listed.map(\.state) == [.failed])
    #expect(try copy.fields("a/299") == map(["n": .integer(1)]))
    // Unique values stay unique.
    let good = try fixture.store.database(other)
    #expect(good.indexes.current.listed.map(\.definition.isUnique) == [true])
    let isUsable = good.indexes.current.listed[0].state.isUsable(at: .init(microseconds: .max))
    #expect(isUsable)
    var double = set("a/new", ["n": .integer(7)])
    double = Write(name: .init(database: other, path: "a/new"), operation: double.operation)
    let proposal = CommitProposal(writes: [double])
    #expect(await refusal { _ = try await good.commit(proposal) }?.code == .alreadyExists)
    for database in [copy, good] {
      #expect(try database.verify { Issue.record("\($0)") }.differences == 0)
    }
    try fixture.close()
  }

  @Test func `nobody else writes into a database before it is whole`() async throws {
    let fixture = try StoreFixture()
    let source = try fixture.database
    for number in 0..<300 { try await source.commit(set(path("a/\(number)"), ["n": .integer(1)])) }
    _ = try fixture.store.startCopy(of: source.id, at: try source.readTime(), as: Self.copied)
    let copy = try fixture.store.database(Self.copied)
    let write = Write(
      name: DocumentName(database: Self.copied, path: "a/299"),
      operation: .update(DocumentFields(encoding: map(["n": .integer(2)])), mask: nil)
    )
    let proposal = CommitProposal(writes: [write])
    let early = await refusal { _ = try await copy.commit(proposal) }
    #expect(early?.code == .failedPrecondition)
    #expect(early?.message.contains("is being filled by a clone") == true)
    try fixture.maintain()
    _ = try await copy.commit(proposal)
    #expect(try copy.fields("a/299") == map(["n": .integer(2)]))
    try fixture.close()
  }

  /// A backup of a database as it is now.
  private static func backup(of source: Database) throws -> DatabaseBackup {
    let now = try source.readTime()
    return DatabaseBackup(
      id: "b",
      of: source.id,
      source.incarnation,
      at: now,
      until: CommitVersion(microseconds: .max)
    )
  }

  private static func proposal(_ number: Int64, by fill: CommitVersion? = nil) -> CommitProposal {
    let write = Write(
      name: DocumentName(database: copied, path: "a/x"),
      operation: .update(DocumentFields(encoding: map(["n": .integer(number)])), mask: nil)
    )
    var proposal = CommitProposal(writes: [write])
    proposal.fill = fill
    return proposal
  }

  @Test func `a restore alone writes into its database, until it is over`() async throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let backup = try Self.backup(of: fixture.database)
    let restore = try store.startRestore(of: backup, as: Self.copied)
    let database = try store.database(Self.copied)
    #expect(try store.unfinishedRestores().map(\.database) == [Self.copied])
    let early = await refusal { _ = try await database.commit(Self.proposal(1)) }
    #expect(early?.code == .failedPrecondition)
    #expect(early?.message.contains("is being restored from a backup") == true)
    // Another restore than the one that goes on writes nothing, and ends nothing.
    let other = CommitVersion(microseconds: restore.start.microseconds - 1)
    let late = await refusal { _ = try await database.commit(Self.proposal(2, by: other)) }
    #expect(late?.message.contains("is over") == true)
    try store.endRestore(of: Self.copied, since: other, failure: "no")
    #expect(try database.databaseCopy()?.isUnfinishedRestore == true)
    _ = try await database.commit(Self.proposal(3, by: restore.start))
    try store.endRestore(of: Self.copied, since: restore.start, failure: nil)
    let over = await refusal {
      _ = try await database.commit(Self.proposal(4, by: restore.start))
    }
    #expect(over?.message.contains("is over") == true)
    #expect(try database.fields("a/x") == map(["n": .integer(3)]))
    _ = try await database.commit(Self.proposal(5))
    #expect(throws: ServiceError.self) {
      try store.checkFill(restore.start, of: Self.copied)
    }
    #expect(try store.unfinishedRestores().isEmpty)
    try fixture.close()
  }

  @Test func `a database whose restore failed takes no writes, and another in its place does`()
    async throws
  {
    let fixture = try StoreFixture()
    let store = fixture.store
    let backup = try Self.backup(of: fixture.database)
    let restore = try store.startRestore(of: backup, as: Self.copied)
    try store.endRestore(of: Self.copied, since: restore.start, failure: "The disk is full.")
    let failed = try store.database(Self.copied)
    let refused = await refusal { _ = try await failed.commit(Self.proposal(1)) }
    #expect(refused?.code == .failedPrecondition)
    #expect(refused?.message.contains("since its restore failed: The disk is full.") == true)
    let state = try store.databaseCopies().map(\.copy.state)
    #expect(state == ["was not restored and takes no writes: The disk is full."])
    try store.deleteDatabase(Self.copied)
    let made = try store.createDatabase(Self.copied)
    _ = try await made.commit(Self.proposal(2))
    let late = await refusal { _ = try await made.commit(Self.proposal(3, by: restore.start)) }
    #expect(late?.message.contains("is over") == true)
    #expect(try made.fields("a/x") == map(["n": .integer(2)]))
    try fixture.close()
  }

  @Test func `a time from before a database was made is no time of its`() async throws {
    let fixture = try StoreFixture()
    let first = try fixture.database
    try await first.commit(set("a/x", ["n": .integer(1)]))
    let version = try first.readTime()
    try fixture.store.deleteDatabase(first.id)
    let second = try fixture.database
    let refused = await refusal {
      _ = try fixture.store.startCopy(of: second.id, at: version, as: Self.copied)
    }
    #expect(refused?.code == .invalidArgument)
    #expect(try fixture.store.existingDatabase(Self.copied) == nil)
    try fixture.close()
  }

  @Test func `work on a damaged database keeps no other one waiting`() async throws {
    let fixture = try StoreFixture()
    let damaged = try fixture.database
    try await damaged.commit(set("a/x", ["n": .integer(1)]))
    let other = try fixture.store.createDatabase(Self.copied)
    let write = Write(
      name: DocumentName(database: Self.copied, path: "a/x"),
      operation: .update(DocumentFields(encoding: map(["n": .integer(2)])), mask: nil)
    )
    _ = try await other.commit(CommitProposal(writes: [write]))
    try other.declareIndex(Self.unique())
    try fixture.store.deleteDatabase(
      fixture.store.createDatabase(DatabaseID(project: "demo", database: "erased")).id
    )
    try fixture.engine.write { group in
      try group.put(MetaKey.databaseCopy(damaged.incarnation), [0xFF])
    }
    for _ in 0..<10 {
      #expect(throws: (any Error).self) { try fixture.store.performMaintenance() }
    }
    #expect(other.indexes.current.listed.map(\.state) != [.creating])
    #expect(try fixture.engine.read { try $0.get(MetaKey.retired(3)) } == nil)
    try fixture.close()
  }

  @Test func `schedules make a backup a day, and backups expire`() async throws {
    let fixture = try StoreFixture()
    let (store, id) = (fixture.store, try fixture.database.id)
    let clock = fixture.storage.clock
    let day: Int64 = 86_400_000_000
    #expect(try store.makeDueBackups() == 0)
    let daily = try store.createBackupSchedule(of: id, retention: 3 * 86_400, day: nil)
    _ = try store.createBackupSchedule(of: id, retention: 10 * 86_400, day: 7)
    let second = await refusal {
      _ = try store.createBackupSchedule(of: id, retention: 1, day: nil)
    }
    #expect(second?.code == .alreadyExists)
    var made = 0
    for _ in 0..<14 {
      made += try store.makeDueBackups()
      #expect(try store.makeDueBackups() == 0)
      clock.advance(by: day)
    }
    #expect(made == 14 + 2)
    // Those of the last two days are less than three days old, and a Sunday's one lives for ten.
    let kept = try store.databaseBackups(of: "demo")
    #expect((3...4).contains(kept.count))
    try store.deleteBackupSchedule(daily.id, of: id)
    try store.deleteDatabase(id)
    clock.advance(by: 20 * day)
    _ = try store.makeDueBackups()
    #expect(try store.databaseBackups(of: nil).isEmpty)
    #expect(await refusal { _ = try store.backupSchedules(of: id) }?.code == .notFound)
    try fixture.close()
  }
}

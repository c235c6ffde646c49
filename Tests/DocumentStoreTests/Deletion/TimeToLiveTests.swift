import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore
import Testing

@testable import DocumentStore

/// Documents that end: which go, when, and who sees the policy.
@Suite struct TimeToLiveTests {
  /// Seconds after the fixture's first moment.
  private static func time(_ seconds: Int64) -> Value {
    .timestamp(CommitVersion(microseconds: (1_800_000_000 + seconds) * 1_000_000).timestamp)
  }

  private static func path(_ number: Int) -> ResourcePath {
    ResourcePath(["s", Text("\(number)")])
  }

  private func names(in database: Database) throws -> Set<ResourcePath> {
    Set(try database.query(Query(scope: .descendants)).nextNames().paths)
  }

  /// A look for documents whose time is over, as the next one that is due.
  private func look(_ fixture: StoreFixture, after seconds: Int64) throws {
    fixture.storage.clock.advance(by: seconds * 1_000_000)
    try fixture.maintain()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `documents go when their time is over, whether they were there before the policy or not`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    try await database.commit(set("s/past", ["end": Self.time(-1)]))
    try await database.commit(set("s/soon", ["end": Self.time(100)]))
    try await database.commit(set("s/text", ["end": .string("2001-01-01T00:00:00Z")]))
    try await database.commit(set("s/list", ["end": .array([Self.time(-1)])]))
    try await database.commit(set("s/none", ["other": Self.time(-1)]))
    try await database.commit(set("t/past", ["end": Self.time(-1)]))
    try database.setTimeToLive(true, field: "end", of: "s")
    #expect(database.indexes.current.timesToLive.map(\.isActive) == [false])
    try look(fixture, after: 0)
    try look(fixture, after: 20)
    #expect(database.indexes.current.timesToLive.map(\.isActive) == [true])
    let kept: Set<ResourcePath> = ["s/soon", "s/text", "s/list", "s/none", "t/past"]
    #expect(try names(in: database) == kept)
    try await database.commit(set("a/b/s/late", ["end": Self.time(0)]))
    try look(fixture, after: 20)
    #expect(try names(in: database) == kept)
    try look(fixture, after: 100)
    #expect(try names(in: database) == kept.subtracting(["s/soon"]))
    let gone = fixture.published.all.flatMap(\.changes).filter { $0.new == nil }.map(\.path)
    #expect(gone == ["s/past", "a/b/s/late", "s/soon"])
    try fixture.close()
  }

  @Test func `a document whose time moved in the last moment stays`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try database.setTimeToLive(true, field: "end", of: "s")
    for number in 0..<20 {
      try await database.commit(set(Self.path(number), ["end": Self.time(-1)]))
    }
    // The look reads all of them, then writers are quicker with every second one.
    let now = fixture.storage.clock.clock.now()
    let due = try database.engine.read { reader in
      try database.indexes.current.declared.flatMap {
        try Expiry(database: database).documents(of: $0, upTo: now, reader)
      }
    }
    #expect(due.count == 20)
    for number in stride(from: 0, to: 20, by: 2) {
      try await database.commit(set(Self.path(number), ["end": Self.time(500)]))
    }
    try await database.commit(delete("s/1"))
    try Expiry(database: database).delete(due)
    let kept = Set(stride(from: 0, to: 20, by: 2).map(Self.path))
    #expect(try names(in: database) == kept)
    try fixture.close()
  }

  @Test func `a backlog goes in steps, and nothing is left of it`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    for start in stride(from: 0, to: 1_200, by: 400) {
      let writes = (start..<start + 400).map { set(Self.path($0), ["end": Self.time(-1)]) }
      _ = try await database.commit(CommitProposal(writes: writes))
    }
    try database.setTimeToLive(true, field: "end", of: "s")
    while try database.performIndexMaintenance() {}
    let expiry = Expiry(database: database)
    let now = fixture.storage.clock.clock.now()
    #expect(try expiry.step(now: now))
    #expect(try names(in: database).count == 700)
    #expect(try expiry.step(now: now))
    #expect(try !expiry.step(now: now))
    #expect(try names(in: database).isEmpty)
    try fixture.close()
  }

  @Test func `no query and no list sees the index of a policy`() async throws {
    let fixture = try StoreFixture { $0.requireIndexes = true }
    let database = try fixture.database
    try database.setTimeToLive(true, field: "end", of: "s")
    try await database.commit(set("s/a", ["end": Self.time(100)]))
    var query = Query(scope: .collectionGroup("s"))
    query.orders = [Order("end")]
    #expect(throws: ServiceError.self) { _ = try database.query(query).nextNames() }
    #expect(database.indexes.current.listed.isEmpty && database.indexDefinitions.indexes.isEmpty)
    let id = try #require(database.indexes.current.declared.first?.id)
    #expect(throws: ServiceError.self) { try database.deleteIndex(id) }
    // The same definition can be declared for queries.
    try database.declareIndex(
      IndexDefinition(
        collectionID: "s",
        scope: .collectionGroup,
        fields: [IndexedField("end", .ascending)]
      )
    )
    while try database.performIndexMaintenance() {}
    #expect(try database.query(query).nextNames().paths == ["s/a"])
    try fixture.close()
  }

  @Test func `one field of a collection id has a policy, which ends when it is taken away`()
    async throws
  {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try database.setTimeToLive(true, field: "end", of: "s")
    try database.setTimeToLive(true, field: "end", of: "s")
    #expect(database.indexes.current.declared.count == 1)
    #expect(throws: ServiceError.self) {
      try database.setTimeToLive(true, field: "other", of: "s")
    }
    for field in [FieldOverride.anyField, .documentName] {
      #expect(throws: ServiceError.self) {
        try database.setTimeToLive(true, field: field, of: "u")
      }
    }
    // Taking away a policy that is not there changes nothing.
    try database.setTimeToLive(false, field: "other", of: "s")
    #expect(database.indexes.current.timesToLive.count == 1)
    try database.setTimeToLive(false, field: "end", of: "s")
    try await database.commit(set("s/a", ["end": Self.time(-1)]))
    try look(fixture, after: 20)
    #expect(database.indexes.current.declared.isEmpty)
    #expect(try names(in: database) == ["s/a"])
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `a policy outlives a restart and a clearing, and older programs refuse the store`(
    _ kind: TestEngineKind
  ) async throws {
    let storage = TestStorage(kind)
    let first = try StoreFixture(storage)
    _ = try first.database
    #expect(try first.engine.read { try $0.get(MetaKey.format) } == [0, 0, 0, 1])
    try first.database.setTimeToLive(true, field: "end", of: "s")
    #expect(try first.engine.read { try $0.get(MetaKey.format) } == [0, 0, 0, 2])
    try first.close()
    let second = try StoreFixture(storage)
    #expect(try second.database.indexes.current.timesToLive.map(\.field) == ["end"])
    try second.store.clear(StoreFixture.id)
    try await second.database.commit(set("s/a", ["end": Self.time(-1)]))
    try look(second, after: 20)
    #expect(try names(in: second.database).isEmpty)
    try second.close()
  }

  @Test func `an index file says it, keeps it and takes it away`() throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    func apply(_ text: String, deletingOthers: Bool = false) throws {
      try database.apply(IndexDefinitionsFile(parsing: text), deletingOthers: deletingOthers)
    }
    func override(_ member: String) -> String {
      #"{"fieldOverrides":[{"collectionGroup":"s","fieldPath":"end",\#(member)"indexes":[]}]}"#
    }
    func expires() -> Bool { !database.indexes.current.timesToLive.isEmpty }
    try apply(override(#""ttl":true,"#))
    #expect(expires())
    let text = database.indexDefinitions.text
    #expect(text.contains(#""ttl": true"#))
    #expect(try IndexDefinitionsFile(parsing: text) == database.indexDefinitions)
    try apply(override(""))
    #expect(expires())
    try apply(override(#""ttl":false,"#))
    #expect(!expires() && !database.indexDefinitions.text.contains("ttl"))
    try database.setTimeToLive(true, field: "end", of: "s")
    try apply(override(#""ttl":true,"#), deletingOthers: true)
    #expect(expires())
    try apply(override(""), deletingOthers: true)
    #expect(!expires())
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `an offset ends documents later, outlives a restart, and changes at once`(
    _ kind: TestEngineKind
  ) async throws {
    let storage = TestStorage(kind)
    let first = try StoreFixture(storage)
    try await first.database.commit(set("s/hour", ["end": Self.time(-3_600)]))
    try await first.database.commit(set("s/now", ["end": Self.time(0)]))
    try await first.database.commit(set("s/text", ["end": .string("x")]))
    try first.database.setTimeToLive(true, offset: 3_600, field: "end", of: "s")
    #expect(try first.engine.read { try $0.get(MetaKey.format) } == [0, 0, 0, 5])
    try look(first, after: 20)
    try look(first, after: 20)
    #expect(try names(in: first.database) == ["s/now", "s/text"])
    try first.close()
    let second = try StoreFixture(storage)
    #expect(try second.database.indexes.current.timesToLive.map(\.offset) == [3_600])
    try second.store.clear(StoreFixture.id)
    #expect(try second.database.indexes.current.timesToLive.map(\.offset) == [3_600])
    try await second.database.commit(set("s/now", ["end": Self.time(0)]))
    try look(second, after: 3_500)
    #expect(try names(in: second.database) == ["s/now"])
    try second.database.setTimeToLive(true, offset: TimeToLive.maximumOffset, field: "end", of: "s")
    try look(second, after: 3_600)
    #expect(try names(in: second.database) == ["s/now"])
    #expect(try second.database.indexes.current.declared.count == 1)
    try second.database.setTimeToLive(true, field: "end", of: "s")
    try look(second, after: 20)
    #expect(try names(in: second.database).isEmpty)
    try second.close()
  }

  @Test func `a policy without an offset stays readable to older programs`() throws {
    let fixture = try StoreFixture()
    try fixture.database.setTimeToLive(true, field: "end", of: "s")
    try fixture.database.setTimeToLive(true, offset: 0, field: "end", of: "s")
    #expect(try fixture.engine.read { try $0.get(MetaKey.format) } == [0, 0, 0, 2])
    try fixture.close()
  }

  @Test func `other offsets are refused`() throws {
    let wrong: [(Int64, Int)] = [
      (-1, 0), (0, 1), (5, 500_000_000), (Int64(Int32.max) + 1, 0), (.max, 0), (.min, 0), (1, -1),
    ]
    for (seconds, nanoseconds) in wrong {
      #expect(throws: ServiceError.self) {
        try TimeToLive.checkOffset(seconds: seconds, nanoseconds: nanoseconds)
      }
    }
    #expect(try TimeToLive.checkOffset(seconds: Int64(Int32.max), nanoseconds: 0) == 2_147_483_647)
  }

  @Test func `an index file has the offset, keeps it and changes it`() throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    func apply(_ members: String, deletingOthers: Bool = false) throws {
      let text =
        #"{"fieldOverrides":[{"collectionGroup":"s","fieldPath":"end",\#(members)"indexes":[]}]}"#
      let file = try IndexDefinitionsFile(parsing: text)
      try database.apply(file, deletingOthers: deletingOthers)
    }
    func offsets() -> [UInt32] { database.indexes.current.timesToLive.map(\.offset) }
    try apply(#""ttl":true,"ttlOffset":"604800s","#)
    #expect(offsets() == [604_800])
    let text = database.indexDefinitions.text
    #expect(text.contains(#""ttlOffset": "604800s""#))
    #expect(try IndexDefinitionsFile(parsing: text) == database.indexDefinitions)
    try apply(#""ttl":true,"#)
    try apply("")
    #expect(offsets() == [604_800])
    try apply(#""ttl":true,"ttlOffset":"60s","#)
    #expect(offsets() == [60])
    try apply(#""ttl":true,"ttlOffset":"0s","#)
    #expect(offsets() == [0] && !database.indexDefinitions.text.contains("ttlOffset"))
    try apply(#""ttl":true,"ttlOffset":"60s","#)
    try apply(#""ttl":true,"#, deletingOthers: true)
    #expect(offsets() == [0])
    for wrong in [#""60""#, #""-1s""#, #""1.5s""#, #""2147483648s""#, "60", #""s""#] {
      #expect(throws: ServiceError.self) { try apply(#""ttl":true,"ttlOffset":\#(wrong),"#) }
    }
    #expect(throws: ServiceError.self) { try apply(#""ttlOffset":"60s","#) }
    #expect(throws: ServiceError.self) { try apply(#""ttl":false,"ttlOffset":"60s","#) }
    #expect(offsets() == [0])
    try fixture.close()
  }

  @Test func `a protected database stays`() throws {
    let fixture = try StoreFixture()
    _ = try fixture.database
    try fixture.store.protect(StoreFixture.id, true)
    #expect(throws: ServiceError.self) { try fixture.store.deleteDatabase(StoreFixture.id) }
    #expect(try fixture.store.listDatabases().map(\.isProtected) == [true])
    try fixture.store.clear(StoreFixture.id)
    #expect(try fixture.store.listDatabases().map(\.isProtected) == [true])
    try fixture.store.protect(StoreFixture.id, false)
    try fixture.store.deleteDatabase(StoreFixture.id)
    #expect(try fixture.store.listDatabases().isEmpty)
    #expect(throws: ServiceError.self) { try fixture.store.protect(StoreFixture.id, true) }
    try fixture.close()
  }
}

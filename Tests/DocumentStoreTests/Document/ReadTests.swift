import Testing

@testable import DocumentStore

@Suite struct ReadTests {
  @Test(arguments: TestEngineKind.allCases)
  func `memory answers for documents that were just written`(_ kind: TestEngineKind) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    try await database.commit(set("a/x", ["n": .integer(1)]))
    guard case .found(let record) = database.getCached("a/x") else {
      Issue.record("not in memory")
      return
    }
    #expect(record == (try database.get("a/x")))
    if case .found = database.getCached("a/y") { Issue.record("found what is missing") }
    try fixture.close()
  }

  @Test func `a batch is answered in its order, duplicates and missing documents included`()
    async throws
  {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let version = try await database.commit(set("a/x", ["n": .integer(1)])).version
    let result = try await database.batchGet(["a/y", "a/x", "a/x"])
    #expect(result.items.map(\.path) == ["a/y", "a/x", "a/x"])
    #expect(result.items.map { $0.record?.updateTime } == [nil, version, version])
    #expect(result.readTime >= version)
    #expect(result.newTransaction == nil)
    try fixture.close()
  }

  @Test func `a transaction begun by a read goes on with its token`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("a/x", ["n": .integer(1)]))
    let result = try await database.batchGet(["a/x"], .newTransaction(.readWrite()))
    let id = try #require(result.newTransaction)
    let other = try await database.batchGet(["a/y"], .transaction(id))
    #expect(other.readTime == result.readTime)
    #expect(other.newTransaction == nil)
    try await database.commit(set("a/x", ["n": .integer(2)]), in: id)
    #expect(try database.fields("a/x") == map(["n": .integer(2)]))
    try fixture.close()
  }

  @Test func `a transaction whose first read fails is not left behind`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let key = DocumentKey("a/broken", in: database.incarnation).bytes
    try fixture.engine.write { try $0.put(key, [1]) }
    for mode in [ConcurrencyMode.optimistic, .pessimistic] {
      let error = await refusal {
        _ = try await database.batchGet(["a/broken"], .newTransaction(.readWrite(mode: mode)))
      }
      #expect(error?.code == .dataLoss)
    }
    #expect(database.transactions.count == 0 && database.locks.isIdle)
    try fixture.close()
  }

  @Test func `request times are whole milliseconds that no later commit falls below`()
    async throws
  {
    let fixture = try StoreFixture()
    fixture.storage.clock.advance(by: 999)
    let database = try fixture.database
    let time = try database.requestTime()
    let version = try await database.commit(set("a/x", [:])).version
    #expect(time.microseconds.isMultiple(of: 1_000))
    #expect(time <= version.timestamp)
    try fixture.close()
  }

  @Test func `numeric ids are documents like others`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("a/__id-7__", ["n": .integer(1)]), set("a/-7", [:]))
    #expect(try database.fields("a/__id-7__") == map(["n": .integer(1)]))
    #expect(try database.fields("a/-7") == map([:]))
    #expect(try database.verify { Issue.record("\($0)") }.documents == 2)
    try fixture.close()
  }
}

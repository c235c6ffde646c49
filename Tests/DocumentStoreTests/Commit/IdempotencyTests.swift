import BaseStatus
import Dispatch
import FirestoreModel
import KeyValueStore
import Synchronization
import Testing

@testable import DocumentStore

/// Commits that their authors send again.
@Suite struct IdempotencyTests {
  private func request(
    _ key: UInt8,
    _ writes: Write...,
    judge: CommitJudge? = nil
  ) throws -> CommitProposal {
    let key = try #require(IdempotencyKey(digest: Array(repeating: key, count: 32)))
    return CommitProposal(writes: writes, judge: judge, idempotencyKey: key)
  }

  private func counting(_ path: ResourcePath = "c/n") -> Write {
    let increment = FieldTransform(field: "n", operation: .increment(.integer(1)))
    return set(path, [:], mask: [], transforms: [increment])
  }

  private func keys(_ space: KeySpace, _ database: Database) throws -> Int {
    try database.engine.read { snapshot in
      let range = KeyRange(prefix: space.prefix(database.incarnation))
      let cursor = try snapshot.cursor(over: range, reversed: false)
      var count = 0
      while try cursor.next() { count += 1 }
      return count
    }
  }

  @Test(arguments: TestEngineKind.allCases)
  func `of many commits that race with one key one is applied and all are answered alike`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    for round in UInt8(1)...10 {
      let request = try request(round, counting(), delete("c/none"), counting("c/other"))
      let outcomes = try await withThrowingTaskGroup(of: CommitOutcome.self) { group in
        for _ in 0..<20 { group.addTask { try await database.commit(request) } }
        return try await group.reduce(into: Set<CommitOutcome>()) { $0.insert($1) }
      }
      let outcome = try #require(outcomes.first)
      #expect(outcomes.count == 1)
      let count = Value.integer(Int64(round))
      #expect(outcome.results.map(\.transformResults) == [[count], [], [count]])
      #expect(outcome.results.map(\.updateTime) == [outcome.version, nil, outcome.version])
      #expect(try database.fields("c/n") == map(["n": count]))
    }
    #expect(fixture.published.all.count == 10)
    #expect(try database.verify { Issue.record("\($0)") }.differences == 0)
    try fixture.close()
  }

  @Test func `an answer survives a restart`() async throws {
    let storage = TestStorage(.rocksDB)
    let first = try StoreFixture(storage)
    let request = try request(1, counting())
    let outcome = try await first.database.commit(request)
    try first.close()
    let second = try StoreFixture(storage)
    #expect(try await second.database.commit(request) == outcome)
    #expect(try second.database.fields("c/n") == map(["n": .integer(1)]))
    try second.close()
  }

  @Test func `keys and databases have answers of their own`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let one = try await database.commit(request(1, counting()))
    #expect(try await database.commit(request(2, counting())) != one)
    #expect(try database.fields("c/n") == map(["n": .integer(2)]))
    let other = DatabaseID(project: "other")
    let increment = counting()
    let name = DocumentName(database: other, path: "c/n")
    let write = Write(
      name: name,
      operation: increment.operation,
      transforms: increment.transforms,
      precondition: nil
    )
    _ = try await fixture.store.database(other).commit(request(1, write))
    #expect(try fixture.store.database(other).fields("c/n") == map(["n": .integer(1)]))
    try fixture.close()
  }

  @Test func `what is repeated is not judged, even if it would be refused now`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let judged = Mutex(0)
    let request = try request(1, create("c/x", ["n": .integer(1)])) { preview in
      judged.withLock { $0 += 1 }
      guard preview.before(write: 0) == nil else { throw ServiceError(.permissionDenied, "no") }
    }
    let outcome = try await database.commit(request)
    #expect(try await database.commit(request) == outcome)
    #expect(judged.withLock { $0 } == 1)
    try fixture.close()
  }

  /// The commit is applied by somebody else while its judge looks at it.
  @Test func `what was applied while it was refused is answered`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let plain = try request(1, create("c/x", ["n": .integer(1)]))
    let applied = DispatchSemaphore(value: 0)
    var late = plain
    late.judge = { _ in
      database.commit(plain) { _ in applied.signal() }
      #expect(applied.wait(timeout: .now() + 600) == .success)
      throw ServiceError(.permissionDenied, "no")
    }
    let outcome = try await database.commit(late)
    #expect(try await database.commit(plain) == outcome)
    #expect(fixture.published.all.count == 1)
    try fixture.close()
  }

  @Test(arguments: [false, true])
  func `a refusal is not kept`(inGroup: Bool) async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("c/x", [:]))
    var request = try request(1, create("c/x", [:])) { _ in }
    request.isJudgedInGroup = inGroup
    let sent = request
    #expect(await refusal { _ = try await database.commit(sent) }?.code == .alreadyExists)
    #expect(try keys(.answer, database) == 0)
    try await database.commit(delete("c/x"))
    _ = try await database.commit(sent)
    #expect(try keys(.answer, database) == 1)
    try fixture.close()
  }

  @Test func `a key is refused for a commit of another number of writes`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    _ = try await database.commit(request(1, counting()))
    let error = await refusal {
      _ = try await database.commit(request(1, counting(), counting()))
    }
    #expect(error?.code == .invalidArgument)
    #expect(try database.fields("c/n") == map(["n": .integer(1)]))
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `answers are kept for the retention and then swept`(_ kind: TestEngineKind) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    // More than one step removes, and one that changed nothing.
    _ = try await database.commit(request(255, delete("c/none")))
    for number in 0..<600 {
      let digest = [UInt8(number >> 8), UInt8(number & 255)] + Array(repeating: 7, count: 30)
      let key = try #require(IdempotencyKey(digest: digest))
      _ = try await database.commit(CommitProposal(writes: [counting()], idempotencyKey: key))
    }
    fixture.storage.clock.advance(by: 3_599_000_000)
    try fixture.maintain()
    #expect(try keys(.answer, database) == 601)
    fixture.storage.clock.advance(by: 2_000_000)
    let late = try await database.commit(request(1, counting()))
    try fixture.maintain()
    #expect(try keys(.answer, database) == 1)
    #expect(try keys(.answerAge, database) == 1)
    #expect(try await database.commit(request(1, counting())) == late)
    #expect(try database.fields("c/n") == map(["n": .integer(601)]))
    #expect(try database.verify { Issue.record("\($0)") }.differences == 0)
    try fixture.close()
  }

  @Test(arguments: [KeySpace.answer, .answerAge])
  func `an answer without its age is reported, and an age without its answer`(
    _ space: KeySpace
  ) async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    _ = try await database.commit(request(1, counting()))
    try database.engine.write { group in
      let range = KeyRange(prefix: space.prefix(database.incarnation))
      let cursor = try group.cursor(over: range, reversed: false)
      #expect(try cursor.next())
      try group.delete([UInt8](cursor.key))
    }
    var found: Set<StoreDifference.Kind> = []
    _ = try database.verify { found.insert($0.kind) }
    #expect(found == [.damagedRecord])
    try fixture.close()
  }
}

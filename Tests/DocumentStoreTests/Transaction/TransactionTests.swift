import BaseStatus
import FirestoreModel
import KeyValueStore
import Synchronization
import Testing

@testable import DocumentStore

@Suite struct TransactionTests {
  private static let over = "The referenced transaction has expired or is no longer valid."
  private static let contention = "Too much contention on these documents. Please try again."

  @Test(arguments: TestEngineKind.allCases)
  func `all reads of a transaction see one version`(_ kind: TestEngineKind) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    try await database.commit(set("a/x", ["n": .integer(1)]), set("a/y", ["n": .integer(1)]))
    let id = try database.beginTransaction(.readWrite(mode: .optimistic))
    #expect(try await database.read("a/x", in: id) == map(["n": .integer(1)]))
    try await database.commit(
      set("a/x", ["n": .integer(2)]),
      delete("a/y"),
      set("a/z", ["n": .integer(2)])
    )
    #expect(try await database.read("a/x", in: id) == map(["n": .integer(1)]))
    #expect(try await database.read("a/y", in: id) == map(["n": .integer(1)]))
    #expect(try await database.read("a/z", in: id) == nil)
    let error = await refusal { try await database.commit(set("b/x", [:]), in: id) }
    #expect(error?.code == .aborted && error?.message == Self.contention)
    #expect(try database.get("b/x") == nil)
    try fixture.close()
  }

  @Test func `a document read as missing and created since is a conflict`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let id = try database.beginTransaction(.readWrite(mode: .optimistic))
    #expect(try await database.read("a/x", in: id) == nil)
    try await database.commit(create("a/x", [:]))
    let error = await refusal { try await database.commit(create("a/x", [:]), in: id) }
    #expect(error?.code == .aborted)
    try fixture.close()
  }

  @Test func `tokens say how their transaction ended`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let committed = try database.beginTransaction(.readWrite())
    try await database.commit(in: committed)
    let rolledBack = try database.beginTransaction(.readWrite())
    try database.rollback(rolledBack)
    let refused = try database.beginTransaction(.readWrite())
    _ = await refusal { try await database.commit(set("a/x", [:], if: .exists(true)), in: refused) }
    let cases: [(TransactionID, StatusCode, String)] = [
      (committed, .aborted, Self.over),
      (rolledBack, .aborted, Self.over),
      (refused, .invalidArgument, Self.over),
      (TransactionID([1, 2, 3]), .invalidArgument, "Invalid transaction."),
    ]
    for (id, code, message) in cases {
      let error = await refusal { _ = try await database.read("a/x", in: id) }
      #expect(error?.code == code && error?.message == message)
      let commit = await refusal { try await database.commit(in: id) }
      #expect(commit?.code == code && commit?.message == message)
    }
    try database.rollback(rolledBack)
    try database.rollback(refused)
    #expect(await refusal { try database.rollback(committed) }?.code == .aborted)
    #expect(await refusal { try database.rollback(TransactionID([9])) }?.code == .invalidArgument)
    try fixture.close()
  }

  @Test func `a transaction ends when it idles and when it lasts too long`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let clock = fixture.storage.clock
    let idle = try database.beginTransaction(.readWrite())
    clock.advance(by: 59_999_999)
    #expect(try await database.read("a/x", in: idle) == nil)
    clock.advance(by: 60_000_000)
    let error = await refusal { _ = try await database.read("a/x", in: idle) }
    #expect(error?.code == .aborted && error?.message == Self.over)
    try database.rollback(idle)

    let long = try database.beginTransaction(.readWrite())
    for _ in 0..<5 {
      clock.advance(by: 50_000_000)
      #expect(try await database.read("a/x", in: long) == nil)
    }
    clock.advance(by: 20_000_000)
    try fixture.maintain()
    #expect(await refusal { try await database.commit(in: long) }?.message == Self.over)

    clock.advance(by: 300_000_000)
    try fixture.maintain()
    #expect(
      await refusal { try await database.commit(in: long) }?.message == "Invalid transaction."
    )
    try fixture.close()
  }

  @Test func `a read-only transaction reads a past version and writes nothing`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let version = try await database.commit(set("a/x", ["n": .integer(1)])).version
    try await database.commit(set("a/x", ["n": .integer(2)]))
    let id = try database.beginTransaction(.readOnly(readTime: version))
    #expect(try await database.read("a/x", in: id) == map(["n": .integer(1)]))
    try await database.commit(in: id)
    let other = try database.beginTransaction(.readOnly())
    let error = await refusal { try await database.commit(set("a/x", [:]), in: other) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == "Cannot modify entities in a read-only transaction.")
    try fixture.close()
  }

  @Test func `a transaction that never was, or reads alone, cannot be retried`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let reading = try database.beginTransaction(.readOnly())
    for id in [reading, TransactionID([1])] {
      let error = await refusal { _ = try database.beginTransaction(.readWrite(retrying: id)) }
      #expect(error?.message == "Invalid retry transaction.")
    }
    try fixture.close()
  }

  @Test func `a retry leaves a transaction that is under way as it is`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let first = try database.beginTransaction(.readWrite())
    #expect(try await database.read("a/x", in: first) == nil)
    let second = try database.beginTransaction(.readWrite(retrying: first))
    #expect(try await database.read("a/y", in: second) == nil)
    try await database.commit(set("a/x", ["by": .integer(1)]), in: first)
    try await database.commit(set("a/y", ["by": .integer(2)]), in: second)
    #expect(try database.fields("a/x") == map(["by": .integer(1)]))
    #expect(try database.fields("a/y") == map(["by": .integer(2)]))
    #expect(database.locks.isIdle)
    try fixture.close()
  }

  @Test(arguments: [Transaction.End.committed, .rolledBack, .refused, .expired])
  func `a retry takes the age of a transaction however it ended`(
    _ end: Transaction.End
  ) async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let first = try database.transactions.begin(.readWrite())
    database.transactions.end(first, end)
    let between = try database.transactions.begin(.readWrite())
    let retry = try database.transactions.begin(.readWrite(retrying: first.id))
    #expect(retry.owner.age == first.owner.age)
    #expect(retry.owner.age < between.owner.age)
    #expect(retry.isRetry == (end != .committed))
    try fixture.close()
  }

  /// A client that shares one function among its tasks names the transaction that any of them began first.
  @Test(arguments: TestEngineKind.allCases)
  func `transactions that all name the same first attempt lose nothing`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    try await database.commit(set("a/hot", ["n": .integer(0)]))
    let shared = SharedAttempt()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20 { try await Self.increment(database, naming: shared) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try database.fields("a/hot") == map(["n": .integer(160)]))
    #expect(database.locks.isIdle)
    try fixture.close()
  }

  private static func increment(
    _ database: Database,
    naming shared: SharedAttempt
  ) async throws {
    shared.id.withLock { $0 = nil }
    for _ in 1...200 {
      let earlier = shared.id.withLock { $0 }
      let id = try database.beginTransaction(.readWrite(retrying: earlier))
      shared.id.withLock { $0 = $0 ?? id }
      do {
        guard case .integer(let n)? = try await database.read("a/hot", in: id)?["n"] else {
          throw ServiceError(.internalError, "the counter is gone")
        }
        try await database.commit(set("a/hot", ["n": .integer(n + 1)]), in: id)
        return
      } catch let error as ServiceError where error.code == .aborted {
        continue
      }
    }
    throw ServiceError(.aborted, "no attempt got through")
  }

  @Test func `a plain commit waits for a pessimistic reader and goes on when it is done`()
    async throws
  {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("a/x", ["n": .integer(1)]))
    let id = try database.beginTransaction(.readWrite())
    #expect(try await database.read("a/x", in: id) == map(["n": .integer(1)]))
    async let plain = database.commit(set("a/x", ["n": .integer(10)]))
    while !Task.isCancelled, database.locks.waiting == 0 { await Task.yield() }
    let outcome = try await database.commit(set("a/x", ["n": .integer(2)]), in: id)
    #expect(try await plain.version > outcome.version)
    #expect(try database.fields("a/x") == map(["n": .integer(10)]))
    #expect(fixture.published.all.map(\.changes.count) == [1, 1, 1])
    try fixture.close()
  }

  @Test func `a wait longer than the time-out is refused`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let id = try database.beginTransaction(.readWrite())
    #expect(try await database.read("a/x", in: id) == nil)
    async let refused = refusal { try await database.commit(set("a/x", [:])) }
    while !Task.isCancelled, database.locks.waiting == 0 { await Task.yield() }
    fixture.storage.clock.advance(by: 19_999_999)
    try fixture.maintain()
    #expect(database.locks.waiting == 1)
    fixture.storage.clock.advance(by: 1)
    try fixture.maintain()
    let error = await refused
    #expect(error?.code == .aborted && error?.message == Self.contention)
    try fixture.close()
  }

  @Test func `two readers that both write: one is aborted at once, the other commits`()
    async throws
  {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let first = try database.beginTransaction(.readWrite())
    let second = try database.beginTransaction(.readWrite())
    _ = try await database.read("a/x", in: first)
    _ = try await database.read("a/x", in: second)
    async let winner = database.commit(set("a/x", ["by": .integer(1)]), in: first)
    while !Task.isCancelled, database.locks.waiting == 0 { await Task.yield() }
    let error = await refusal { try await database.commit(set("a/x", [:]), in: second) }
    #expect(error?.code == .aborted && error?.message == Self.contention)
    _ = try await winner
    #expect(try database.fields("a/x") == map(["by": .integer(1)]))
    try fixture.close()
  }

  /// The official server clients' loop: begin, read, commit; on ABORTED begin again as a retry.
  @Test(arguments: TestEngineKind.allCases)
  func `sixteen contenders on one document all get through, and nothing is lost`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    try await database.commit(set("a/hot", ["n": .integer(0)]))
    let rounds = 20
    let attempts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<16 {
        group.addTask {
          var attempts = 0
          for _ in 0..<rounds { attempts += try await Self.increment(database) }
          return attempts
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(try database.fields("a/hot") == map(["n": .integer(Int64(16 * rounds))]))
    #expect(attempts < 16 * rounds * 5)
    #expect(database.locks.isIdle)
    try fixture.close()
  }

  private static func increment(_ database: Database) async throws -> Int {
    var previous: TransactionID?
    for attempt in 1...50 {
      let id = try database.beginTransaction(.readWrite(retrying: previous))
      do {
        guard case .integer(let n)? = try await database.read("a/hot", in: id)?["n"] else {
          throw ServiceError(.internalError, "the counter is gone")
        }
        try await database.commit(set("a/hot", ["n": .integer(n + 1)]), in: id)
        return attempt
      } catch let error as ServiceError where error.code == .aborted {
        previous = id
        try database.rollback(id)
      }
    }
    throw ServiceError(.internalError, "a contender starved")
  }

  @Test func `ranges that a transaction read conflict with what enters and what leaves them`()
    async throws
  {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("a/b", ["n": .integer(1)]), set("a/d", ["n": .integer(1)]))
    let range = KeyRange(
      lower: DocumentKey("a/b", in: database.incarnation).bytes,
      upper: DocumentKey("a/d", in: database.incarnation).bytes
    )
    let reads: [TrackedRead] = [
      .keys(range, collectionID: "a"),
      .keys(range, collectionID: nil),
      .names(collectionID: "a", lower: "a/b", upper: "a/d"),
      .names(collectionID: nil, lower: "a/b", upper: "a/d"),
    ]
    let disturbances: [(Write, Bool)] = [
      (set("a/c", ["n": .integer(1)]), true),
      (set("a/b", ["n": .integer(2)]), true),
      (delete("a/b"), true),
      (set("a/d", ["n": .integer(3)]), false),
      (set("a/a", [:]), false),
      (set("a/c/b/x", [:]), false),
      (delete("a/d"), false),
    ]
    for (write, conflicts) in disturbances {
      for read in reads {
        let pessimism = ConcurrencyMode.optimistic
        let access = try database.beginRead(.newTransaction(.readWrite(mode: pessimism)))
        let id = try #require(access.newTransaction)
        try access.view { _ in }
        try access.record(read)
        try await database.commit(write)
        try await database.commit(set("z/z", ["n": .integer(.random(in: 0...(.max)))]))
        let error = await refusal { try await database.commit(set("z/y", [:]), in: id) }
        // Names without a collection id take in what lies below them.
        let isBelow = write.name.path == "a/c/b/x" && read == reads.last
        #expect((error?.code == .aborted) == (conflicts || isBelow), "\(write) against \(read)")
        try await database.commit(
          set("a/b", ["n": .integer(1)]),
          set("a/d", ["n": .integer(1)]),
          Write(name: name("a/a"), operation: .delete)
        )
        try await restore(write, database)
      }
    }
    try fixture.close()
  }

  /// Undoes a disturbance, so that the next one changes something.
  private func restore(_ write: Write, _ database: Database) async throws {
    let path = write.name.path
    switch (write.operation, path) {
    case (.delete, "a/c"): try await database.commit(set("a/c", ["n": .integer(1)]))
    case (_, "a/c"): try await database.commit(delete("a/c"))
    case (_, "a/c/b/x"): try await database.commit(delete("a/c/b/x"))
    default: break
    }
  }
}

/// The transaction that tasks of one client take for the last attempt of each.
private final class SharedAttempt: Sendable {
  let id = Mutex<TransactionID?>(nil)
}

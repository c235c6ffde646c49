import BaseStatus
import BaseText
import FirestoreModel
import ModelTestSupport
import Testing

@testable import DocumentStore

@Suite struct TransferTests {
  private static let accounts = 6
  private static let cases = TestEngineKind.allCases.flatMap { kind in
    [ConcurrencyMode.optimistic, .pessimistic].map { (kind, $0) }
  }

  /// Money goes from account to account while others look on; it never becomes more or less.
  @Test(arguments: cases)
  func `transfers of many clients keep the sum at every version`(
    _ kind: TestEngineKind,
    _ mode: ConcurrencyMode
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    for number in 0..<Self.accounts {
      try await database.commit(set(Self.account(number), ["n": .integer(100)]))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          var random = SeededSource(seed: UInt64(task))
          for _ in 0..<25 { try await Self.transfer(database, mode, &random) }
        }
      }
      group.addTask {
        for _ in 0..<100 {
          let sum = try await Self.sum(database)
          #expect(sum == Int64(Self.accounts * 100))
        }
      }
      try await group.waitForAll()
    }
    let sum = try await Self.sum(database)
    #expect(sum == Int64(Self.accounts * 100))
    #expect(database.locks.isIdle && database.transactions.count == 0)
    #expect(try database.verify { Issue.record("\($0)") }.differences == 0)
    try fixture.close()
  }

  /// The youngest of a circle gives way, and whoever gave way keeps his age: so the number of attempts
  /// follows the number of contenders, though these read one account after the other, in any order.
  @Test(arguments: [1, 2, 3])
  func `transfers that close circles get through in a few attempts each`(_ seed: Int) async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let contenders = 8
    for number in 0..<3 {
      try await database.commit(set(Self.account(number), ["n": .integer(100)]))
    }
    let most = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<contenders {
        group.addTask {
          var random = SeededSource(seed: UInt64(seed * 100 + task))
          var most = 0
          for _ in 0..<25 {
            let pair = (0..<3).shuffled(using: &random).prefix(2).map(Self.account)
            let attempts = try await Self.transfer(pair, .pessimistic, database, oneByOne: true)
            most = max(most, attempts)
          }
          return most
        }
      }
      return try await group.reduce(0, max)
    }
    #expect(most <= 2 * contenders, "seed \(seed)")
    #expect(database.locks.isIdle && database.transactions.count == 0)
    try fixture.close()
  }

  /// A query takes its documents' locks without waiting for them, so its transaction may be refused
  /// where one that names its documents would have waited; it gets through all the same.
  @Test func `contenders that find their document by a query get through`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    try await database.commit(set("a/hot", ["n": .integer(0)]))
    let contenders = 8
    let most = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<contenders {
        group.addTask {
          var most = 0
          for _ in 0..<25 { most = max(most, try await Self.incrementFound(database)) }
          return most
        }
      }
      return try await group.reduce(0, max)
    }
    #expect(try database.fields("a/hot") == map(["n": .integer(Int64(contenders * 25))]))
    #expect(most <= 2 * contenders, "\(most) attempts")
    #expect(database.locks.isIdle && database.transactions.count == 0)
    try fixture.close()
  }

  /// Adds one to the document that a query finds; answers how many attempts it took.
  private static func incrementFound(_ database: Database) async throws -> Int {
    var query = Query(scope: .collection("a"))
    query.filter = .field(FieldPath(["n"]), .greaterThanOrEqual, .integer(0))
    var previous: TransactionID?
    for attempt in 1...1_000 {
      let id = try database.beginTransaction(.readWrite(retrying: previous))
      do {
        let read = try await database.reading(.transaction(id))
        let found = try database.query(try query.normalized(), read: read).next().documents
        guard case .integer(let n)? = found.first?.fields.decoded()["n"] else {
          throw ServiceError(.internalError, "the counter is gone")
        }
        try await database.commit(set("a/hot", ["n": .integer(n + 1)]), in: id)
        return attempt
      } catch let error as ServiceError where error.code == .aborted {
        previous = id
        try database.rollback(id)
      }
    }
    Issue.record("a contender starved")
    return .max
  }

  private static func account(_ number: Int) -> ResourcePath {
    ResourcePath(["accounts", Text("\(number)")])
  }

  private static func sum(_ database: Database) async throws -> Int64 {
    let paths = (0..<accounts).map(account)
    return try await database.batchGet(paths).items.reduce(0) { sum, item in
      guard case .integer(let n)? = item.record?.fields.decoded()["n"] else { return sum }
      return sum + n
    }
  }

  private static func transfer(
    _ database: Database,
    _ mode: ConcurrencyMode,
    _ random: inout SeededSource
  ) async throws {
    let pair = (0..<accounts).shuffled(using: &random).prefix(2).map(account)
    _ = try await transfer(pair, mode, database)
  }

  /// Moves one from the first account to the second; answers how many attempts it took.
  private static func transfer(
    _ pair: [ResourcePath],
    _ mode: ConcurrencyMode,
    _ database: Database,
    oneByOne: Bool = false
  ) async throws -> Int {
    let reads = oneByOne ? pair.map { [$0] } : [pair]
    var previous: TransactionID?
    // Clients pause before they try again; without a pause optimistic ones take far more attempts.
    for attempt in 1...20_000 {
      let options = TransactionKind.readWrite(mode: mode, retrying: previous)
      let id = try database.beginTransaction(options)
      do {
        var amounts: [Int64] = []
        for read in reads {
          for item in try await database.batchGet(read, .transaction(id)).items {
            guard case .integer(let n)? = item.record?.fields.decoded()["n"] else { continue }
            amounts.append(n)
          }
        }
        try await database.commit(
          set(pair[0], ["n": .integer(amounts[0] - 1)]),
          set(pair[1], ["n": .integer(amounts[1] + 1)]),
          in: id
        )
        return attempt
      } catch let error as ServiceError where error.code == .aborted {
        previous = id
        try database.rollback(id)
      }
    }
    Issue.record("a transfer starved")
    return .max
  }
}

import BaseStatus
import BaseText
import Testing

@testable import DocumentStore

/// Transactions of callers under rules: no caller keeps all of them from others.
@Suite struct TransactionSharesTests {
  private static let exhausted =
    "This caller has too many transactions in progress. Try again later."

  private func fixture() throws -> StoreFixture {
    try StoreFixture { $0.maximumTransactions = 400 }
  }

  private func holder(_ account: Text?, _ network: String) -> TransactionHolder {
    TransactionHolder(account: account, network: network)
  }

  /// Begins as many as the caller gets.
  private func fill(_ database: Database, _ holder: TransactionHolder) throws -> [TransactionID] {
    var begun: [TransactionID] = []
    while begun.count < 1_000 {
      do throws(any Error) {
        begun.append(try database.beginTransaction(.readOnly(), holder: holder))
      } catch let error as ServiceError {
        #expect(error.code == .resourceExhausted && error.message == Self.exhausted)
        return begun
      }
    }
    return begun
  }

  @Test func `one caller holds a part of the transactions, others get theirs`() throws {
    let fixture = try fixture()
    let database = try fixture.database
    // Of 300 a network gets half, an account a third.
    let nobody = try fill(database, holder(nil, "a"))
    #expect(nobody.count == 150)
    #expect(try fill(database, holder(nil, "b")).count == 75)
    #expect(try fill(database, holder("alice", "c")).count == 25)
    #expect(try fill(database, holder("bob", "c")).count == 9)
    // One more account from elsewhere, while everybody holds what they can.
    #expect(try fill(database, holder("carol", "d")).count == 14)
    // An account's share is one, wherever it calls from.
    #expect(try fill(database, holder("alice", "e")).count == 1)
    for id in nobody { try database.rollback(id) }
    #expect(try fill(database, holder("alice", "e")).count > 20)
    try fixture.close()
  }

  @Test func `administrators begin transactions whatever callers under rules hold`() throws {
    let fixture = try fixture()
    let database = try fixture.database
    for number in 0..<40 { _ = try fill(database, holder(nil, "\(number)")) }
    for _ in 0..<100 { _ = try database.beginTransaction(.readWrite()) }
    try fixture.close()
  }

  @Test func `what ends gives its slot back, however it ends`() async throws {
    let fixture = try fixture()
    let database = try fixture.database
    let who = holder("alice", "a")
    for _ in 0..<3 {
      let begun = try fill(database, who)
      #expect(begun.count == 100)
      for id in begun.prefix(50) { try database.rollback(id) }
      for id in begun.dropFirst(50).prefix(25) { try await database.commit(in: id) }
      fixture.storage.clock.advance(by: 60_000_000)
      try fixture.maintain()
    }
    try fixture.close()
  }

  @Test func `idle transactions of callers under rules end sooner under pressure`() async throws {
    let fixture = try fixture()
    let database = try fixture.database
    let clock = fixture.storage.clock
    let own = try database.beginTransaction(.readWrite())
    _ = try fill(database, holder(nil, "a"))
    clock.advance(by: 30_000_000)
    try fixture.maintain()
    // Half of the slots are free: nothing presses.
    #expect(try fill(database, holder(nil, "a")).isEmpty)
    for number in 0..<10 { _ = try fill(database, holder(nil, "\(number)")) }
    clock.advance(by: 6_000_000)
    try fixture.maintain()
    #expect(try fill(database, holder(nil, "a")).count == 150)
    #expect(try await database.read("a/x", in: own) == nil)
    try fixture.close()
  }
}

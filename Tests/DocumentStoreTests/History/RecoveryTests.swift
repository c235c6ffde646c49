import BaseText
import FirestoreModel
import KeyValueStore
import Testing

@testable import DocumentStore

@Suite struct RecoveryTests {
  private static let hour: Int64 = 3_600_000_000
  private static let day: Int64 = 24 * hour

  @Test(arguments: TestEngineKind.allCases)
  func `a database with recovery is read at any time of a week, and no earlier`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind) { $0.historyBytes = 1_000 }
    let database = try fixture.database
    try fixture.store.recoverPast(StoreFixture.id, true)
    var versions: [CommitVersion] = []
    for number in 0..<14 {
      let write = set("a/x", ["n": .integer(Int64(number))])
      versions.append(try await database.commit(write).version)
      fixture.storage.clock.advance(by: Self.day / 2)
      try fixture.maintain()
    }
    for (number, version) in versions.enumerated() {
      let fields = try database.fields("a/x", at: .at(version))
      #expect(fields == map(["n": .integer(Int64(number))]))
    }
    fixture.storage.clock.advance(by: Self.hour)
    try fixture.maintain()
    let old = await refusal { _ = try database.get("a/x", at: .at(versions[0])) }
    #expect(old?.message == "The requested snapshot version is too old.")
    let fields = try database.fields("a/x", at: .at(versions[1]))
    #expect(fields == map(["n": .integer(1)]))
    let listing = try #require(try fixture.store.listDatabases().first)
    #expect(listing.recoversPast && listing.retention == 7 * Self.day)
    #expect(listing.earliestVersion > versions[0] && listing.earliestVersion <= versions[1])
    #expect(try database.verify { Issue.record("\($0)") }.differences == 0)
    try fixture.close()
  }

  @Test func `history that went before recovery was turned on does not come back`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let gone = try await database.commit(set("a/x", ["n": .integer(1)])).version
    try await database.commit(set("a/x", ["n": .integer(2)]))
    fixture.storage.clock.advance(by: 2 * Self.hour)
    try fixture.maintain()
    try fixture.store.recoverPast(StoreFixture.id, true)
    let refused = await refusal { _ = try database.get("a/x", at: .at(gone)) }
    #expect(refused?.message == "The requested snapshot version is too old.")
    let listing = try #require(try fixture.store.listDatabases().first)
    #expect(listing.earliestVersion > gone)
    try fixture.close()
  }

  @Test func `without recovery a week goes within an hour's sweep, over restarts`() async throws {
    let storage = TestStorage(.rocksDB)
    let first = try StoreFixture(storage)
    try first.store.recoverPast(first.database.id, true)
    let version = try await first.database.commit(set("a/x", ["n": .integer(1)])).version
    try await first.database.commit(set("a/x", ["n": .integer(2)]))
    try first.close()
    storage.clock.advance(by: Self.day)
    let second = try StoreFixture(storage)
    let database = try second.database
    #expect(database.recoversPast)
    try second.maintain()
    #expect(try database.fields("a/x", at: .at(version)) == map(["n": .integer(1)]))
    try second.store.recoverPast(database.id, false)
    let refused = await refusal { _ = try database.get("a/x", at: .at(version)) }
    #expect(refused?.message == "The requested snapshot version is too old.")
    try second.maintain()
    #expect(database.historyFloor > version)
    try second.store.recoverPast(database.id, true)
    let gone = await refusal { _ = try database.get("a/x", at: .at(version)) }
    #expect(gone?.message == "The requested snapshot version is too old.")
    try second.close()
  }

  @Test func `protection and recovery do not disturb each other`() throws {
    let fixture = try StoreFixture()
    let id = try fixture.database.id
    try fixture.store.protect(id, true)
    try fixture.store.recoverPast(id, true)
    var listing = try #require(try fixture.store.listDatabases().first)
    #expect(listing.isProtected && listing.recoversPast)
    try fixture.store.protect(id, false)
    listing = try #require(try fixture.store.listDatabases().first)
    #expect(!listing.isProtected && listing.recoversPast)
    try fixture.store.recoverPast(id, false)
    listing = try #require(try fixture.store.listDatabases().first)
    #expect(!listing.isProtected && !listing.recoversPast)
    try fixture.close()
  }
}

import BaseText
import DocumentCodec
import FirestoreModel
import KeyValueStore
import Testing

@testable import DocumentStore

@Suite struct HistoryTests {
  @Test(arguments: TestEngineKind.allCases)
  func `every past version inside the retention can be read`(_ kind: TestEngineKind) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    let before = try database.readTime()
    let first = try await database.commit(set("a/x", ["n": .integer(1)])).version
    let second = try await database.commit(set("a/x", ["n": .integer(2)])).version
    let third = try await database.commit(delete("a/x")).version
    let fourth = try await database.commit(set("a/x", ["n": .integer(4)])).version
    #expect(try database.get("a/x", at: .at(before)) == nil)
    #expect(try database.fields("a/x", at: .at(first)) == map(["n": .integer(1)]))
    #expect(try database.fields("a/x", at: .at(second)) == map(["n": .integer(2)]))
    #expect(try database.get("a/x", at: .at(third)) == nil)
    #expect(try database.fields("a/x", at: .at(fourth)) == map(["n": .integer(4)]))
    #expect(try database.get("a/x", at: .at(fourth))?.createTime == fourth)
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `queries find a document at every version, if a commit deleted it and made it again`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    let fields: KeyValuePairs<String, Value> = ["n": .integer(1), "same": .integer(1)]
    let first = try await database.commit(set("a/x", fields)).version
    let changed = try await database.commit(set("a/x", ["same": .integer(1)])).version
    let again = try await database.commit(delete("a/x"), set("a/x", fields)).version
    let gone = try await database.commit(delete("a/x")).version
    func found(_ field: FieldPath, at version: CommitVersion) throws -> Int {
      var query = Query(scope: .collection("a"))
      query.filter = .field(field, .equal, .integer(1))
      return try database.query(query, consistency: .at(version)).nextNames().paths.count
    }
    #expect(try [first, changed, again, gone].map { try found("n", at: $0) } == [1, 0, 1, 0])
    #expect(try [first, changed, again, gone].map { try found("same", at: $0) } == [1, 1, 1, 0])
    #expect(try database.verify { Issue.record("\($0)") }.differences == 0)
    try fixture.close()
  }

  @Test func `versions that are too old or to come are refused`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let version = try await database.commit(set("a/x", ["n": .integer(1)])).version
    let late = CommitVersion(microseconds: try database.readTime().microseconds + 1_000_000)
    let future = await refusal { _ = try database.get("a/x", at: .at(late)) }
    #expect(future?.code == .invalidArgument)
    #expect(future?.message == "The requested 'read_time' cannot be in the future.")
    fixture.storage.clock.advance(by: 3_600_000_000)
    #expect(try database.get("a/x", at: .at(version)) != nil)
    fixture.storage.clock.advance(by: 10)
    let old = await refusal { _ = try database.get("a/x", at: .at(version)) }
    #expect(old?.code == .invalidArgument)
    #expect(old?.message == "The requested snapshot version is too old.")
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `a sweep leaves nothing of what is older than the retention`(
    _ kind: TestEngineKind
  ) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    for number in 0..<300 {
      try await database.commit(
        set("a/x", ["n": .integer(Int64(number))]),
        set("b/y/c/z", ["n": .integer(Int64(number))])
      )
    }
    try await database.commit(delete("b/y/c/z"))
    let last = try await database.commit(set("a/x", ["n": .integer(-1)])).version
    fixture.storage.clock.advance(by: 3_599_000_000)
    try fixture.maintain()
    #expect(try keys(.documentHistory, database) == 600)
    fixture.storage.clock.advance(by: 2_000_000)
    try fixture.maintain()
    for space in [
      KeySpace.documentHistory, .automaticIndexHistory, .change, .commit,
    ] {
      #expect(try keys(space, database) == 0)
    }
    #expect(try keys(.collectionsOfParent, database) == 1)
    #expect(try keys(.parentsOfCollection, database) == 1)
    #expect(database.historyFloor == last)
    #expect(try database.fields("a/x") == map(["n": .integer(-1)]))
    try await database.commit(set("b/y/c/z", ["n": .integer(1)]))
    #expect(try keys(.collectionsOfParent, database) == 3)
    #expect(try database.verify { Issue.record("\($0)") }.differences == 0)
    try fixture.close()
  }

  @Test func `the oldest history goes when there is too much of it`() async throws {
    let fixture = try StoreFixture { $0.historyBytes = 20_000 }
    let database = try fixture.database
    let text = Value.string(Text(String(repeating: "x", count: 1_000)))
    var versions: [CommitVersion] = []
    for number in 0..<100 {
      versions.append(
        try await database.commit(
          set("a/x", ["n": .integer(Int64(number)), "t": text])
        ).version
      )
    }
    try fixture.maintain()
    let kept = try keys(.documentHistory, database)
    #expect((5...20).contains(kept))
    let refused = await refusal { _ = try database.get("a/x", at: .at(versions[0])) }
    #expect(refused?.message == "The requested snapshot version is too old.")
    #expect(try database.get("a/x", at: .at(versions[95]))?.updateTime == versions[95])
    #expect(try database.verify { Issue.record("\($0)") }.differences == 0)
    try fixture.close()
  }

  @Test func `the history floor survives a restart`() async throws {
    let storage = TestStorage(.rocksDB)
    let first = try StoreFixture(storage) { $0.historyBytes = 1 }
    let database = try first.database
    let version = try await database.commit(set("a/x", ["n": .integer(1)])).version
    try await database.commit(set("a/x", ["n": .integer(2)]))
    try await database.commit(set("a/x", ["n": .integer(3)]))
    try first.maintain()
    let floor = database.historyFloor
    #expect(floor > version)
    try first.close()
    let second = try StoreFixture(storage)
    #expect(try second.database.historyFloor == floor)
    let error = await refusal { _ = try second.database.get("a/x", at: .at(version)) }
    #expect(error?.message == "The requested snapshot version is too old.")
    try second.close()
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
}

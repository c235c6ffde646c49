import BaseText
import FirestoreModel
import KeyValueStore
import Testing

@testable import DocumentStore

/// Deletions of many documents: which they take, how they go on, what others see.
@Suite struct DeletionTests {
  private static let paths: [ResourcePath] = [
    "a/1", "a/2", "a/1/b/1", "a/1/b/2", "a/gone/b/1", "a/1/c/1", "ab/1", "b/1", "a!/1",
  ]

  private func filled(_ storage: TestStorage = TestStorage(.memory)) async throws -> StoreFixture {
    let fixture = try StoreFixture(storage)
    for path in Self.paths { try await fixture.database.commit(set(path, ["n": .null])) }
    return fixture
  }

  private func names(in database: Database) throws -> Set<ResourcePath> {
    let cursor = try database.query(Query(scope: .descendants))
    return Set(try cursor.nextNames().paths)
  }

  private func run(_ deletion: DocumentDeletion) throws {
    while !deletion.isDone { try deletion.step() }
  }

  static let selections: [(DocumentSelection, gone: Set<ResourcePath>)] = [
    (.collection("a", includingDescendants: false), ["a/1", "a/2"]),
    (
      .collection("a", includingDescendants: true),
      ["a/1", "a/2", "a/1/b/1", "a/1/b/2", "a/gone/b/1", "a/1/c/1"]
    ),
    (.collection("a/1/b", includingDescendants: true), ["a/1/b/1", "a/1/b/2"]),
    (.collection("none", includingDescendants: true), []),
    (.collectionGroup("b"), ["a/1/b/1", "a/1/b/2", "a/gone/b/1", "b/1"]),
    (.all, Set(paths)),
  ]

  @Test(arguments: selections)
  func `a deletion takes what it selects and leaves the rest`(
    _ selection: DocumentSelection,
    _ gone: Set<ResourcePath>
  ) async throws {
    let fixture = try await filled()
    let deletion = try DocumentDeletion(selection, in: fixture.database)
    try run(deletion)
    #expect(deletion.count == gone.count)
    #expect(try names(in: fixture.database) == Set(Self.paths).subtracting(gone))
    try fixture.close()
  }

  @Test func `observers see every deletion, and history keeps the documents`() async throws {
    let fixture = try await filled()
    let before = try fixture.database.readTime()
    fixture.storage.clock.advance(by: 1_000_000)
    try run(try DocumentDeletion(.collectionGroup("b"), in: fixture.database))
    let deleted = fixture.published.all.flatMap(\.changes).filter { $0.new == nil }.map(\.path)
    #expect(Set(deleted) == ["a/1/b/1", "a/1/b/2", "a/gone/b/1", "b/1"])
    #expect(try fixture.database.fields("b/1", at: .at(before)) == map(["n": .null]))
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `a bulk deletion goes on after a restart and ends`(_ kind: TestEngineKind) async throws {
    let storage = TestStorage(kind)
    let first = try StoreFixture(storage)
    for start in stride(from: 0, to: 10_000, by: 500) {
      let writes = (start..<start + 500).map { number in
        set(ResourcePath(["logs", Text("\(number)")]), ["n": .integer(1)])
      }
      _ = try await first.database.commit(CommitProposal(writes: writes))
    }
    try await first.database.commit(set("other/x", ["n": .null]))
    let begun = try first.database.startBulkDeletion(of: ["logs", "none"])
    #expect(begun.end == nil)
    #expect(try first.database.performBulkDeletion())
    #expect(try first.database.bulkDeletions().map(\.documents) == [8_000])
    try first.close()

    let second = try StoreFixture(storage)
    _ = try second.database
    try second.maintain()
    let ended = try #require(try second.database.bulkDeletions().first)
    #expect(ended.documents == 10_000 && ended.end != nil)
    #expect(try names(in: second.database) == ["other/x"])
    #expect(try !second.database.performBulkDeletion())
    try second.close()
  }

  @Test func `bulk deletions are bounded, and their records go with the database`() async throws {
    let fixture = try await filled()
    for _ in 0..<20 { _ = try fixture.database.startBulkDeletion(of: ["none"]) }
    let refused = await refusal { _ = try fixture.database.startBulkDeletion(of: ["none"]) }
    #expect(refused?.code == .resourceExhausted)
    let bad = await refusal { _ = try fixture.database.startBulkDeletion(of: ["a/b"]) }
    #expect(bad?.code == .invalidArgument)
    try fixture.maintain()
    for _ in 0..<100 {
      _ = try fixture.database.startBulkDeletion(of: ["none"])
      try fixture.maintain()
    }
    #expect(try fixture.database.bulkDeletions().count == 101)
    let old = try fixture.database.incarnation
    try fixture.store.clear(StoreFixture.id)
    try fixture.maintain()
    let left = try fixture.engine.read { reader in
      let prefix = MetaKey.bulkDeletions(of: old)
      return try reader.cursor(over: KeyRange(prefix: prefix), reversed: false).next()
    }
    #expect(!left)
    try fixture.close()
  }
}

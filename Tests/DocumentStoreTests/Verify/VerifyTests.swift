import KeyValueStore
import Testing

@testable import DocumentStore

@Suite struct VerifyTests {
  @Test func `a sound store has no differences and is counted right`() async throws {
    let fixture = try StoreFixture()
    let database = try await filled(fixture)
    let summary = try database.verify { Issue.record("\($0)") }
    #expect(summary.documents == 2)
    #expect(summary.indexEntries == 3)
    #expect(summary.collections == 2)
    #expect(summary.commits == 3)
    #expect(summary.changes == 4)
    #expect(summary.historyRecords == 2)
    #expect(summary.differences == 0)
    try fixture.close()
  }

  /// Damage done to the engine behind the store's back, and what verifying calls it.
  @Test(
    arguments: [
      (KeySpace.automaticIndex, StoreDifference.Kind.missingEntry),
      (.collectionsOfParent, .missingDirectoryEntry),
      (.parentsOfCollection, .missingDirectoryEntry),
      (.change, .missingChange),
      (.commit, .surplusChange),
      (.documentHistory, .missingHistory),
      (.automaticIndexHistory, .missingHistory),
    ]
  )
  func `a key that is gone is reported`(
    _ space: KeySpace,
    _ kind: StoreDifference.Kind
  ) async throws {
    let fixture = try StoreFixture()
    let database = try await filled(fixture)
    try database.engine.write { group in
      let range = KeyRange(prefix: space.prefix(database.incarnation))
      let cursor = try group.cursor(over: range, reversed: false)
      #expect(try cursor.next())
      try group.delete([UInt8](cursor.key))
    }
    var found: Set<StoreDifference.Kind> = []
    let summary = try database.verify { found.insert($0.kind) }
    #expect(found.contains(kind))
    #expect(summary.differences > 0)
    try fixture.close()
  }

  @Test func `a surplus entry, a damaged document and an empty collection are reported`()
    async throws
  {
    let fixture = try StoreFixture()
    let database = try await filled(fixture)
    let incarnation = database.incarnation
    try database.engine.write { group in
      try group.putMarker(KeySpace.automaticIndex.prefix(incarnation) + [1, 1, 0])
      try group.putMarker(KeySpace.automaticIndexHistory.prefix(incarnation) + [1, 1, 0])
      try group.put(DocumentKey("a/broken", in: incarnation).bytes, [1, 2, 3])
      try group.putMarker(DirectoryKey.ofParent("ghost", in: incarnation))
      try group.putMarker(DirectoryKey.ofCollectionID("ghost", in: incarnation))
    }
    var found: [StoreDifference] = []
    _ = try database.verify { found.append($0) }
    #expect(
      found.map(\.description) == [
        "damaged document: a/broken",
        "surplus index entry: 1 entries that no document has",
        "surplus directory entry: ghost",
        "surplus directory entry: ghost",
        "surplus history: 1 records of the index history that no change names",
      ]
    )
    try fixture.close()
  }

  private func filled(_ fixture: StoreFixture) async throws -> Database {
    let database = try fixture.database
    try await database.commit(
      set("a/x", ["n": .integer(1), "s": .string("s")]),
      set("b/y", ["n": .integer(1)])
    )
    try await database.commit(set("a/x", ["n": .integer(2), "s": .string("s")]))
    try await database.commit(set("b/y", ["n": .double(1)]))
    return database
  }
}

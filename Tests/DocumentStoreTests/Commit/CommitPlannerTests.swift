import FirestoreModel
import KeyValueStore
import Testing

@testable import DocumentStore

/// The records that the planning of a commit reads.
@Suite struct CommitPlannerTests {
  /// The number of reads that planning the writes takes.
  private func reads(
    _ writes: Write...,
    in database: Database,
    floor: CommitVersion = .zero
  ) throws -> Int {
    var count = 0
    let planner = CommitPlanner(
      incarnation: database.incarnation,
      indexes: database.indexes.current,
      requestTime: { CommitVersion.zero.timestamp },
      read: { key in
        count += 1
        return try database.engine.read { try $0.get(key) }
      },
      historyFloor: floor
    )
    _ = try planner.plan(writes)
    return count
  }

  @Test func `a deletion reads the entries of changed documents alone`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let fields: KeyValuePairs<String, Value> = ["a": .integer(1), "b": .integer(1)]
    try await database.commit(set("c/new", fields), set("c/changed", fields))
    let change = try await database.commit(set("c/changed", ["b": .integer(2)], mask: ["b"]))
    #expect(try reads(delete("c/new"), in: database) == 1)
    #expect(try reads(delete("c/changed"), in: database) == 3)
    #expect(try reads(delete("c/changed"), in: database, floor: change.version) == 1)
    // An entry may be missing while an index is built.
    let definition = try IndexDefinition(
      collectionID: "c",
      scope: .collection,
      fields: [
        IndexedField(FieldPath(["a"]), .ascending), IndexedField(FieldPath(["b"]), .ascending),
      ]
    )
    try database.declareIndex(definition)
    #expect(try reads(delete("c/new"), in: database) == 4)
    try fixture.maintain()
    #expect(try reads(delete("c/new"), in: database) == 1)
    try fixture.close()
  }
}

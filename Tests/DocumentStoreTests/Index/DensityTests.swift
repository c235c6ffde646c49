import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore
import ModelTestSupport
import Testing

@testable import DocumentStore

/// Indexes of all densities: the documents that they hold, and the queries that may use them.
struct DensityTests {
  private static let documents: [(name: String, fields: KeyValuePairs<Text, Value>)] = [
    ("both", ["a": .integer(2), "b": .integer(1)]), ("null", ["a": .null, "b": .integer(2)]),
    ("onlyA", ["a": .integer(1)]), ("onlyB", ["b": .integer(0)]), ("neither", ["x": .integer(1)]),
  ]

  private func fixture(
    _ density: IndexDensity,
    _ names: [String] = ["a", "b"],
    isUnique: Bool = false
  ) throws -> QueryFixture {
    let fixture = try QueryFixture()
    try fixture.database.declareIndex(try definition(density, names, isUnique: isUnique))
    return fixture
  }

  private func definition(
    _ density: IndexDensity,
    _ names: [String],
    isUnique: Bool = false
  ) throws -> IndexDefinition {
    try IndexDefinition(
      collectionID: "c",
      scope: .collection,
      fields: names.map { IndexedField(FieldPath([Text($0)]), .ascending) },
      isUnique: isUnique,
      density: density
    )
  }

  private func filled(_ fixture: QueryFixture) throws -> QueryFixture {
    try fixture.write(
      Self.documents.map { document in
        let entries = document.fields.map { MapValue.Entry(key: $0.key, value: $0.value) }
        return (path("c/" + document.name), MapValue(entries))
      }
    )
    return fixture
  }

  private func query(
    by names: [String],
    _ direction: Order.Direction = .ascending,
    where filter: Filter? = nil
  ) -> Query {
    var query = Query(scope: .collection("c"))
    query.orders = names.map { Order(FieldPath([Text($0)]), direction) }
    query.filter = filter
    return query
  }

  private func names(_ cursor: QueryCursor, chunk: Int = 2) throws -> [String] {
    var result: [String] = []
    while true {
      let part = try cursor.next(maxDocuments: chunk)
      result += part.documents.compactMap { $0.name.path.lastID?.string }
      if part.isDone { return result }
    }
  }

  /// The names and the plan of a query that keeps documents without the fields.
  private func lenient(
    _ fixture: QueryFixture,
    _ query: Query,
    keeping fields: Set<FieldPath>
  ) throws -> (names: [String], plan: String) {
    let cursor = try fixture.database.query(try query.normalized().keepingAbsent(fields))
    let plan = try cursor.plan().text
    return (try names(cursor), plan)
  }

  @Test(arguments: [
    (IndexDensity.sparseAll, ["both", "null"]),
    (.sparseAny, ["both", "null", "onlyA", "onlyB"]),
    (.dense, ["both", "neither", "null", "onlyA", "onlyB"]),
  ])
  func `an index holds the documents of its density`(
    density: IndexDensity,
    expected: [String]
  ) throws {
    let fixture = try filled(try fixture(density))
    let set = fixture.database.indexes.current
    let held = fixture.documents.filter { path, fields in
      set.entries(of: path, fields: DocumentFields(encoding: fields))
        .contains { $0.key[0] == IndexKey.declared }
    }
    #expect(held.keys.compactMap { $0.lastID?.string }.sorted() == expected)
    try fixture.verifyIndexes(density.name)
    // One that is built over the documents has the same entries.
    try fixture.database.declareIndex(try definition(density, ["b", "a"]))
    while try fixture.database.performIndexMaintenance() {}
    try fixture.verifyIndexes(density.name)
  }

  @Test(arguments: IndexDensity.allCases)
  func `ordinary queries find only documents with the fields`(density: IndexDensity) throws {
    let fixture = try filled(try fixture(density))
    let cursor = try fixture.database.query(query(by: ["a", "b"]))
    #expect(try cursor.plan().text.hasPrefix("index (a ASC, b ASC, __name__ ASC)"))
    #expect(try names(cursor) == ["null", "both"])
    let isNull = Filter.unary("a", .isNull)
    #expect(
      try names(fixture.database.query(query(by: ["b"], where: isNull))) == ["null"]
    )
    let sum = try fixture.database.aggregate(
      query(by: [], where: .field("a", .equal, .integer(2))),
      [Aggregation(alias: "n", operator: .sum("b"))]
    )
    #expect(sum.values.map(\.value) == [.integer(1)])
  }

  @Test func `a dense index sorts documents without the fields as null is sorted`() throws {
    let fixture = try filled(try fixture(.dense))
    let all = query(by: ["a", "b"])
    let found = try lenient(fixture, all, keeping: ["a", "b"])
    #expect(found.names == ["neither", "onlyB", "null", "onlyA", "both"])
    #expect(found.plan.hasPrefix("index (a ASC, b ASC, __name__ ASC)"))
    let back = try lenient(fixture, query(by: ["a", "b"], .descending), keeping: ["a", "b"])
    #expect(back.names == found.names.reversed())
    // What one field must have is still asked for.
    #expect(
      try lenient(fixture, all, keeping: ["b"]).names == ["null", "onlyA", "both"]
    )
  }

  @Test func `a sparse index serves only queries whose documents it all holds`() throws {
    let any = try filled(try fixture(.sparseAny))
    let all = query(by: ["a", "b"])
    #expect(try lenient(any, all, keeping: ["a", "b"]).plan.hasPrefix("sort"))
    let withB = try lenient(any, all, keeping: ["a"])
    #expect(withB.names == ["onlyB", "null", "both"])
    #expect(withB.plan.hasPrefix("index (a ASC, b ASC, __name__ ASC)"))
    let above = query(by: ["a", "b"], where: .field("a", .greaterThan, .integer(0)))
    let withA = try lenient(any, above, keeping: ["a", "b"])
    #expect(withA.names == ["onlyA", "both"])
    #expect(withA.plan.hasPrefix("index"))
    let strict = try filled(try fixture(.sparseAll))
    #expect(try lenient(strict, all, keeping: ["a"]).plan.hasPrefix("sort"))
    // Without an index the same documents come, sorted in memory.
    #expect(try lenient(strict, all, keeping: ["a"]).names == withB.names)
    #expect(
      try lenient(strict, all, keeping: ["a", "b"]).names
        == ["neither", "onlyB", "null", "onlyA", "both"]
    )
  }

  @Test func `a query goes on where its index goes away`() throws {
    let fixture = try filled(try fixture(.dense))
    let cursor = try fixture.database.query(
      try query(by: ["a", "b"]).normalized().keepingAbsent(["a", "b"])
    )
    let first = try cursor.next(maxDocuments: 2).documents
    for index in fixture.database.indexes.current.declared {
      try fixture.database.deleteIndex(index.id)
    }
    while try fixture.database.performIndexMaintenance() {}
    let rest = try names(cursor)
    #expect(
      first.compactMap { $0.name.path.lastID?.string } + rest
        == ["neither", "onlyB", "null", "onlyA", "both"]
    )
  }

  @Test func `a field that a unique index holds without a value counts as null`() throws {
    func refuses(_ fixture: QueryFixture, _ name: String, _ entries: [MapValue.Entry]) -> Bool {
      do {
        try fixture.write([(path("c/" + name), MapValue(entries))])
        return false
      } catch {
        return (error as? ServiceError)?.code == .alreadyExists
      }
    }
    let a = [MapValue.Entry(key: "a", value: .integer(1))]
    let strict = try fixture(.sparseAll, isUnique: true)
    #expect(!refuses(strict, "x", a) && !refuses(strict, "y", a))
    let any = try fixture(.sparseAny, isUnique: true)
    #expect(!refuses(any, "x", a) && refuses(any, "y", a))
    #expect(refuses(any, "y", a + [MapValue.Entry(key: "b", value: .null)]))
    #expect(!refuses(any, "y", []) && !refuses(any, "z", []))
    let dense = try fixture(.dense, isUnique: true)
    #expect(!refuses(dense, "y", []) && refuses(dense, "z", []))
  }

  @Test func `densities outlive a restart, and earlier programs refuse the store`() throws {
    let storage = MemoryStorage()
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.maintainsItself = false
    let wanted = try [IndexDensity.dense, .sparseAny, .sparseAll].map {
      try definition($0, ["a", "b"])
    }
    do {
      let fixture = try QueryFixture(storage: storage, configuration: configuration)
      for definition in wanted { try fixture.database.declareIndex(definition) }
      #expect(
        try fixture.database.engine.read { try $0.get(MetaKey.format) } == [0, 0, 0, 7]
      )
    }
    let again = try QueryFixture(storage: storage, configuration: configuration)
    #expect(again.database.indexes.current.declared.map(\.definition) == wanted)
  }

  @Test func `arrays and vectors have the usual density alone`() throws {
    let error = #expect(throws: ServiceError.self) {
      try IndexDefinition(
        collectionID: "c",
        scope: .collection,
        fields: [IndexedField("a", .contains)],
        density: .dense
      )
    }
    #expect(error?.code == .invalidArgument)
  }
}

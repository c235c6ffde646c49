import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore
import Testing

@testable import DocumentStore

@Suite struct IndexBuildTests {
  private let definition = Result {
    try IndexDefinition(
      collectionID: "c",
      scope: .collection,
      fields: [
        IndexedField(FieldPath(["a"]), .ascending), IndexedField(FieldPath(["n"]), .ascending),
      ]
    )
  }

  private var query: Query {
    var query = Query(scope: .collection("c"))
    query.filter = .field(FieldPath(["a"]), .equal, .integer(1))
    query.orders = [Order(FieldPath(["n"]))]
    return query
  }

  private func fill(_ fixture: QueryFixture, _ count: Int) throws {
    for start in stride(from: 0, to: count, by: 50) {
      try fixture.write(
        (start..<min(start + 50, count)).map {
          (path("c/d\($0)"), fields(["a": .integer(Int64($0 % 3)), "n": .integer(Int64($0))]))
        }
      )
    }
  }

  @Test(arguments: QueryFixture.Engine.allCases)
  func `an index over existing documents is built step by step under writes`(
    engine: QueryFixture.Engine
  ) throws {
    let fixture = try QueryFixture(engine, requireIndexes: true)
    try fill(fixture, 350)
    let index = try fixture.database.declareIndex(try definition.get())
    #expect(index.state == .creating)
    let error = #expect(throws: ServiceError.self) { try fixture.database.query(query).next() }
    #expect(error?.message.contains("currently building") == true)
    var steps = 0
    while try fixture.database.performIndexMaintenance() {
      steps += 1
      try fixture.write([
        (path("c/d\(steps * 90)"), fields(["a": .integer(1), "n": .integer(-1)])),
        (path("c/d\(340 - steps)"), nil),
        (path("c/new\(steps)"), fields(["a": .integer(1), "n": .integer(7)])),
      ])
    }
    #expect(steps >= 3)
    try fixture.verifyIndexes("built")
    let result = try fixture.run(query)
    let expected = NaiveEvaluator(query: query, database: fixture.id)
      .results(of: fixture.documents)
    #expect(result.records.map(\.name.path) == expected)
    let plan = try result.cursor.plan()
    #expect(plan.text == "index (a ASC, n ASC, __name__ ASC)")
  }

  @Test func `a build goes on after a restart`() throws {
    let storage = MemoryStorage()
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.maintainsItself = false
    let id = DatabaseID(project: "demo")
    do {
      let fixture = try QueryFixture(storage: storage, configuration: configuration)
      try fill(fixture, 350)
      try fixture.database.declareIndex(try definition.get())
      #expect(try fixture.database.performIndexMaintenance())
      #expect(try fixture.database.performIndexMaintenance())
    }
    let fixture = try QueryFixture(storage: storage, configuration: configuration)
    #expect(fixture.database.id == id)
    #expect(fixture.database.indexes.current.declared.map(\.state) == [.creating])
    var steps = 0
    while try fixture.database.performIndexMaintenance() { steps += 1 }
    #expect(steps == 1)
    #expect(try fixture.run(query).records.count == 117)
  }

  @Test func `a vector index is the same after a restart`() throws {
    let storage = MemoryStorage()
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.maintainsItself = false
    let definitions = try [["a"], []].map { names in
      try IndexDefinition(
        collectionID: "c",
        scope: .collection,
        fields: names.map { IndexedField(FieldPath([Text($0)]), .descending) },
        vector: VectorIndexField(FieldPath(["v", "e"]), dimension: 700)
      )
    }
    do {
      let fixture = try QueryFixture(storage: storage, configuration: configuration)
      try fill(fixture, 20)
      for definition in definitions { try fixture.database.declareIndex(definition) }
      while try fixture.database.performIndexMaintenance() {}
      try fixture.verifyIndexes("built")
    }
    let fixture = try QueryFixture(storage: storage, configuration: configuration)
    #expect(fixture.database.indexes.current.declared.map(\.definition) == definitions)
    #expect(throws: ServiceError.self) { try fixture.database.declareIndex(definitions[1]) }
  }

  @Test func `a deleted index is erased and its number not used again`() throws {
    let fixture = try QueryFixture()
    try fill(fixture, 120)
    let first = try fixture.database.declareIndex(try definition.get())
    while try fixture.database.performIndexMaintenance() {}
    try fixture.database.deleteIndex(first.id)
    #expect(throws: ServiceError.self) { try fixture.database.deleteIndex(first.id) }
    while try fixture.database.performIndexMaintenance() {}
    try fixture.verifyIndexes("erased")
    #expect(fixture.database.indexes.current.declared.isEmpty)
    let second = try fixture.database.declareIndex(try definition.get())
    #expect(second.number == first.number + 1)
    #expect(throws: ServiceError.self) { try fixture.database.declareIndex(try definition.get()) }
  }

  @Test func `an override erases a field's entries and those below it, and gives them back`() throws
  {
    let fixture = try QueryFixture()
    for number in 0..<30 {
      let inner = fields(["x": .integer(Int64(number)), "y": .array([.integer(1)])])
      try fixture.write([(path("c/p\(number % 3)/c/d\(number)"), fields(["m": .map(inner)]))])
    }
    let database = fixture.database
    try database.overrideField(FieldPath(["m"]), of: "c", indexes: [])
    try database.overrideField(
      FieldPath(["m", "x"]),
      of: "c",
      indexes: [SingleFieldIndex(.collectionGroup, .ascending)]
    )
    while try database.performIndexMaintenance() {}
    try fixture.verifyIndexes("overridden")
    var query = Query(scope: .collectionGroup("c"))
    query.orders = [Order(FieldPath(["m", "x"]), .descending)]
    #expect(try fixture.run(query).records.count == 30)
    #expect(try fixture.run(query).cursor.plan().missingIndex != nil)
    query.orders = [Order(FieldPath(["m", "x"]))]
    #expect(try fixture.run(query).cursor.plan().missingIndex == nil)
    try database.overrideField(FieldPath(["m", "x"]), of: "c", indexes: nil)
    while try database.performIndexMaintenance() {}
    try database.overrideField(FieldPath(["m"]), of: "c", indexes: nil)
    while try database.performIndexMaintenance() {}
    #expect(database.indexes.current.overrides.isEmpty)
    try fixture.verifyIndexes("given back")
  }

  @Test func `a document with more than 40,000 entries is refused`() throws {
    let fixture = try QueryFixture()
    let many = (0..<20_000).map { Value.integer(Int64($0)) }
    let elements = IndexedField(FieldPath(["a"]), .contains)
    try fixture.database.declareIndex(
      try IndexDefinition(collectionID: "e", scope: .collection, fields: [elements])
    )
    let error = #expect(throws: ServiceError.self) {
      try fixture.write([(path("e/d"), fields(["a": .array(many)]))])
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == "too many index entries for entity")
  }
}

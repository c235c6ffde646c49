import BaseText
import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct QueryCostTests {
  /// 2,000 products of 20 users; every 50th of them is rare.
  private func shop(_ engine: QueryFixture.Engine = .memory) throws -> QueryFixture {
    let fixture = try QueryFixture(engine)
    for start in stride(from: 0, to: 2_000, by: 100) {
      try fixture.write(
        (start..<start + 100).map { number in
          let product = fields([
            "userId": .text("user\(number % 20)"),
            "name": .text("product \((number * 7) % 2_000)"),
            "rare": .boolean(number % 50 == 0),
            "even": .boolean(number.isMultiple(of: 2)),
          ])
          return (path("products/p\(number)"), product)
        }
      )
    }
    return fixture
  }

  private func equal(_ field: Text, _ value: Value) -> Filter {
    .field(FieldPath([field]), .equal, value)
  }

  @Test(arguments: QueryFixture.Engine.allCases)
  func `the seed's query reads as many entries and documents as it delivers`(
    engine: QueryFixture.Engine
  ) throws {
    let fixture = try shop(engine)
    try fixture.database.declareIndex(
      try IndexDefinition(
        collectionID: "products",
        scope: .collection,
        fields: [
          IndexedField(FieldPath(["userId"]), .ascending),
          IndexedField(FieldPath(["name"]), .ascending),
        ]
      )
    )
    while try fixture.database.performIndexMaintenance() {}
    var query = Query(scope: .collection("products"))
    query.filter = equal("userId", .text("user3"))
    query.orders = [Order(FieldPath(["name"]))]
    query.limit = 20
    let result = try fixture.run(query)
    #expect(result.records.count == 20)
    let reads = result.cursor.statistics.reads
    #expect(reads.indexEntriesScanned == 20)
    #expect(reads.documentsScanned == 20)
    #expect(reads.seeks == 1)
  }

  @Test func `an intersection jumps along its sparsest leg`() throws {
    let fixture = try shop()
    var query = Query(scope: .collection("products"))
    query.filter = .and([equal("even", .boolean(true)), equal("rare", .boolean(true))])
    let result = try fixture.run(query)
    #expect(result.records.count == 40)
    let reads = result.cursor.statistics.reads
    // 1,000 entries are even and 40 rare: three looks a result, whatever the longer leg holds.
    #expect(reads.indexEntriesScanned <= 3 * 40 + 3)
    #expect(reads.documentsScanned == 40)
  }

  @Test func `what the offset eats is not read, nor are the documents of names`() throws {
    let fixture = try shop()
    var query = Query(scope: .collection("products"))
    query.filter = equal("userId", .text("user3"))
    query.offset = 90
    let result = try fixture.run(query)
    #expect(result.records.count == 10)
    #expect(result.cursor.statistics.reads.documentsScanned == 10)
    #expect(result.cursor.statistics.documentsSkipped == 90)
    let cursor = try fixture.database.query(query)
    #expect(try cursor.nextNames().paths == result.records.map(\.name.path))
    #expect(cursor.statistics.reads.documentsScanned == 0)
  }

  @Test func `a missing index is admitted and told to the log`() throws {
    let fixture = try shop()
    var query = Query(scope: .collection("products"))
    query.filter = equal("userId", .text("user3"))
    query.orders = [Order(FieldPath(["name"]), .descending)]
    query.limit = 3
    let result = try fixture.run(query, chunk: { 1 })
    let plan = try result.cursor.plan()
    #expect(plan.sortsInMemory)
    #expect(plan.indexesUsed.map(\.properties) == ["(userId ASC, __name__ ASC)"])
    #expect(result.cursor.statistics.reads.indexEntriesScanned == 100)
    #expect(result.cursor.statistics.reads.documentsScanned == 103)
    #expect(
      fixture.missingIndexes == [
        #"{ "collectionGroup": "products", "queryScope": "COLLECTION", "#
          + #""fields": [{ "fieldPath": "userId", "order": "ASCENDING" }, "#
          + #"{ "fieldPath": "name", "order": "DESCENDING" }] }"#
      ]
    )
  }

  @Test func `values beyond an index's length are judged by their documents`() throws {
    let fixture = try QueryFixture()
    let long = String(repeating: "x", count: 1_600)
    for (number, tail) in ["a", "b", "c"].enumerated() {
      let value = Value.text(long + tail)
      let document = fields(["s": value, "t": .array([value]), "n": .integer(1)])
      try fixture.write([(path("c/d\(number)"), document)])
    }
    func ids(_ filter: Filter) throws -> [String] {
      var query = Query(scope: .collection("c"))
      query.filter = filter
      return try fixture.run(query).records.compactMap(\.name.path.lastID?.string)
    }
    let s = FieldPath(["s"])
    let middle = Value.text(long + "b")
    #expect(try ids(.field(s, .equal, middle)) == ["d1"])
    #expect(try ids(.field(s, .greaterThan, middle)) == ["d2"])
    #expect(try ids(.field(s, .greaterThanOrEqual, middle)) == ["d1", "d2"])
    #expect(try ids(.field(s, .lessThan, middle)) == ["d0"])
    #expect(try ids(.field(s, .notEqual, middle)) == ["d0", "d2"])
    #expect(try ids(.field(s, .in, .array([middle, .text(long + "c")]))) == ["d1", "d2"])
    #expect(try ids(.field(FieldPath(["t"]), .arrayContains, middle)) == ["d1"])
    #expect(try ids(.and([.field(s, .equal, middle), equal("n", .integer(1))])) == ["d1"])
    #expect(try ids(.field(s, .lessThan, .text("y"))) == ["d0", "d1", "d2"])
  }

  @Test func `projections deliver what is asked for, with the document's times`() throws {
    let fixture = try QueryFixture()
    let inner = Value.map(fields(["x": .integer(1), "y": .integer(2)]))
    try fixture.write([(path("c/d"), fields(["a": .integer(1), "m": inner, "z": .null]))])
    var query = Query(scope: .collection("c"))
    query.projection = [FieldPath(["m", "y"]), FieldPath(["none"]), FieldPath(["z"])]
    let record = try #require(try fixture.run(query).records.first)
    #expect(
      record.fields.decoded()
        == fields(["m": .map(fields(["y": .integer(2)])), "z": .null])
    )
    for projection in [[], [FieldPath.documentName]] {
      query.projection = projection
      let names = try fixture.run(query).records
      #expect(names.map(\.fields) == [.empty])
      #expect(names.map(\.updateTime) == [record.updateTime])
    }
  }
}

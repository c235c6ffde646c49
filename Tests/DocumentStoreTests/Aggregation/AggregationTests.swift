import BaseStatus
import BaseText
import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct AggregationTests {
  private func filled(
    _ engine: QueryFixture.Engine = .memory,
    requireIndexes: Bool = false
  ) throws -> QueryFixture {
    let fixture = try QueryFixture(engine, requireIndexes: requireIndexes)
    let values: [Value?] = [
      .integer(1), .integer(2), .double(3.5), .text("x"), nil, .null, .integer(-4),
    ]
    for (number, value) in values.enumerated() {
      var document = fields(["k": .integer(Int64(number % 2)), "n": .integer(Int64(number))])
      document["v"] = value
      try fixture.write([(path("c/d\(number)"), document)])
    }
    return fixture
  }

  private let v = FieldPath(["v"])

  private func values(
    _ fixture: QueryFixture,
    _ query: Query,
    _ operators: [Aggregation.Operator]
  ) throws -> (values: [Value], result: AggregationResult) {
    let aggregations = operators.enumerated().map {
      Aggregation(alias: Text("f\($0.offset)"), operator: $0.element)
    }
    let result = try fixture.database.aggregate(query, aggregations)
    #expect(result.values.map(\.alias) == aggregations.map(\.alias))
    return (result.values.map(\.value), result)
  }

  @Test(arguments: QueryFixture.Engine.allCases)
  func `count, sum and average drop documents without the field`(
    engine: QueryFixture.Engine
  ) throws {
    let fixture = try filled(engine)
    let query = Query(scope: .collection("c"))
    let counted = try values(fixture, query, [.count(upTo: nil)])
    #expect(counted.values == [.integer(7)])
    let summed = try values(fixture, query, [.count(upTo: nil), .sum(v), .average(v)])
    #expect(summed.values == [.integer(6), .double(2.5), .double(0.625)])
    #expect(summed.result.plan.text == "index (v ASC, __name__ ASC)")
    #expect(summed.result.statistics.reads.documentsScanned == 0)
    #expect(summed.result.statistics.reads.indexEntriesScanned == 6)
  }

  @Test func `counts follow filters, cursors, offset, limit and up_to`() throws {
    let fixture = try filled()
    var query = Query(scope: .collection("c"))
    query.orders = [Order(FieldPath(["n"]))]
    query.start = Cursor(values: [.integer(1)], before: true)
    query.offset = 2
    query.limit = 3
    #expect(try values(fixture, query, [.count(upTo: nil)]).values == [.integer(3)])
    #expect(try values(fixture, query, [.count(upTo: 2)]).values == [.integer(2)])
    #expect(try values(fixture, query, [.count(upTo: 0)]).values == [.integer(0)])
    // Documents 3 and 4 are eaten by the offset only if they have the field: 4 has none.
    let both = try values(fixture, query, [.count(upTo: 1), .count(upTo: nil), .sum(v)])
    #expect(both.values == [.integer(1), .integer(3), .integer(-4)])
  }

  /// The numbers are those that Google's emulator gives for the same documents.
  @Test(arguments: QueryFixture.Engine.allCases, [true, false])
  func `sums with a limit are those of documents ordered by the summed field`(
    engine: QueryFixture.Engine,
    hasIndexes: Bool
  ) throws {
    let fixture = try QueryFixture(engine, requireIndexes: false)
    for number in 0..<20 {
      var document = fields(["n": .integer(Int64(100 - number))])
      document["color"] = .string(number % 2 == 0 ? "blue" : "red")
      if number % 3 != 0 { document["m"] = .integer(Int64(number)) }
      try fixture.write([(path("s/d\(number < 10 ? "0" : "")\(number)"), document)])
    }
    let (n, m, color) = (FieldPath(["n"]), FieldPath(["m"]), FieldPath(["color"]))
    if hasIndexes { try declare([[m, n], [color, n], [n, m]], "s", in: fixture) }
    let sumN = Aggregation.Operator.sum(n)
    let sumM = Aggregation.Operator.sum(m)
    let count = Aggregation.Operator.count(upTo: nil)
    func check(
      _ expected: [Int64],
      _ operators: [Aggregation.Operator],
      _ change: (inout Query) -> Void
    ) throws {
      var query = Query(scope: .collection("s"))
      change(&query)
      #expect(try values(fixture, query, operators).values == expected.map { .integer($0) })
    }
    try check([1038, 12], [sumN, count]) { $0.limit = 12 }
    try check([108, 12], [sumM, count]) { $0.limit = 12 }
    try check([1092, 108, 12], [sumN, sumM, count]) { $0.limit = 12 }
    try check([252], [sumN]) { ($0.limit, $0.offset) = (3, 2) }
    try check([124, 11], [sumM, count]) { $0.offset = 2 }
    try check([1134], [sumN]) { ($0.limit, $0.orders) = (12, [Order(n, .descending)]) }
    try check([1074], [sumN]) { ($0.limit, $0.orders) = (12, [Order(color)]) }
    try check([1098], [sumN]) { ($0.limit, $0.orders) = (12, [Order(color, .descending)]) }
    try check([249, 3], [sumN, count]) {
      ($0.limit, $0.filter) = (3, .field(color, .equal, .string("red")))
    }
    try check([252, 3], [sumN, count]) {
      ($0.limit, $0.filter) = (3, .field(color, .greaterThan, .string("a")))
    }
    try check([38, 3], [sumM, count]) {
      ($0.limit, $0.filter) = (3, .field(n, .greaterThan, .integer(85)))
    }
    try check([248, 3], [sumN, count]) { ($0.limit, $0.orders) = (3, [Order(m, .descending)]) }
    try check([280, 3], [sumN, count]) {
      ($0.limit, $0.orders) = (3, [Order(m)])
      $0.start = Cursor(values: [.integer(5)], before: true)
    }
  }

  private func declare(
    _ indexes: [[FieldPath]],
    _ collectionID: Text,
    in fixture: QueryFixture
  ) throws {
    for fields in indexes {
      let definition = try IndexDefinition(
        collectionID: collectionID,
        scope: .collection,
        fields: fields.map { IndexedField($0, .ascending) }
      )
      try fixture.database.declareIndex(definition)
    }
    while try fixture.database.performIndexMaintenance() {}
  }

  @Test func `a sum under an equality asks for the index that production asks for`() throws {
    let fixture = try filled(requireIndexes: true)
    var query = Query(scope: .collection("c"))
    #expect(try values(fixture, query, [.sum(v)]).values == [.double(2.5)])
    query.filter = .field(FieldPath(["k"]), .equal, .integer(1))
    let error = #expect(throws: ServiceError.self) {
      _ = try values(fixture, query, [.sum(v), .count(upTo: nil)])
    }
    #expect(error?.code == .failedPrecondition)
    #expect(error?.message.hasPrefix("The query requires an index.") == true)
    #expect(try values(fixture, query, [.count(upTo: nil)]).values == [.integer(3)])
    let fields = [IndexedField(FieldPath(["k"]), .ascending), IndexedField(v, .ascending)]
    try fixture.database.declareIndex(
      try IndexDefinition(collectionID: "c", scope: .collection, fields: fields)
    )
    while try fixture.database.performIndexMaintenance() {}
    #expect(try values(fixture, query, [.sum(v)]).values == [.integer(2)])
  }

  @Test func `a count reads no documents`() throws {
    let fixture = try filled()
    var query = Query(scope: .collection("c"))
    query.filter = .field(FieldPath(["k"]), .equal, .double(1))
    let result = try values(fixture, query, [.count(upTo: nil)])
    #expect(result.values == [.integer(3)])
    #expect(result.result.statistics.reads.documentsScanned == 0)
    #expect(result.result.statistics.reads.indexEntriesScanned == 3)
  }

  @Test func `a sum under an equality reads its declared index alone`() throws {
    let fixture = try filled()
    var query = Query(scope: .collection("c"))
    query.filter = .field(FieldPath(["k"]), .equal, .integer(1))
    let first = try values(fixture, query, [.sum(v)])
    #expect(first.values == [.integer(2)])
    #expect(first.result.statistics.reads.documentsScanned == 3)
    let fields = [IndexedField(FieldPath(["k"]), .ascending), IndexedField(v, .descending)]
    try fixture.database.declareIndex(
      try IndexDefinition(collectionID: "c", scope: .collection, fields: fields)
    )
    while try fixture.database.performIndexMaintenance() {}
    let second = try values(fixture, query, [.sum(v)])
    #expect(second.values == [.integer(2)])
    #expect(second.result.statistics.reads.documentsScanned == 0)
  }

  @Test func `sums stay integers until they overflow, and averages of nothing are null`() throws {
    let fixture = try QueryFixture()
    let query = Query(scope: .collection("c"))
    #expect(try values(fixture, query, [.sum(v), .average(v)]).values == [.integer(0), .null])
    try fixture.write([(path("c/a"), fields(["v": .integer(.max)]))])
    #expect(try values(fixture, query, [.sum(v)]).values == [.integer(.max)])
    try fixture.write([(path("c/b"), fields(["v": .integer(1)]))])
    #expect(try values(fixture, query, [.sum(v)]).values == [.double(0x1p63)])
    try fixture.write([(path("c/d"), fields(["v": .integer(-1)]))])
    #expect(try values(fixture, query, [.sum(v)]).values == [.integer(.max)])
    try fixture.write([(path("c/e"), fields(["v": .double(.infinity)]))])
    #expect(try values(fixture, query, [.sum(v)]).values == [.double(.infinity)])
    try fixture.write([(path("c/f"), fields(["v": .double(.nan)]))])
    let last = try values(fixture, query, [.sum(v), .average(v), .count(upTo: nil)]).values
    for value in last.prefix(2) {
      guard case .double(let number) = value else {
        Issue.record("\(value)")
        continue
      }
      #expect(number.isNaN)
    }
    #expect(last.last == .integer(5))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random counts agree with the naive evaluator`(seed: UInt64) throws {
    let fixture = try QueryFixture()
    var random = RandomSource(seed: seed)
    for _ in 0..<150 { try fixture.write([(random.documentPath(), random.document())]) }
    for _ in 0..<400 {
      let query = random.query()
      guard let normalized = try? query.normalized() else { continue }
      let result = try fixture.database.aggregate(
        normalized,
        [Aggregation(alias: "n", operator: .count(upTo: nil))]
      )
      let expected = NaiveEvaluator(query: query, database: fixture.id)
        .results(of: fixture.documents)
      #expect(
        result.values.map(\.value) == [.integer(Int64(expected.count))],
        "seed \(seed) \(query) \(result.plan.text)"
      )
    }
  }
}

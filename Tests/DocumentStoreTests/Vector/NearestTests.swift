import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct NearestTests {
  private let e = FieldPath(["e"])

  private func filled() throws -> QueryFixture {
    let fixture = try QueryFixture()
    let vectors: [[Double]] = [[1, 0], [0, 1], [1, 1], [3, 4], [0, 0], [1, 2, 3]]
    for (number, vector) in vectors.enumerated() {
      let document = fields(["e": .vector(vector), "k": .integer(Int64(number % 2))])
      try fixture.write([(path("c/d\(number)"), document)])
    }
    try fixture.write([(path("c/none"), fields(["k": .integer(0)]))])
    try fixture.write([(path("c/list"), fields(["e": .array([.double(1), .double(0)])]))])
    return fixture
  }

  private func ids(
    _ fixture: QueryFixture,
    _ measure: FindNearest.Measure,
    limit: Int = 10,
    threshold: Double? = nil,
    filter: Filter? = nil
  ) throws -> [String] {
    var query = Query(scope: .collection("c"))
    query.filter = filter
    query.findNearest = FindNearest(
      field: e,
      vector: [1, 0],
      measure: measure,
      limit: limit,
      distanceThreshold: threshold
    )
    return try fixture.run(query, chunk: { 2 }).records.compactMap(\.name.path.lastID?.string)
  }

  @Test func `the nearest come first by each measure`() throws {
    let fixture = try filled()
    #expect(try ids(fixture, .euclidean) == ["d0", "d2", "d4", "d1", "d3"])
    #expect(try ids(fixture, .dotProduct) == ["d3", "d0", "d2", "d1", "d4"])
    #expect(try ids(fixture, .cosine) == ["d0", "d2", "d3", "d1"])
  }

  @Test func `limit, threshold and filters apply`() throws {
    let fixture = try filled()
    #expect(try ids(fixture, .euclidean, limit: 2) == ["d0", "d2"])
    #expect(try ids(fixture, .euclidean, threshold: 1) == ["d0", "d2", "d4"])
    #expect(try ids(fixture, .dotProduct, threshold: 1) == ["d3", "d0", "d2"])
    let odd = Filter.field(FieldPath(["k"]), .equal, .integer(1))
    #expect(try ids(fixture, .euclidean, filter: odd) == ["d1", "d3"])
  }

  @Test func `a vector index serves the filters of its searches and nothing else`() throws {
    let fixture = try filled()
    let k = FieldPath(["k"])
    let n = FieldPath(["n"])
    func declare(_ fields: [IndexedField], _ dimension: Int) throws {
      try fixture.database.declareIndex(
        IndexDefinition(
          collectionID: "c",
          scope: .collection,
          fields: fields,
          vector: VectorIndexField(e, dimension: dimension)
        )
      )
    }
    try declare([IndexedField(k, .ascending), IndexedField(n, .ascending)], 2)
    try declare([], 2)
    while try fixture.database.performIndexMaintenance() {}
    var query = Query(scope: .collection("c"))
    query.filter = .and([
      .field(k, .equal, .integer(1)), .field(n, .greaterThan, .integer(0)),
    ])
    func plan(dimension: Int?) throws -> String {
      query.findNearest = dimension.map {
        FindNearest(
          field: e,
          vector: Array(repeating: 1, count: $0),
          measure: .euclidean,
          limit: 3
        )
      }
      return try fixture.database.query(query).plan().text
    }
    #expect(try plan(dimension: 2) == "index (k ASC, n ASC, __name__ ASC, e VECTOR<2>)")
    for other in [nil, 3] { #expect(try plan(dimension: other).hasPrefix("sort [")) }
    query.filter = nil
    #expect(try plan(dimension: 2) == "scan (__name__ ASC, e VECTOR<2>)")
  }

  @Test func `the distance is delivered in a field, beside the projection`() throws {
    let fixture = try filled()
    var query = Query(scope: .collection("c"))
    query.projection = [FieldPath(["k"])]
    query.findNearest = FindNearest(
      field: e,
      vector: [0, 0],
      measure: .euclidean,
      limit: 5,
      distanceResultField: FieldPath(["m", "far"])
    )
    let last = try #require(try fixture.run(query).records.last)
    #expect(last.name.path == path("c/d3"))
    #expect(
      last.fields.decoded() == fields(["k": .integer(1), "m": .map(fields(["far": .double(5)]))])
    )
  }
}

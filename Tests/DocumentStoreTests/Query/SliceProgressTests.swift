import BaseText
import FirestoreModel
import Testing

@testable import DocumentStore

/// Every slice brings a query on by a candidate at least, however short it is.
@Suite struct SliceProgressTests {
  private static let documents = 40
  /// More than any of the queries takes, with a candidate a slice.
  private static let mostSlices = 8 * documents

  enum Shape: String, CaseIterable, Sendable {
    case everything, descending, skipping, unequal, oneOf, intersection, disjoint, group, sorted
    case sortedUnion, nearest
  }

  private static func query(_ shape: Shape) -> Query {
    var query = Query(scope: shape == .group ? .collectionGroup("c") : .collection("c"))
    switch shape {
    case .everything, .group: break
    case .descending: query.orders = [Order(FieldPath(["n"]), .descending)]
    case .skipping: (query.offset, query.limit) = (9, 20)
    case .unequal: query.filter = condition("n", .notEqual, 7)
    case .oneOf: query.filter = .or((0..<9).map { condition("n", .equal, $0) })
    case .intersection:
      query.filter = .and([condition("odd", .equal, 1), condition("third", .equal, 0)])
    case .disjoint:
      query.filter = .and([condition("odd", .equal, 1), condition("even", .equal, 1)])
    case .sorted: query.orders = [Order(FieldPath(["odd"])), Order(FieldPath(["n"]))]
    case .sortedUnion:
      query.filter = .or([condition("odd", .equal, 1), condition("third", .equal, 0)])
      query.orders = [Order(FieldPath(["even"])), Order(FieldPath(["n"]))]
    case .nearest:
      query.findNearest = FindNearest(
        field: FieldPath(["e"]),
        vector: [1, 0],
        measure: .euclidean,
        limit: 5,
        distanceThreshold: nil
      )
    }
    return query
  }

  private static func condition(
    _ field: Text,
    _ comparison: Filter.FieldOperator,
    _ value: Int
  ) -> Filter {
    .field(FieldPath([field]), comparison, .integer(Int64(value)))
  }

  /// Half of the documents were written again after the version that is handed back, and some were deleted.
  private static func filled() throws -> (fixture: QueryFixture, earlier: CommitVersion) {
    let fixture = try QueryFixture(.memory)
    try fixture.write((0..<documents).map { (path("c/d\($0)"), document($0)) })
    let earlier = try fixture.database.readTime()
    try fixture.write(
      (0..<documents / 2).map { (path("c/d\($0)"), $0 % 5 == 0 ? nil : document($0 + 1)) }
    )
    return (fixture, earlier)
  }

  private static func document(_ number: Int) -> MapValue {
    fields([
      "n": .integer(Int64(number)), "odd": .integer(Int64(number % 2)),
      "even": .integer(Int64(1 - number % 2)), "third": .integer(Int64(number % 3)),
      "e": .vector([Double(number), 1]),
    ])
  }

  /// The names in their order; nil where so many slices do not suffice.
  private static func names(
    _ query: Query,
    _ fixture: QueryFixture,
    _ consistency: Consistency,
    slice: Int
  ) throws -> [ResourcePath]? {
    let cursor = try fixture.database.query(try query.normalized(), consistency: consistency)
    var names: [ResourcePath] = []
    for _ in 0..<mostSlices {
      let chunk = try cursor.next(slice: slice)
      names += chunk.documents.map(\.name.path)
      if chunk.isDone { return names }
    }
    return nil
  }

  @Test(arguments: Shape.allCases, [0, 1, 3, 7])
  func `a query comes to its end in the shortest slices`(_ shape: Shape, slice: Int) throws {
    let (fixture, earlier) = try Self.filled()
    let query = Self.query(shape)
    for consistency in [Consistency.latest, .at(earlier)] {
      let whole = try Self.names(query, fixture, consistency, slice: QueryCursor.longSlice)
      #expect(whole?.isEmpty == (shape == .disjoint))
      #expect(try Self.names(query, fixture, consistency, slice: slice) == whole)
    }
  }

  @Test(arguments: [0, 1, 3, 7])
  func `an aggregation and names come to their end in the shortest slices`(slice: Int) throws {
    let (fixture, earlier) = try Self.filled()
    let query = try Self.query(.oneOf).normalized()
    let names = try fixture.database.query(query, consistency: .at(earlier))
    var found = 0
    var isDone = false
    for _ in 0..<Self.mostSlices where !isDone {
      let part = try names.nextNames(slice: slice)
      (found, isDone) = (found + part.paths.count, part.isDone)
    }
    #expect(isDone)
    #expect(found == 9)
    let counter = fixture.database.aggregation(
      query,
      [Aggregation(alias: "count", operator: .count(upTo: nil))],
      read: try fixture.database.beginRead(.at(earlier))
    )
    var result: AggregationResult?
    for _ in 0..<Self.mostSlices where result == nil { result = try counter.next(slice: slice) }
    #expect(result?.values.map(\.value) == [.integer(9)])
  }
}

import BaseStatus
import FirestoreModel
import Synchronization
import Testing

@testable import DocumentStore

/// Long reads ask again and again whether anybody waits for them, and go on slice by slice.
@Suite struct WorkCheckTests {
  /// Counts how often it is asked, and says stop from some time on.
  private final class Asked: Sendable {
    private let state: Mutex<(count: Int, limit: Int)>

    init(stopsAt limit: Int = .max) { state = Mutex((0, limit)) }

    var count: Int { state.withLock { $0.count } }

    func ask() throws {
      let stops = state.withLock { state in
        state.count += 1
        return state.count >= state.limit
      }
      if stops { throw ServiceError(.cancelled, "Nobody waits.") }
    }
  }

  private static let documents = 6_000

  /// Documents whose field `n` counts, `m` counts down and `k` is alike, with vectors.
  private static func filled() throws -> QueryFixture {
    let fixture = try QueryFixture(.memory, requireIndexes: false)
    for start in stride(from: 0, to: documents, by: 500) {
      try fixture.write(
        (start..<(start + 500)).map { number in
          let document = fields([
            "n": .integer(Int64(number)), "m": .integer(Int64(documents - number)),
            "k": .integer(0), "e": .vector([Double(number), 1]),
            "odd": .integer(Int64(number % 2)), "even": .integer(Int64(1 - number % 2)),
          ])
          return (path("c/d\(number)"), document)
        }
      )
    }
    // Of a query with ranges of both fields the first one's range is scanned.
    _ = try fixture.database.declareIndex(
      try IndexDefinition(
        collectionID: "c",
        scope: .collection,
        fields: ["m", "n"].map { IndexedField(FieldPath([$0]), .ascending) }
      )
    )
    while try fixture.database.performIndexMaintenance() {}
    return fixture
  }

  private static let everything = Query(scope: .collection("c"))

  private static var nearest: Query {
    var query = everything
    query.findNearest = FindNearest(
      field: FieldPath(["e"]),
      vector: [1, 0],
      measure: .euclidean,
      limit: 3,
      distanceThreshold: nil
    )
    return query
  }

  /// Nothing satisfies both conditions, so no candidate is ever delivered.
  private static var fruitless: Query {
    var query = everything
    query.filter = .and([
      .field(FieldPath(["n"]), .greaterThanOrEqual, .integer(Int64(documents / 2))),
      .field(FieldPath(["m"]), .greaterThan, .integer(Int64(documents / 2))),
    ])
    return query
  }

  /// No index has this order: in development everything is sorted.
  private static var sorted: Query {
    var query = everything
    query.orders = [Order(FieldPath(["k"])), Order(FieldPath(["m"]))]
    return query
  }

  /// Each condition alone fits half of the documents, by turns, and both together none.
  private static var disjoint: Query {
    var query = everything
    query.filter = .and([
      .field(FieldPath(["odd"]), .equal, .integer(1)),
      .field(FieldPath(["even"]), .equal, .integer(1)),
    ])
    return query
  }

  private static func read(
    _ fixture: QueryFixture,
    _ query: Query,
    slice: Int,
    _ asked: Asked
  ) throws -> (documents: Int, slices: Int) {
    let read = try fixture.database.beginRead(.latest, check: { try asked.ask() })
    let cursor = fixture.database.query(try query.normalized(), read: read)
    var (documents, slices) = (0, 0)
    while true {
      let chunk = try cursor.next(maxDocuments: .max, maxBytes: .max, slice: slice)
      documents += chunk.documents.count
      slices += 1
      if chunk.isDone { return (documents, slices) }
    }
  }

  @Test func `a scan asks at least once every thousand steps`() throws {
    let fixture = try Self.filled()
    let asked = Asked()
    let found = try Self.read(fixture, Self.everything, slice: 20_000, asked)
    #expect(found == (Self.documents, 1))
    #expect(asked.count >= Self.documents / 1_024)
  }

  @Test(arguments: [1, 2, 3])
  func `a scan, a search and an aggregation end when nobody waits`(limit: Int) throws {
    let fixture = try Self.filled()
    for query in [Self.everything, Self.nearest, Self.fruitless, Self.sorted, Self.disjoint] {
      let asked = Asked(stopsAt: limit)
      #expect(throws: ServiceError.self) {
        _ = try Self.read(fixture, query, slice: 20_000, asked)
      }
      #expect(asked.count == limit)
    }
    let asked = Asked(stopsAt: limit)
    #expect(throws: ServiceError.self) { _ = try Self.count(fixture, slice: 1_000, asked) }
    #expect(asked.count == limit)
  }

  private static func count(
    _ fixture: QueryFixture,
    slice: Int,
    _ asked: Asked
  ) throws -> (result: AggregationResult, slices: Int) {
    let read = try fixture.database.beginRead(.latest, check: { try asked.ask() })
    let cursor = fixture.database.aggregation(
      try everything.normalized(),
      [Aggregation(alias: "count", operator: .count(upTo: nil))],
      read: read
    )
    var slices = 1
    while true {
      if let result = try cursor.next(slice: slice) { return (result, slices) }
      slices += 1
    }
  }

  @Test(arguments: [700, 1_000, 2_500, 20_000])
  func `an aggregation and a search give the same in slices of any size`(slice: Int) throws {
    let fixture = try Self.filled()
    let (result, slices) = try Self.count(fixture, slice: slice, Asked())
    #expect(result.values.map(\.value) == [.integer(Int64(Self.documents))])
    #expect(slices >= Self.documents / slice)
    let near = try Self.read(fixture, Self.nearest, slice: slice, Asked())
    #expect(near.documents == 3)
    #expect(near.slices >= Self.documents / slice)
  }

  @Test func `a scan whose entries all fail its conditions pauses all the same`() throws {
    let fixture = try Self.filled()
    let found = try Self.read(fixture, Self.fruitless, slice: 1_500, Asked())
    #expect(found.documents == 0)
    #expect(found.slices > 1)
  }

  @Test(arguments: [700, 2_500, 20_000])
  func `a sort goes on slice by slice and gives the same`(slice: Int) throws {
    let fixture = try Self.filled()
    let read = try fixture.database.beginRead(.latest)
    let cursor = fixture.database.query(try Self.sorted.normalized(), read: read)
    var found: [Int64] = []
    var slices = 0
    var longest = 0
    while true {
      let before = cursor.statistics.reads.documentsScanned
      let chunk = try cursor.next(maxDocuments: .max, maxBytes: .max, slice: slice)
      longest = max(longest, cursor.statistics.reads.documentsScanned - before)
      slices += 1
      for record in chunk.documents {
        guard case .integer(let number)? = record.fields.value(at: FieldPath(["m"])) else {
          continue
        }
        found.append(number)
      }
      if chunk.isDone { break }
    }
    #expect(found == (1...Int64(Self.documents)).map { $0 })
    #expect(slices >= Self.documents / slice)
    #expect(longest <= slice + Self.documents % slice)
    #expect(cursor.heldBytes > 0)
  }

  @Test func `two indexes without a document in common pause all the same`() throws {
    let fixture = try Self.filled()
    let found = try Self.read(fixture, Self.disjoint, slice: 1_500, Asked())
    #expect(found.documents == 0)
    #expect(found.slices > 2)
  }

  @Test func `a group is divided in slices of any size, and not for nobody`() throws {
    let fixture = try Self.filled()
    let group = Query(scope: .collectionGroup("c"))
    let whole = try fixture.database.partition(group, count: 7).finished()
    #expect(whole.names.count == 6)
    let cursor = try fixture.database.partition(group, count: 7)
    let none = try cursor.next(slice: 1_000)
    #expect(none?.names == nil)
    #expect(try cursor.finished(slice: 1_000).names == whole.names)
    let asked = Asked(stopsAt: 2)
    #expect(throws: ServiceError.self) {
      try fixture.database.partition(group, count: 7, check: { try asked.ask() })
        .finished(slice: 500)
    }
    #expect(asked.count == 2)
  }

  @Test func `a batch get asks before each document, and keeps no more than it may`() async throws {
    let fixture = try Self.filled()
    let paths = (0..<10).map { path("c/d\($0)") }
    let asked = Asked(stopsAt: 4)
    let stopped = await Self.batchGet(paths, of: fixture, check: { try asked.ask() })
    #expect(throws: ServiceError.self) { try stopped.get() }
    #expect(asked.count == 4)
    let reserved = Asked(stopsAt: 6)
    let refused = await Self.batchGet(paths, of: fixture, reserve: { _ in try reserved.ask() })
    #expect(throws: ServiceError.self) { try refused.get() }
    #expect(reserved.count == 6)
    #expect(try await Self.batchGet(paths, of: fixture).get().items.count == 10)
  }

  private static func batchGet(
    _ paths: [ResourcePath],
    of fixture: QueryFixture,
    check: WorkCheck? = nil,
    reserve: (@Sendable (Int) throws -> Void)? = nil
  ) async -> Result<BatchGetResult, any Error> {
    await withCheckedContinuation { continuation in
      fixture.database.batchGet(paths, check: check, reserve: reserve) {
        continuation.resume(returning: $0)
      }
    }
  }

  @Test func `random filters find the same in short slices and in one`() throws {
    let fixture = try Self.filled()
    var random = SystemRandomNumberGenerator()
    for _ in 0..<12 {
      var query = Self.everything
      let low = Int64.random(in: 0..<Int64(Self.documents), using: &random)
      let high = Int64.random(in: 0..<Int64(Self.documents), using: &random)
      let conditions: [Filter] = [
        .field(FieldPath(["n"]), .greaterThanOrEqual, .integer(low)),
        .field(FieldPath(["m"]), .lessThan, .integer(high)),
      ]
      query.filter = Bool.random(using: &random) ? .and(conditions) : .or(conditions)
      let slice = Int.random(in: 300..<3_000, using: &random)
      let short = try Self.read(fixture, query, slice: slice, Asked())
      let long = try Self.read(fixture, query, slice: 1_000_000, Asked())
      #expect(short.documents == long.documents, "\(low) \(high) \(slice)")
      let expected = (0..<Int64(Self.documents)).count { number in
        let parts = [number >= low, Int64(Self.documents) - number < high]
        if case .and = query.filter { return parts[0] && parts[1] }
        return parts[0] || parts[1]
      }
      #expect(long.documents == expected)
    }
  }
}

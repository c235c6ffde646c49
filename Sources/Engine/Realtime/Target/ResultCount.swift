import DocumentStore
import FirestoreModel

/// Counts the results that a resumed target has and had, and collects their names if the client
/// holds more than that, slice by slice.
struct ResultCount {
  private enum Stage {
    case now(AggregationCursor)
    case earlier(AggregationCursor)
    case names(QueryCursor)
    case over
  }

  private let query: NormalizedQuery
  private let database: Database
  private let version: CommitVersion
  /// Nil where nothing can have changed since.
  private let base: CommitVersion?
  /// The number of documents that the client says it holds.
  private let expected: Int
  private var stage: Stage
  /// The number of results at the version.
  private(set) var count = 0
  /// The names of these, with room for additions and removals; nil if they are not needed or too
  /// many.
  private(set) var names: BloomFilter?

  /// Begins to count; reads nothing yet.
  init(
    _ query: NormalizedQuery,
    in database: Database,
    at version: CommitVersion,
    since base: CommitVersion?,
    expected: Int
  ) throws {
    self.query = query
    self.database = database
    self.version = version
    self.base = base
    self.expected = expected
    stage = .now(try Self.counter(query, database, version))
  }

  /// Does one slice; true where it is over.
  mutating func advance(_ slice: ReadSlice) throws -> Bool {
    switch stage {
    case .now(let cursor):
      guard let result = try cursor.next(slice: slice.steps) else { return false }
      count = result.count
      guard let base else { return try compare(with: count) }
      stage = .earlier(try Self.counter(query, database, base))
      return false
    case .earlier(let cursor):
      guard let result = try cursor.next(slice: slice.steps) else { return false }
      return try compare(with: result.count)
    case .names(let cursor):
      let part = try cursor.nextNames(max: slice.steps, slice: slice.steps)
      for path in part.paths {
        names?.insert(DocumentName(database: database.id, path: path))
      }
      if part.isDone { stage = .over }
      return part.isDone
    case .over: return true
    }
  }

  /// The names can identify only the excess documents.
  private mutating func compare(with held: Int) throws -> Bool {
    stage = .over
    guard expected > held else { return true }
    let most = max(count, held)
    names = BloomFilter(count: most + most / 4 + 32)
    guard names != nil else { return true }
    stage = .names(try database.query(query, consistency: .at(version)))
    return false
  }

  private static func counter(
    _ query: NormalizedQuery,
    _ database: Database,
    _ version: CommitVersion
  ) throws -> AggregationCursor {
    let counting = [Aggregation(alias: "count", operator: .count(upTo: nil))]
    return database.aggregation(query, counting, read: try database.beginRead(.at(version)))
  }
}

extension AggregationResult {
  /// The first value, which is a count.
  fileprivate var count: Int {
    guard case .integer(let count)? = values.first?.value else { return 0 }
    return Int(count)
  }
}

import BaseStatus
import DocumentCodec
import FirestoreModel
import KeyValueStore
import Synchronization

/// A part of a query's result.
package struct QueryChunk: Sendable {
  /// Results in the query's order, after its projection.
  package var documents: [DocumentRecord] = []
  /// Documents that the query's offset has eaten in this part.
  package var skipped = 0
  /// True if nothing follows.
  package var isDone = false
  /// The version at which the whole query reads.
  package let readTime: CommitVersion
}

/// The fields of a part of a query's documents, one behind the other.
package struct QueryFields: Sendable {
  private var bytes: [UInt8] = []
  /// The offsets behind each document's bytes.
  private var ends: [Int] = []
  /// True if nothing follows.
  package fileprivate(set) var isDone = false

  var byteCount: Int { bytes.count }

  fileprivate mutating func append(_ fields: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: fields)
    ends.append(bytes.count)
  }

  /// Lends the fields of each document to the body.
  package func forEach(_ body: (FieldsView) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { bytes in
      var start = 0
      for end in ends {
        try body(FieldsView(UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
        start = end
      }
    }
  }
}

/// The names of a part of a query's result.
package struct QueryNames: Sendable {
  /// Paths of the results in the query's order.
  package var paths: [ResourcePath] = []
  /// True if nothing follows.
  package var isDone = false
  /// The version at which the whole query reads.
  package let readTime: CommitVersion
}

/// A query that is being answered, part by part, all at one version.
///
/// Nothing is held between pulls but the sort key of the last document (and what a missing index
/// made it sort): every pull opens a view of its own and reads on behind it. One call at a time;
/// calls block. Mixing `next` and `nextNames` continues where the other ended.
package final class QueryCursor: Sendable {
  private let read: ConsistentRead
  private let projection: QueryProjection
  private let state: Mutex<State>

  private struct State {
    var run: QueryRun
    /// A nearest-neighbour search, instead of the query's own order.
    var search: NearestSearch?
  }

  /// The transaction that the query's consistency began, if it did.
  package var newTransaction: TransactionID? { read.newTransaction }

  init(
    _ query: NormalizedQuery,
    read: ConsistentRead,
    database: Database,
    forcedIndex: UInt32? = nil
  ) {
    self.read = read
    projection = QueryProjection(query.projection)
    let run = QueryRun(query, read: read, database: database, forcedIndex: forcedIndex)
    state = Mutex(State(run: run, search: query.findNearest.map(NearestSearch.init)))
  }

  /// The next documents: as many as asked for, fewer when their fields exceed `maxBytes` together
  /// or when the slice is used up; none and not done is possible.
  ///
  /// - Parameters:
  ///   - slice: The largest number of candidates to evaluate.
  ///   - covered: The only fields that are wanted; the documents have no times then.
  ///   - view: A view of the read's that is open already; nil opens one.
  package func next(
    maxDocuments: Int = 300,
    maxBytes: Int = 1 << 20,
    slice: Int = QueryCursor.longSlice,
    covered: CoveredFields? = nil,
    in view: LentView? = nil
  ) throws -> QueryChunk {
    try storage(view) {
      try state.withLock { state in
        if state.search != nil {
          return try nearest(
            &state,
            maxDocuments: maxDocuments,
            maxBytes: maxBytes,
            slice: slice
          )
        }
        return try lend(view) { view in
          try pull(
            view,
            &state.run,
            maxDocuments: maxDocuments,
            maxBytes: maxBytes,
            slice: slice,
            covered: covered
          )
        }
      }
    }
  }

  /// The longest slice of a scan: what one job on an engine thread does.
  package static let longSlice = QueryRun.slice
  /// A slice that is over soon, for the beginning of a query on the threads for point reads.
  package static let shortSlice = 2_000

  /// The first documents, where memory alone can tell them and they are few; nil, and nothing
  /// changed, where `next` has to be asked.
  ///
  /// For threads that must not block.
  package func firstInMemory(maxBytes: Int = 1 << 20) throws -> QueryChunk? {
    try storage {
      try state.withLock { state in
        guard state.search == nil, state.run.isSmall else { return nil }
        return try read.viewInMemory(steps: Self.stepsInMemory) { view in
          guard try state.run.plan(in: view).isDirect else { throw NotInMemory() }
          var run = state.run
          let chunk = try pull(
            view,
            &run,
            maxDocuments: .max,
            maxBytes: maxBytes,
            slice: Self.longSlice
          )
          state.run = run
          return chunk
        }
      }
    }
  }

  /// The steps of a small query: some for the names in an index, some for the documents.
  package static let stepsInMemory = 3 * QueryRun.smallLimit

  /// The fields of the next documents without their names; fewer than there is room for, even none, where the slice
  /// is used up.
  ///
  /// Not for a nearest-neighbour search or a projection, which this goes past.
  ///
  /// - Parameter covered: The only fields that are wanted.
  package func nextFields(
    maxBytes: Int = 1 << 18,
    slice: Int = QueryCursor.longSlice,
    covered: CoveredFields? = nil,
    in view: LentView? = nil
  ) throws -> QueryFields {
    try storage(view) {
      try state.withLock { state in
        try lend(view) { view in
          var fields = QueryFields()
          let orders = state.run.orders
          _ = try state.run.pull(view, slice: slice) { result in
            if let covered {
              let values = try covered.values(of: result, orders: orders)
              values.bytes.withUnsafeBytes { fields.append($0) }
            } else {
              try result.withFields { fields.append($0) }
            }
            return fields.byteCount < maxBytes
          }
          fields.isDone = state.run.isDone
          return fields
        }
      }
    }
  }

  /// The next documents' names, from index entries alone where they tell enough; fewer than asked for, even none,
  /// where the slice is used up.
  package func nextNames(
    max: Int = 1_000,
    slice: Int = QueryCursor.longSlice
  ) throws -> QueryNames {
    try storage {
      try state.withLock { state in
        try read.view { view in
          var names = QueryNames(readTime: view.version)
          if max > 0 {
            _ = try state.run.pull(view, slice: slice) { result in
              names.paths.append(try result.path())
              return names.paths.count < max
            }
          }
          names.isDone = state.run.isDone
          return names
        }
      }
    }
  }

  /// Returns the plan of the query, with its indexes; reads nothing but the version.
  package func plan(in view: LentView? = nil) throws -> QueryPlan {
    try storage(view) {
      try state.withLock { state in try lend(view) { try state.run.plan(in: $0) } }
    }
  }

  /// The approximate memory that the query keeps from one pull to the next: the nearest documents
  /// so far, and the documents sorted for a missing index.
  package var heldBytes: Int {
    state.withLock { $0.run.heldBytes + ($0.search?.heldBytes ?? 0) }
  }

  /// The counts of entries and documents read and delivered so far.
  package var statistics: QueryStatistics {
    state.withLock { state in
      var statistics = state.run.statistics
      if let search = state.search {
        statistics.documentsReturned = search.delivered
        statistics.vectorsMeasured = search.measured
      }
      return statistics
    }
  }

  private func lend<R>(_ open: LentView?, _ body: (ReadView) throws -> R) throws -> R {
    guard let open else { return try read.view(body) }
    return try body(open.view.again())
  }

  private func pull(
    _ view: ReadView,
    _ run: inout QueryRun,
    maxDocuments: Int,
    maxBytes: Int,
    slice: Int,
    covered: CoveredFields? = nil
  ) throws -> QueryChunk {
    var chunk = QueryChunk(readTime: view.version)
    var bytes = 0
    let orders = run.orders
    if maxDocuments > 0 {
      chunk.skipped = try run.pull(view, slice: slice) { result in
        let record =
          try covered.map { try result.record(with: $0, orders: orders) }
          ?? projection.record(result)
        bytes += record.fields.bytes.count
        chunk.documents.append(record)
        return chunk.documents.count < maxDocuments && bytes < maxBytes
      }
    }
    chunk.isDone = run.isDone
    return chunk
  }

  /// Searches through all of the query's documents first, a slice a call, then hands out the nearest.
  private func nearest(
    _ state: inout State,
    maxDocuments: Int,
    maxBytes: Int,
    slice: Int
  ) throws -> QueryChunk {
    guard var search = state.search.take() else {
      throw ServiceError(.internalError, "There is no search to continue.")
    }
    defer { state.search = search }
    let readTime = try read.view { view in
      if !state.run.isDone {
        _ = try state.run.pull(view, slice: slice) { result in
          try search.judge(result)
          return true
        }
      }
      return view.version
    }
    var chunk = QueryChunk(readTime: readTime)
    guard state.run.isDone else { return chunk }
    chunk.documents = try search.take(
      maxDocuments: maxDocuments,
      maxBytes: maxBytes,
      projection: projection
    )
    chunk.isDone = search.isEmpty
    return chunk
  }

  /// Errors are clients' errors, but for the owner of an open view, who may have to know that it reads memory alone.
  private func storage<R>(_ open: LentView? = nil, _ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw open == nil ? ServiceError.storage(error) : error }
  }
}

/// The fields of a query's documents that are delivered.
struct QueryProjection: Sendable {
  private let fields: [FieldPath]?

  /// All fields, or those named; `__name__` is none.
  init(_ fields: [FieldPath]?) { self.fields = fields }

  /// A result as it is delivered.
  func record(_ result: QueryResult) throws -> DocumentRecord {
    let document = try result.document()
    let name = DocumentName(database: result.context.database, path: try result.path())
    return apply(to: document.record(name: name))
  }

  /// A record with the fields that are asked for.
  func apply(to record: DocumentRecord) -> DocumentRecord {
    guard let fields else { return record }
    return DocumentRecord(
      name: record.name,
      fields: fields.isEmpty ? .empty : record.fields.projected(to: fields),
      createTime: record.createTime,
      updateTime: record.updateTime
    )
  }
}

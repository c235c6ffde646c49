import FirestoreModel
import KeyValueStore
import Synchronization

/// A part of a query's result.
package struct QueryChunk: Sendable {
  package var documents: [DocumentRecord] = []
  /// Documents that the query's offset has eaten in this part.
  package var skipped = 0
  /// Whether nothing follows.
  package var isDone = false
  /// The version at which the whole query reads.
  package let readTime: CommitVersion
}

/// A query that is being answered, part by part, all at one version.
///
/// Nothing is held between pulls but the sort key of the last document: every pull opens a view of
/// its own and reads on behind it. One call at a time; calls block.
package final class QueryCursor: Sendable {
  private let read: ConsistentRead
  private let database: Database
  private let query: NormalizedQuery
  private let state: Mutex<QueryProgress>

  /// The transaction that the query's consistency began, if it did.
  package var newTransaction: TransactionID? { read.newTransaction }

  init(_ query: NormalizedQuery, read: ConsistentRead, database: Database) {
    self.query = query
    self.read = read
    self.database = database
    state = Mutex(QueryProgress(query))
  }

  /// The next documents: as many as asked for, fewer when their fields exceed `maxBytes` together
  /// or when finding more would take long; none and not done is possible.
  package func next(
    maxDocuments: Int = 300,
    maxBytes: Int = 1 << 20
  ) throws -> QueryChunk {
    try state.withLock { progress in
      try read.view { view in
        try pull(view, &progress, maxDocuments: maxDocuments, maxBytes: maxBytes)
      }
    }
  }

  /// How the query is answered, and by which indexes; reads nothing but the version.
  package func plan() throws -> QueryPlan {
    try state.withLock { progress in
      try read.view { view in try self.plan(view, &progress) }
    }
  }

  /// What has been read and delivered so far.
  package var statistics: QueryStatistics { state.withLock { $0.statistics } }

  private func plan(_ view: ReadView, _ progress: inout QueryProgress) throws -> QueryPlan {
    let indexes = database.indexes.current
    if let plan = progress.plan, plan.generation == indexes.generation { return plan }
    let plan = Planner(indexes: indexes, query: query, version: view.version).plan()
    if let missing = plan.missingIndex {
      if database.configuration.requireIndexes { throw missing.error(in: database.id) }
      if progress.plan == nil { database.configuration.missingIndexObserver?(missing.entry) }
    }
    progress.adopt(plan)
    return plan
  }

  private func pull(
    _ view: ReadView,
    _ progress: inout QueryProgress,
    maxDocuments: Int,
    maxBytes: Int
  ) throws -> QueryChunk {
    var chunk = QueryChunk(readTime: view.version)
    let plan = try self.plan(view, &progress)
    guard !progress.isDone else {
      chunk.isDone = true
      return chunk
    }
    let context = QueryContext(
      view: view,
      incarnation: database.incarnation,
      database: database.id,
      query: query,
      space: plan.space
    )
    let opener = PlanOpener(context: context, plan: plan, buffers: progress.buffers)
    let lower =
      progress.position
      ?? query.start.map {
        SortBound($0, orders: plan.orders, space: plan.space)
      }
    let upper = query.end.map { SortBound($0, orders: plan.orders, space: plan.space) }
    let stream = try opener.open(from: lower, to: upper)
    var puller = QueryPuller(context: context, stream: stream, read: read)
    puller.maxDocuments = maxDocuments
    puller.maxBytes = maxBytes
    try puller.run(&progress, &chunk)
    if read.isTracking {
      let end = progress.isExhausted ? upper : progress.position
      try RangeTracker(opener: opener, read: read).record(from: lower, to: end)
    }
    progress.statistics.add(view.statistics, delivered: chunk.documents.count)
    chunk.isDone = progress.isDone
    return chunk
  }
}

/// What a query has read and delivered.
package struct QueryStatistics: Sendable, Hashable {
  package var reads = ReadStatistics()
  package var documentsReturned = 0
  package var documentsSkipped = 0

  mutating func add(_ reads: ReadStatistics, delivered: Int) {
    self.reads.add(reads)
    documentsReturned += delivered
  }
}

/// How far a query has come.
struct QueryProgress {
  private(set) var plan: QueryPlan?
  private(set) var buffers: [Int: SortBuffer] = [:]
  /// Behind the last candidate that was judged.
  var position: SortBound?
  var offsetLeft: Int
  var limitLeft: Int?
  /// Whether every candidate has been judged.
  var isExhausted = false
  var statistics = QueryStatistics()

  init(_ query: NormalizedQuery) {
    offsetLeft = query.offset
    limitLeft = query.limit
  }

  var isDone: Bool { isExhausted || limitLeft == 0 }

  mutating func adopt(_ plan: QueryPlan) {
    self.plan = plan
    buffers = [:]
    for (index, disjunct) in plan.disjuncts.enumerated() {
      if case .sort = disjunct.source { buffers[index] = SortBuffer() }
    }
  }
}

/// Takes documents from a stream until a pull has enough.
struct QueryPuller {
  /// Candidates that one pull judges at most, so that no view stays open for long.
  static let candidateBudget = 20_000

  let context: QueryContext
  let stream: UnionStream
  let read: ConsistentRead
  var maxDocuments = Int.max
  var maxBytes = Int.max
  private var name: [UInt8] = []

  init(context: QueryContext, stream: UnionStream, read: ConsistentRead) {
    self.context = context
    self.stream = stream
    self.read = read
  }

  mutating func run(_ progress: inout QueryProgress, _ chunk: inout QueryChunk) throws {
    var bytes = 0
    var judged = 0
    while !progress.isDone, chunk.documents.count < maxDocuments, bytes < maxBytes,
      judged < Self.candidateBudget
    {
      guard try stream.next() else {
        progress.isExhausted = true
        return
      }
      judged += 1
      guard let document = try accepted(progress.offsetLeft > 0) else { continue }
      if progress.offsetLeft > 0 {
        progress.offsetLeft -= 1
        progress.statistics.documentsSkipped += 1
        chunk.skipped += 1
        continue
      }
      if let limit = progress.limitLeft { progress.limitLeft = limit - 1 }
      bytes += document.fields.bytes.count
      chunk.documents.append(document)
    }
    guard judged > 0 else { return }
    var key = SortKey()
    stream.candidate.copySortKey(to: &key)
    progress.position = SortBound(key, isAfter: true)
  }

  /// The current candidate's document if it belongs to the result; one that is only skipped is not
  /// read when its entry is enough.
  private mutating func accepted(_ isSkipped: Bool) throws -> DocumentRecord? {
    let candidate = stream.candidate
    candidate.copyName(to: &name)
    let document =
      candidate.plan.deliversRecords
      ? try StoredDocument(value: candidate.payload) : try context.document(named: name)
    guard let document else { throw context.missingDocument(name) }
    let path = try context.path(ofName: name)
    if read.isTracking { try read.record(.document(path, document.updateTime)) }
    if candidate.needsLook, !context.matches(document, at: path) { return nil }
    return document.record(name: DocumentName(database: context.database, path: path))
  }
}

import FirestoreModel

/// A query on its way through its candidates.
///
/// All pulls read at one version; only the sort key of the last candidate is kept between them.
struct QueryRun {
  /// The largest number of candidates that one pull evaluates, and of entries and documents that it
  /// looks at before it stops at the next candidate, so that no view stays open for long.
  static let slice = 20_000

  let query: NormalizedQuery
  let read: ConsistentRead
  let database: Database
  /// The query's own, or others that give the same documents where their order does not matter.
  let orders: [Order]
  /// Fields without which a document is no result.
  let neededFields: [FieldPath]
  /// The number of the only index that may serve the query; nil where the planner chooses.
  private let forcedIndex: UInt32?

  private var plan: QueryPlan?
  private var buffers: [Int: SortBuffer] = [:]
  /// Behind the last candidate that was judged.
  var position: SortBound?
  private var offsetLeft: Int
  private var limitLeft: Int?
  private var isExhausted = false
  private(set) var statistics = QueryStatistics()

  init(
    _ query: NormalizedQuery,
    read: ConsistentRead,
    database: Database,
    orders: [Order]? = nil,
    neededFields: [FieldPath] = [],
    forcedIndex: UInt32? = nil
  ) {
    self.forcedIndex = forcedIndex
    self.query = query
    self.read = read
    self.database = database
    self.orders = orders ?? query.orders
    self.neededFields = neededFields
    offsetLeft = query.offset
    limitLeft = query.limit
  }

  /// About how much memory sorted positions take.
  var heldBytes: Int { buffers.values.reduce(0) { $0 + $1.heldBytes } }

  /// True if there is nothing left to find.
  var isDone: Bool { isExhausted || limitLeft == 0 }

  /// The largest limit of a small query, the offset included.
  static let smallLimit = 100

  /// True if it can be served at once, and has not been started.
  var isSmall: Bool {
    guard let limitLeft, position == nil, !isExhausted else { return false }
    return limitLeft <= Self.smallLimit && offsetLeft <= Self.smallLimit - limitLeft
  }

  /// The plan for the index definitions of this moment.
  ///
  /// Refuses a query whose index is missing, or tells the observer, as the store is configured.
  mutating func plan(in view: ReadView) throws -> QueryPlan {
    let indexes = database.indexes.current
    if let plan, plan.generation == indexes.generation { return plan }
    let planner = Planner(
      indexes: indexes,
      query: query,
      orders: orders,
      version: view.version,
      forcedIndex: forcedIndex
    )
    let made = planner.plan()
    if plan == nil { database.uses.note(made) }
    if let missing = made.missingIndex {
      if database.configuration.requireIndexes {
        throw missing.error(in: database.id, console: database.configuration.consoleOrigin)
      }
      if plan == nil { database.configuration.missingIndexObserver?(missing.entry) }
    }
    plan = made
    buffers = [:]
    for (index, disjunct) in made.disjuncts.enumerated() {
      if case .sort = disjunct.source { buffers[index] = SortBuffer() }
    }
    return made
  }

  /// Visits the next results until there are none, the visitor has enough, or the slice is used up; answers
  /// how many the offset has eaten.
  mutating func pull(
    _ view: ReadView,
    slice: Int = QueryRun.slice,
    visit: (QueryResult) throws -> Bool
  ) throws -> Int {
    let plan = try self.plan(in: view)
    if isDone { return 0 }
    let context = QueryContext(
      view: view,
      incarnation: database.incarnation,
      database: database.id,
      query: query,
      space: plan.space
    )
    let opener = PlanOpener(context: context, plan: plan, buffers: buffers)
    let lower = position ?? bound(query.start, plan)
    let upper = bound(query.end, plan)
    view.sliceEnd = view.steps + slice
    let stream = try opener.open(from: lower, to: upper)
    let skipped = try walk(stream, context, slice: slice, visit)
    if read.isTracking, isExhausted || position != nil {
      let end = isExhausted ? upper : position
      try RangeTracker(opener: opener, read: read).record(from: lower, to: end)
    }
    statistics.reads.add(view.statistics)
    statistics.documentsSkipped += skipped
    return skipped
  }

  private func bound(_ cursor: Cursor?, _ plan: QueryPlan) -> SortBound? {
    cursor.map { SortBound($0, orders: plan.orders, space: plan.space) }
  }

  private mutating func walk(
    _ stream: UnionStream,
    _ context: QueryContext,
    slice: Int,
    _ visit: (QueryResult) throws -> Bool
  ) throws -> Int {
    var skipped = 0
    var judged = 0
    var goesOn = true
    let result = QueryResult(context)
    var key = SortKey()
    // At least one candidate, for any slice: without one, the next slice would be the same again.
    while goesOn, !isDone, judged == 0 || (judged < slice && !context.view.isSliceUsedUp) {
      do {
        guard try stream.next() else {
          isExhausted = true
          return skipped
        }
      } catch is SliceUsedUp {
        break
      }
      judged += 1
      result.candidate = stream.candidate
      // The next move of a stream that sorts may be its last in this slice, and leave the candidate.
      if !buffers.isEmpty { stream.candidate.copySortKey(to: &key) }
      guard try accepts(result) else { continue }
      if offsetLeft > 0 {
        offsetLeft -= 1
        skipped += 1
        continue
      }
      if let limit = limitLeft { limitLeft = limit - 1 }
      statistics.documentsReturned += 1
      goesOn = try visit(result)
    }
    if judged > 0 {
      if buffers.isEmpty { stream.candidate.copySortKey(to: &key) }
      position = SortBound(key, isAfter: true)
    }
    return skipped
  }

  private func accepts(_ result: QueryResult) throws -> Bool {
    if result.candidate.isMilestone { return false }
    if read.isTracking {
      // The document itself becomes part of the transaction's reads.
      try read.record(.document(result.path(), result.document().updateTime))
    }
    if result.candidate.needsLook, try !result.matches() { return false }
    for field in neededFields where try !result.hasValue(at: field, orders: orders) { return false }
    return true
  }
}

/// The counts of entries and documents that a query has read and delivered.
package struct QueryStatistics: Sendable, Hashable {
  /// Seeks, entries and documents that the engine read.
  package var reads = ReadStatistics()
  /// Results delivered, after offset and limit.
  package var documentsReturned = 0
  /// Results that the offset skipped.
  package var documentsSkipped = 0
  /// Documents whose vector a nearest-neighbour search looked at.
  package var vectorsMeasured = 0
}

/// The result under the visitor's eyes; its document is read when it is asked for.
///
/// One object serves a whole pull.
final class QueryResult {
  let context: QueryContext
  /// The name part, ascending.
  private(set) var name: [UInt8] = []
  private var read: StoredDocument?
  private var current: CandidateStream?

  init(_ context: QueryContext) { self.context = context }

  /// The stream whose current candidate is the result; set for every candidate.
  var candidate: CandidateStream {
    get {
      guard let current else { preconditionFailure("a result has a candidate") }
      return current
    }
    set {
      current = newValue
      read = nil
      newValue.copyName(to: &name)
    }
  }

  func path() throws -> ResourcePath { try context.path(ofName: name) }

  func document() throws -> StoredDocument {
    if let read { return read }
    let found =
      candidate.plan.deliversRecords
      ? try context.document(lent: candidate.payload, named: name)
      : try context.document(named: name)
    guard let found else { throw context.missingDocument(name) }
    read = found
    return found
  }

  /// Lends the document's fields, from the entry itself where that holds the record.
  func withFields(_ body: (UnsafeRawBufferPointer) -> Void) throws {
    if read == nil, candidate.plan.deliversRecords {
      let record = candidate.payload
      if record.count >= StoredDocument.headerLength {
        return body(UnsafeRawBufferPointer(rebasing: record[StoredDocument.headerLength...]))
      }
    }
    try document().fields.bytes.withUnsafeBytes { body($0) }
  }

  /// The document with these fields alone, and without its times.
  func record(with covered: CoveredFields, orders: [Order]) throws -> DocumentRecord {
    DocumentRecord(
      name: DocumentName(database: context.database, path: try path()),
      fields: try covered.values(of: self, orders: orders),
      createTime: .zero,
      updateTime: .zero
    )
  }

  func matches() throws -> Bool {
    context.matches(try document(), at: try path())
  }

  /// Returns true if the document has a value at a field, as its entry shows if it can.
  func hasValue(at field: FieldPath, orders: [Order]) throws -> Bool {
    if let index = candidate.position(of: field, orders: orders) {
      return candidate.tag(index) != .absent
    }
    return try document().fields.hasValue(at: field)
  }

  /// The document's value at a field, from its entry if that has it exactly.
  func value(at field: FieldPath, orders: [Order]) throws -> Value? {
    if let index = candidate.position(of: field, orders: orders),
      let value = candidate.decodedValue(index)
    {
      return value
    }
    return try document().fields.value(at: field)
  }
}

extension CandidateStream {
  /// Returns the index of the position's value for a field; nil if it has none.
  func position(of field: FieldPath, orders: [Order]) -> Int? {
    guard let order = orders.firstIndex(where: { $0.field == field }),
      case .position(let index) = plan.components[order]
    else { return nil }
    return index
  }

  /// One of the position's values, if the entry has it exactly.
  func decodedValue(_ index: Int) -> Value? {
    let tag = tag(index)
    guard tag.isRestorable else { return nil }
    var offset = 0
    return OrderedEncoding.decode(
      value(index),
      at: &offset,
      tag: tag,
      direction: plan.directions[index]
    )
  }
}

import BaseStatus
import DocumentStore
import FirestoreModel
import Synchronization

/// Reads the start of a target, part by part, all at one version: everything, or the differences
/// from the client's state.
///
/// Calls block and belong on engine threads, one at a time. Nothing is held in the store between
/// them.
final class TargetReader: Sendable {
  private let database: Database
  private let subject: ViewSubject
  private let version: CommitVersion
  private let resumption: TargetRequest.Resumption?
  private let expectedCount: Int?
  private let authority: (any ListenAuthority)?
  private let slice: ReadSlice
  private let stage = Mutex(Stage.start)

  private enum Stage {
    case start
    /// The results are counted before the differences are sent, so that dropped documents get into
    /// their names.
    case counting(ResultCount, Difference)
    case difference(Difference)
    case snapshot(QueryCursor)
    case merge(DifferenceMerge)
    case over
  }

  /// The source of the difference.
  private enum Difference {
    case known([ReadPart.Item])
    case changes([ResourcePath], of: NormalizedQuery, since: CommitVersion)
    case queries(NormalizedQuery, since: CommitVersion)

    var isEmpty: Bool { if case .known(let items) = self { items.isEmpty } else { false } }
  }

  /// Reads a subject at a version.
  ///
  /// If the client resumes and says how many documents it holds, they are counted. An authority, if
  /// there is one, decides if the client may know of the version that it resumes from.
  init(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion,
    resumption: TargetRequest.Resumption?,
    expectedCount: Int?,
    authority: (any ListenAuthority)?,
    slice: ReadSlice
  ) {
    self.subject = subject
    self.database = database
    self.version = version
    self.resumption = resumption
    self.expectedCount = expectedCount
    self.authority = authority
    self.slice = slice
  }

  /// The next part, read in one slice; it may be empty, and the last one says that it is.
  func next() throws -> ReadPart {
    try stage.withLock { stage in
      switch stage {
      case .start: return try begin(&stage)
      case .counting(let count, let difference): return try go(on: count, difference, &stage)
      case .difference(let difference): return try tell(difference, &stage)
      case .snapshot(let cursor): return try snapshot(cursor, ReadPart(), &stage)
      case .merge(let merge): return try go(on: merge, &stage)
      case .over: return ReadPart(isDone: true)
      }
    }
  }

  private func begin(_ stage: inout Stage) throws -> ReadPart {
    guard let resumption else { return try everything(resets: false, &stage) }
    guard let base = try usableBase(resumption), try mayKnow(of: base) else {
      return try everything(resets: true, &stage)
    }
    let difference = try difference(since: base)
    guard let expectedCount else { return try tell(difference, &stage) }
    switch subject {
    case .documents(let paths):
      var part = try tell(difference, &stage)
      part.count = try paths.count { try database.get($0, at: .at(version)) != nil }
      return part
    case .query(let query):
      let count = try ResultCount(
        query,
        in: database,
        at: version,
        since: difference.isEmpty ? nil : base,
        expected: expectedCount
      )
      return try go(on: count, difference, &stage)
    }
  }

  /// The version that the client's documents have; nil where the store does not remember it.
  private func usableBase(_ resumption: TargetRequest.Resumption) throws -> CommitVersion? {
    switch resumption {
    case .readTime(let base):
      return try database.remembers(base, until: version) ? base : nil
    case .token(let bytes):
      guard let token = ResumeToken(bytes: bytes),
        token.serves(SubjectMark(subject, in: database.id), in: database),
        try database.remembers(token.version, until: version)
      else { return nil }
      return token.version
    }
  }

  /// Returns true if the caller, as the rules in force see it, could have made the request at that
  /// version.
  ///
  /// The difference names documents that were there and are gone.
  private func mayKnow(of base: CommitVersion) throws -> Bool {
    guard let authority else { return true }
    do throws(ServiceError) {
      _ = try authority.decide(subject, in: database, at: base)
      return true
    } catch {
      guard error.isVerdict else { throw error }
      return false
    }
  }

  // MARK: Everything

  private func everything(resets: Bool, _ stage: inout Stage) throws -> ReadPart {
    var part = ReadPart(resets: resets)
    switch subject {
    case .documents(let paths):
      for path in paths { part.items.append(try item(path, isResult: true)) }
      part.isDone = true
      stage = .over
      return part
    case .query(let query):
      let cursor = try database.query(query, consistency: .at(version))
      return try snapshot(cursor, part, &stage)
    }
  }

  private func snapshot(
    _ cursor: QueryCursor,
    _ begun: ReadPart,
    _ stage: inout Stage
  ) throws -> ReadPart {
    var part = begun
    let chunk = try cursor.next(maxBytes: slice.bytes, slice: slice.steps)
    for record in chunk.documents {
      let document = SharedDocument(name: record.name, record: record)
      part.items.append(ReadPart.Item(document: document, isResult: true))
    }
    part.isDone = chunk.isDone
    stage = chunk.isDone ? .over : .snapshot(cursor)
    return part
  }

  // MARK: What differs

  private func difference(since base: CommitVersion) throws -> Difference {
    switch subject {
    case .documents(let paths):
      return .known(try paths.compactMap { try changedItem($0, since: base) })
    case .query(let query):
      let changed = try database.changedDocuments(
        inCollections: query.collectionID,
        after: base,
        through: version,
        limit: ChangeLogBudget.changes
      )
      guard let changed else { return .queries(query, since: base) }
      if changed.isEmpty { return .known([]) }
      return subject.isLimited
        ? .queries(query, since: base) : .changes(changed, of: query, since: base)
    }
  }

  private func go(
    on count: ResultCount,
    _ difference: Difference,
    _ stage: inout Stage
  ) throws -> ReadPart {
    var count = count
    var part = ReadPart(isDifference: true)
    guard try count.advance(slice) else {
      stage = .counting(count, difference)
      return part
    }
    (part.count, part.names) = (count.count, count.names)
    stage = .difference(difference)
    return part
  }

  private func tell(_ difference: Difference, _ stage: inout Stage) throws -> ReadPart {
    var part = ReadPart(isDifference: true)
    switch difference {
    case .known(let items): part.items = items
    case .changes(let paths, let query, let base):
      try add(paths, of: query, since: base, to: &part)
    case .queries(let query, let base):
      return try go(on: DifferenceMerge(query, in: database, from: base, to: version), &stage)
    }
    part.isDone = true
    stage = .over
    return part
  }

  private func go(on merge: DifferenceMerge, _ stage: inout Stage) throws -> ReadPart {
    var merge = merge
    var part = ReadPart(isDifference: true)
    try merge.pull(into: &part, slice)
    stage = part.isDone ? .over : .merge(merge)
    return part
  }

  /// The number of changes of the log to look at one by one before two queries are the better way.
  private enum ChangeLogBudget {
    static let changes = 1_000
  }

  /// The changed documents that are, or were, results.
  private func add(
    _ paths: [ResourcePath],
    of query: NormalizedQuery,
    since base: CommitVersion,
    to part: inout ReadPart
  ) throws {
    for path in paths where query.holds(path) {
      let item = try item(path, isResult: true)
      if let record = item.document.record, query.matches(record) {
        if record.updateTime > base { part.items.append(item) }
      } else if let old = try database.get(path, at: .at(base)), query.matches(old) {
        part.items.append(ReadPart.Item(document: item.document, isResult: false))
      }
    }
  }

  private func changedItem(
    _ path: ResourcePath,
    since base: CommitVersion
  ) throws -> ReadPart.Item? {
    let item = try item(path, isResult: true)
    if let record = item.document.record { return record.updateTime > base ? item : nil }
    return try database.get(path, at: .at(base)) == nil ? nil : item
  }

  /// The document at a path as it was at the version.
  private func item(_ path: ResourcePath, isResult: Bool) throws -> ReadPart.Item {
    let document = SharedDocument(
      name: DocumentName(database: database.id, path: path),
      record: try database.get(path, at: .at(version))
    )
    return ReadPart.Item(document: document, isResult: isResult && document.record != nil)
  }
}

import DocumentStore
import FirestoreModel
import Synchronization

/// Reads what a target begins with, part by part, all at one version: everything, or what differs
/// from what the client holds.
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
  /// Bytes of documents in one part, about.
  private let partBytes: Int
  private let stage = Mutex(Stage.start)

  private enum Stage {
    case start
    case snapshot(QueryCursor)
    case merge(DifferenceMerge)
    case over
  }

  /// Reads a subject at a version.
  ///
  /// Where the client resumes and says how many documents it holds, they are counted. With an
  /// authority it is also asked whether the client may know of the version that it resumes from.
  init(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion,
    resumption: TargetRequest.Resumption?,
    expectedCount: Int?,
    authority: (any ListenAuthority)?,
    partBytes: Int
  ) {
    self.subject = subject
    self.database = database
    self.version = version
    self.resumption = resumption
    self.expectedCount = expectedCount
    self.authority = authority
    self.partBytes = partBytes
  }

  /// The next part; the last one says that it is.
  func next() throws -> ReadPart {
    try stage.withLock { stage in
      switch stage {
      case .start: return try begin(&stage)
      case .snapshot(let cursor): return try snapshot(cursor, ReadPart(), &stage)
      case .merge(var merge):
        var part = ReadPart(isDifference: true)
        try merge.pull(into: &part, maxBytes: partBytes)
        stage = part.isDone ? .over : .merge(merge)
        return part
      case .over: return ReadPart(isDone: true)
      }
    }
  }

  private func begin(_ stage: inout Stage) throws -> ReadPart {
    guard let resumption else { return try everything(resets: false, &stage) }
    guard let base = try usableBase(resumption), try mayKnow(of: base) else {
      return try everything(resets: true, &stage)
    }
    var part = ReadPart(isDifference: true)
    let isSame = try addDifference(since: base, to: &part, &stage)
    guard let expectedCount else { return part }
    let count = try count(at: version)
    part.count = count
    let held = try isSame ? count : self.count(at: base)
    // Only of what is too much can the names tell.
    if expectedCount > held { part.names = try names(about: max(count, held)) }
    return part
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

  /// Whether the caller, as the rules in force see it, might have asked at that version.
  ///
  /// The difference names what was there and is gone.
  private func mayKnow(of base: CommitVersion) throws -> Bool {
    guard let authority else { return true }
    do throws(FirestoreError) {
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
    let chunk = try cursor.next(maxBytes: partBytes)
    for record in chunk.documents {
      let document = SharedDocument(name: record.name, record: record)
      part.items.append(ReadPart.Item(document: document, isResult: true))
    }
    part.isDone = chunk.isDone
    stage = chunk.isDone ? .over : .snapshot(cursor)
    return part
  }

  // MARK: What differs

  /// Answers whether nothing can have changed.
  private func addDifference(
    since base: CommitVersion,
    to part: inout ReadPart,
    _ stage: inout Stage
  ) throws -> Bool {
    part.isDone = true
    stage = .over
    switch subject {
    case .documents(let paths):
      part.items = try paths.compactMap { try changedItem($0, since: base) }
      return part.items.isEmpty
    case .query(let query):
      let changed = try database.changedDocuments(
        inCollections: query.collectionID,
        after: base,
        through: version,
        limit: ChangeLogBudget.changes
      )
      if let changed, changed.isEmpty { return true }
      if let changed, !subject.isLimited {
        try add(changed, of: query, since: base, to: &part)
        return false
      }
      var merge = try DifferenceMerge(query, in: database, from: base, to: version)
      try merge.pull(into: &part, maxBytes: partBytes)
      stage = part.isDone ? .over : .merge(merge)
      return false
    }
  }

  /// How many changes of the log are looked at one by one before two queries are the better way.
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

  // MARK: Counts and names

  private func count(at version: CommitVersion) throws -> Int {
    switch subject {
    case .documents(let paths):
      return try paths.count { try database.get($0, at: .at(version)) != nil }
    case .query(let query):
      let counting = [Aggregation(alias: "count", operator: .count(upTo: nil))]
      let result = try database.aggregate(query, counting, consistency: .at(version))
      guard case .integer(let count)? = result.values.first?.value else { return 0 }
      return Int(count)
    }
  }

  /// The names of the results, with room for some that come or must be dropped meanwhile; nil where
  /// there are too many for a filter, or no query.
  private func names(about count: Int) throws -> NameFilter? {
    guard case .query(let query) = subject, var filter = NameFilter(count: count + count / 4 + 32)
    else { return nil }
    let cursor = try database.query(query, consistency: .at(version))
    var isDone = false
    while !isDone {
      let names = try cursor.nextNames()
      for path in names.paths { filter.insert(DocumentName(database: database.id, path: path)) }
      isDone = names.isDone
    }
    return filter
  }
}

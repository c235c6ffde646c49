import Access
import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel

/// The documents of one request at one version, and the rules that are asked before any is shown.
final class PipelineStore {
  let database: Database
  private let read: ConsistentRead
  private let judge: RowJudge?
  private var allowed: Set<InputScope> = []
  private var unjudged: [any JudgedSource] = []
  /// The view that all reads share for the time of a call; nil where each opens its own.
  private var held: ReadView?
  /// The same for cursors.
  var lent: LentView? { held.map(LentView.init) }
  /// True where that view reads memory alone.
  private(set) var isInMemory = false

  init(_ database: Database, _ read: ConsistentRead, _ judge: RowJudge?) {
    self.database = database
    self.read = read
    self.judge = judge
  }

  /// True if rules apply.
  var isJudged: Bool { judge != nil }

  /// Notes an input that the rules are to be asked about before anything else happens.
  func note(_ source: any JudgedSource) { if isJudged { unjudged.append(source) } }

  /// Evaluates the rules for all inputs; false if that must continue.
  func allowInputs() throws -> Bool {
    while let next = unjudged.last {
      guard try next.allow() else { return false }
      unjudged.removeLast()
    }
    return true
  }

  /// The version that everything is read at.
  func version() throws -> CommitVersion { try storage { try lend { $0.version } } }

  /// Begins to read a query.
  ///
  /// - Parameter index: The number of the only index that may serve the query; nil for any.
  func cursor(_ query: NormalizedQuery, index: UInt32? = nil) -> QueryCursor {
    database.query(query, read: read, index: index)
  }

  /// The declared indexes of a scope.
  func indexes(of scope: InputScope) -> [DeclaredIndex] {
    let (id, kind): (Text, IndexScope) =
      switch scope.scope {
      case .collection(let id): (id, .collection)
      case .collectionGroup(let id): (id, .collectionGroup)
      case .children, .descendants: ("", .collection)
      }
    return database.indexes.current.declared(collectionID: id, scope: kind)
  }

  /// All documents of a scope.
  func everything(in scope: InputScope) throws -> QueryCursor {
    cursor(try scope.query.normalized())
  }

  /// Returns true if the rules allow a scope: as a whole, or the part that a query reads, by proof.
  func isAllowed(_ scope: InputScope, _ proofs: [NormalizedQuery]) throws -> Bool {
    guard let judge, !allowed.contains(scope) else { return true }
    return try storage {
      try lend { view in
        for proof in proofs where try judge.proves(proof, view) { return true }
        return false
      }
    }
  }

  /// True if every document of a scope may be read, by any query.
  func allowsWhole(_ scope: InputScope) throws -> Bool {
    guard isJudged, !allowed.contains(scope) else { return true }
    guard try isAllowed(scope, [try scope.query.normalized()]) else { return false }
    noteAllowed(scope)
    return true
  }

  /// True where every document of a scope may be read by proof, which is not noted: there may be a scope for each row.
  func mayRead(whole scope: InputScope) throws -> Bool {
    guard isJudged else { return true }
    return try isAllowed(scope, [try scope.query.normalized()])
  }

  /// Notes that all documents of a scope were judged.
  func noteAllowed(_ scope: InputScope) { allowed.insert(scope) }

  /// Throws where one of the documents may not be read.
  func requireList(_ documents: [DocumentRecord]) throws {
    guard let judge, !documents.isEmpty else { return }
    try storage { try lend { try judge.requireList(documents, $0) } }
  }

  /// Throws where one of the documents may not be got.
  func requireGet(_ paths: ArraySlice<ResourcePath>) throws {
    guard let judge else { return }
    try storage {
      try lend { view in
        var found: [(path: ResourcePath, record: DocumentRecord?)] = []
        for path in paths { found.append((path, try record(path, view)?.record)) }
        try judge.requireGet(found, view)
      }
    }
  }

  /// The documents that exist, in the order of their names here.
  func documents(_ paths: ArraySlice<ResourcePath>) throws -> [DocumentRecord] {
    try lookUp(paths).compactMap(\.self)
  }

  /// The document of each name; nil where there is none.
  func lookUp(_ paths: ArraySlice<ResourcePath>) throws -> [DocumentRecord?] {
    try storage {
      try lend { view in
        try paths.map { path in
          let found = try record(path, view)
          if read.isTracking {
            try read.record(.document(path, found?.stored.updateTime ?? .zero))
          }
          return found?.record
        }
      }
    }
  }

  /// Reads from one open view until the body ends.
  func holding<R>(
    _ view: ReadView,
    inMemory: Bool = false,
    _ body: () throws -> R
  ) rethrows -> R {
    (held, isInMemory) = (view, inMemory)
    defer { (held, isInMemory) = (nil, false) }
    return try body()
  }

  private func lend<R>(_ body: (ReadView) throws -> R) throws -> R {
    if let held { try body(held) } else { try read.view(body) }
  }

  private func record(
    _ path: ResourcePath,
    _ view: ReadView
  ) throws -> (record: DocumentRecord, stored: StoredDocument)? {
    let key = DocumentKey(path, in: database.incarnation)
    guard let stored = try database.document(key, in: view) else { return nil }
    return (stored.record(name: DocumentName(database: database.id, path: path)), stored)
  }

  private func storage<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw ServiceError.storage(error) }
  }
}

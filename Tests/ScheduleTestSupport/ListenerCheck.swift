import BaseText
import DocumentCodec
import FirestoreModel
import FirestoreSync

/// The snapshots that one listener received, and the checks on later ones.
///
/// Each snapshot follows from the one before by its changes and holds only states that the server
/// had or that pending writes made of them. A synced snapshot is the server's state at one version,
/// which never goes back.
struct ListenerCheck {
  private let query: ListenQuery
  private let options: ListenOptions
  private var paths: [ResourcePath] = []
  private var last: ViewSnapshot?
  private var syncedVersion = CommitVersion.zero

  init(_ query: ListenQuery, _ options: ListenOptions) {
    self.query = query
    self.options = options
  }

  /// Takes the next snapshot; `isSettled` is one that nothing of the client's own is part of.
  mutating func take(
    _ snapshot: ViewSnapshot,
    isSettled: Bool,
    written: [Write],
    _ server: ModelServer
  ) throws {
    try checkChanges(snapshot)
    try checkKinds(snapshot)
    try checkOrder(snapshot)
    for document in snapshot.documents {
      if document.hasPendingWrites {
        try checkLocal(document, written, server)
      } else {
        try checkState(document, server)
      }
    }
    if isSettled { syncedVersion = try serverVersion(of: snapshot, server) }
    paths = snapshot.documents.map(\.path)
    last = snapshot
  }

  private func checkChanges(_ snapshot: ViewSnapshot) throws {
    var paths = paths
    for (change, oldIndex, newIndex) in snapshot.indexedChanges() {
      if let oldIndex {
        guard paths.indices.contains(oldIndex), paths[oldIndex] == change.document.path else {
          throw Violation("a change's old index is another document's")
        }
        paths.remove(at: oldIndex)
      }
      if let newIndex {
        guard newIndex <= paths.count else { throw Violation("a new index is beyond") }
        paths.insert(change.document.path, at: newIndex)
      }
    }
    guard paths == snapshot.documents.map(\.path) else {
      throw Violation("the changes do not lead to the documents")
    }
  }

  /// Removed ones first, then added, then changed; at most one a document; never nothing at all.
  private func checkKinds(_ snapshot: ViewSnapshot) throws {
    let ranks = snapshot.changes.map { min($0.kind.rawValue, ViewChange.Kind.modified.rawValue) }
    guard ranks == ranks.sorted(), Set(snapshot.changes.map(\.document.path)).count == ranks.count
    else { throw Violation("changes are out of order") }
    if !options.includesMetadataChanges, snapshot.changes.contains(where: { $0.kind == .metadata })
    {
      throw Violation("a listener without metadata is told of metadata")
    }
    guard let last, snapshot.changes.isEmpty else { return }
    let isNews =
      last.isFromCache != snapshot.isFromCache
      || last.hasPendingWrites != snapshot.hasPendingWrites
    guard options.includesMetadataChanges, isNews else {
      throw Violation("a listener is told what it knows")
    }
  }

  private func checkOrder(_ snapshot: ViewSnapshot) throws {
    guard snapshot.documents.allSatisfy({ query.matches($0) }),
      snapshot.documents.count <= query.limit ?? .max
    else { throw Violation("a snapshot holds what does not match") }
    guard
      snapshot.hasPendingWrites == snapshot.documents.contains(where: \.hasLocalMutations)
        || snapshot.documents.contains(where: \.hasCommittedMutations)
    else { throw Violation("whether writes are pending is not what the documents say") }
    guard let normalized = query.normalized else { return }
    for (left, right) in zip(snapshot.documents, snapshot.documents.dropFirst())
    where normalized.compare(left, right) != .ascending {
      throw Violation("documents are out of order")
    }
  }

  private func checkState(_ document: CachedDocument, _ server: ModelServer) throws {
    let known = server.state(at: document.version)[document.path]
    guard let known, known.version == document.version, known.hasSameFields(as: document) else {
      throw Violation("\(document.path.string) is in a state that the server never had")
    }
  }

  /// Every field is as the server had it once or as the client wrote it, increments and elements on top.
  private func checkLocal(
    _ document: CachedDocument,
    _ written: [Write],
    _ server: ModelServer
  ) throws {
    let known = KnownFields(of: document.path, written, server)
    for entry in document.fields?.decoded().entries ?? [] where !known.allow(entry) {
      throw Violation("\(document.path.string) has a \(entry.key) that nobody ever made")
    }
  }

  /// The first version since the last at which the server had these results.
  private func serverVersion(
    of snapshot: ViewSnapshot,
    _ server: ModelServer
  ) throws -> CommitVersion {
    for (candidate, state) in server.history where candidate >= syncedVersion {
      if isResult(snapshot, in: state, server) { return candidate }
    }
    throw Violation("a synced snapshot is none of the server's since the last")
  }

  private func isResult(
    _ snapshot: ViewSnapshot,
    in state: ModelServer.State,
    _ server: ModelServer
  ) -> Bool {
    let expected = server.results(of: query.target, in: state)
    return expected.count == snapshot.documents.count
      && snapshot.documents.allSatisfy { expected[$0.path]?.hasSameFields(as: $0) == true }
  }

  /// Throws unless the listener has been told what the server has.
  ///
  /// One of the cache alone knows what other listeners brought.
  func checkConverged(_ server: ModelServer) throws {
    if options.source == .cache { return }
    guard let last else { throw Violation("a listener was never told anything") }
    guard isResult(last, in: server.state, server) else {
      let expected = server.results(of: query.target, in: server.state).values
      throw Violation(
        "a listener's results are \(last.documents.map(\.summary).sorted()), "
          + "not \(expected.map(\.summary).sorted())"
      )
    }
    if last.excludesMetadataChanges { return }
    guard !last.isFromCache, !last.hasPendingWrites else {
      throw Violation("a listener is still told that something is pending")
    }
  }
}

/// The fields that a document ever had, at the server and in a client's writes.
///
/// An acknowledged write is shown until watch delivers it, to the next user too. When a snapshot
/// comes it is not known which of the client's writes the server refused, so transforms may or may
/// not be part of a value.
private struct KnownFields {
  private var values: [Text: Set<Value>] = [:]
  private var elements: Set<Value> = []
  private var incrementCount: Int64 = 0

  init(of path: ResourcePath, _ written: [Write], _ server: ModelServer) {
    for fields in server.fields[path] ?? [] { note(fields) }
    for write in written where write.name.path == path {
      if case .update(let fields, _) = write.operation { note(fields) }
      for transform in write.transforms { note(transform.operation) }
    }
    // Where there was no number, increments begin with zero.
    values["n", default: []].insert(.integer(0))
  }

  private mutating func note(_ fields: DocumentFields) {
    for entry in fields.decoded().entries {
      if case .array(let found) = entry.value { elements.formUnion(found) }
      values[entry.key, default: []].insert(entry.value)
    }
  }

  private mutating func note(_ operation: FieldTransform.Operation) {
    switch operation {
    case .appendMissingElements(let added): elements.formUnion(added)
    case .increment: incrementCount += 1
    case .serverTimestamp, .maximum, .minimum, .removeAllFromArray: break
    }
  }

  func allow(_ entry: MapValue.Entry) -> Bool {
    // The time of a commit that is still to come.
    if entry.key == "at", PendingServerTimestamp(entry.value) != nil { return true }
    switch entry.value {
    case .array(let found): return Set(found).count == found.count && elements.isSuperset(of: found)
    case .integer(let number) where entry.key == "n":
      return (0...incrementCount).contains { count in
        values["n"]?.contains(.integer(number - count)) == true
      }
    default: return values[entry.key]?.contains(entry.value) == true
    }
  }
}

extension CachedDocument {
  fileprivate var summary: String {
    let entries = fields?.decoded().entries.map { "\($0.key)=\($0.value)" } ?? []
    return "\(path.string)@\(version.microseconds) \(mutations) \(entries)"
  }

  fileprivate func hasSameFields(as other: CachedDocument) -> Bool {
    guard let left = fields, let right = other.fields else { return false }
    return left.isIdentical(to: right)
  }
}

import DocumentStore
import FirestoreModel

// Limited views: what a batch has done to their window.

extension View {
  /// Tells the targets how the visible part has changed over the batch.
  ///
  /// May read: where the window ran short, or a document came into sight that did not change.
  func endBatch(at version: CommitVersion, hub: HubCore) throws {
    guard case .window(var window) = content, case .query(let query) = subject else { return }
    let before = visibleBefore
    let changes = batch
    visibleBefore = []
    batch = [:]
    if window.needsRefill {
      let content = try WindowContent.read(query, in: database, at: version)
      window = Window(query, content: content)
    }
    content = .window(window)
    try tellDifference(before, Array(window.visible), changes, at: version, hub: hub)
  }

  /// Takes what the window begins with and brings it up to the hub's version.
  func fill(_ loaded: WindowContent, at version: CommitVersion, hub: HubCore) throws {
    guard case .loading(_, let changes) = content, case .query(let query) = subject else { return }
    var window = Window(query, content: loaded)
    content = .window(window)
    let before = Array(window.visible)
    var latest: [ResourcePath: BatchChange] = [:]
    for (changed, change) in changes where changed > loaded.version {
      apply(change, of: query, to: &window)
      latest[change.path] = change
    }
    visibleBefore = before
    batch = latest
    content = .window(window)
    if !latest.isEmpty { try endBatch(at: version, hub: hub) }
  }

  private func tellDifference(
    _ before: [WindowEntry],
    _ after: [WindowEntry],
    _ changes: [ResourcePath: BatchChange],
    at version: CommitVersion,
    hub: HubCore
  ) throws {
    let old = Set(before.map(\.path))
    let new = Set(after.map(\.path))
    for path in old.subtracting(new).sorted() {
      let document = try changes[path]?.document ?? document(path, at: version, hub: hub)
      tell(document, was: true, is: false, to: hub)
    }
    for entry in after {
      let wasVisible = old.contains(entry.path)
      if let change = changes[entry.path] {
        tell(change.document, was: wasVisible, is: true, to: hub)
      } else if !wasVisible {
        tell(try document(entry.path, at: version, hub: hub), was: false, is: true, to: hub)
      }
    }
  }

  private func document(
    _ path: ResourcePath,
    at version: CommitVersion,
    hub: HubCore
  ) throws -> SharedDocument {
    SharedDocument(
      name: DocumentName(database: database.id, path: path),
      record: try database.get(path, at: .at(version)),
      ordinal: hub.nextOrdinal()
    )
  }
}

extension WindowContent {
  /// Reads the first matches of a limited query.
  static func read(
    _ query: NormalizedQuery,
    in database: Database,
    at version: CommitVersion
  ) throws -> WindowContent {
    let size = Window.size(of: query)
    let cursor = try database.query(
      query.windowed(offset: 0, limit: size),
      consistency: .at(version)
    )
    var entries: [WindowEntry] = []
    var isDone = false
    while !isDone {
      let chunk = try cursor.next()
      entries += chunk.documents.compactMap { WindowEntry($0, in: query) }
      isDone = chunk.isDone
    }
    return WindowContent(
      version: version,
      entries: entries,
      isComplete: size.map { entries.count < $0 } ?? true
    )
  }
}

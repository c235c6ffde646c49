import DocumentStore
import FirestoreModel

// Limited views: the effect of a batch on their window.

extension View {
  /// Notifies the targets of the change of the visible part over the batch.
  ///
  /// False where memory cannot tell, because the window ran short or a document came into sight that
  /// did not change: then the window is to be read again.
  func endBatch(at version: CommitVersion, hub: HubCore) -> Bool {
    guard case .window(let window) = content else { return true }
    let before = visibleBefore
    let changes = batch
    visibleBefore = []
    batch = [:]
    if !window.needsRefill,
      let sight = WindowSight(before, window, changes, { knownDocument($0, at: version, hub: hub) })
    {
      tell(sight, changes, hub: hub)
      return true
    }
    let pending = changes.values.sorted { $0.document.ordinal < $1.document.ordinal }
    content = .reading(WindowReading(shown: before, changes: pending.map { (version, $0) }))
    return false
  }

  /// Takes the window that was read and brings it up to the hub's version.
  ///
  /// False where it has run short since: then it is to be read again.
  func fill(_ loaded: WindowContent, hub: HubCore) -> Bool {
    guard case .reading(let reading) = content, case .query(let query) = subject
    else { return true }
    var window = Window(query, content: loaded)
    var latest: [ResourcePath: BatchChange] = [:]
    for (changed, change) in reading.changes {
      if changed > loaded.version { apply(change, of: query, to: &window) }
      latest[change.path] = change
    }
    guard !window.needsRefill else { return false }
    if let shown = reading.shown {
      let sight = WindowSight(shown, window, latest) { path in
        loaded.documents[path].map { self.document(path, $0, hub: hub) }
      }
      guard let sight else { return false }
      content = .window(window)
      tell(sight, latest, hub: hub)
    }
    content = .window(window)
    return true
  }

  private func tell(_ sight: WindowSight, _ changes: [ResourcePath: BatchChange], hub: HubCore) {
    for path in sight.left {
      // An unchanged document is still there, even if another one took its position.
      let document = changes[path]?.document ?? document(path, nil, exists: true, hub: hub)
      tell(document, was: true, is: false, to: hub)
    }
    for (document, wasVisible) in sight.told {
      tell(document, was: wasVisible, is: true, to: hub)
    }
  }

  /// The document at that version, where memory has it.
  private func knownDocument(
    _ path: ResourcePath,
    at version: CommitVersion,
    hub: HubCore
  ) -> SharedDocument? {
    guard case .found(let record) = database.getCached(path), record.updateTime <= version
    else { return nil }
    return document(path, record, hub: hub)
  }

  private func document(
    _ path: ResourcePath,
    _ record: DocumentRecord?,
    exists: Bool = true,
    hub: HubCore
  ) -> SharedDocument {
    SharedDocument(
      name: DocumentName(database: database.id, path: path),
      record: record,
      exists: exists,
      ordinal: hub.nextOrdinal()
    )
  }
}

/// The effect of a batch on the part of a window that clients see.
private struct WindowSight {
  /// The documents that they no longer see.
  let left: [ResourcePath]
  /// The documents that have changed in sight or come into it, and if they were visible before.
  private(set) var told: [(document: SharedDocument, wasVisible: Bool)] = []

  /// Nil where `find` does not find a document that came into sight without a change.
  init?(
    _ before: [WindowEntry],
    _ window: Window,
    _ changes: [ResourcePath: BatchChange],
    _ find: (ResourcePath) -> SharedDocument?
  ) {
    let old = Set(before.map(\.path))
    left = old.subtracting(window.visible.map(\.path)).sorted()
    for entry in window.visible {
      let wasVisible = old.contains(entry.path)
      if let change = changes[entry.path] {
        told.append((change.document, wasVisible))
      } else if !wasVisible {
        guard let document = find(entry.path) else { return nil }
        told.append((document, false))
      }
    }
  }
}

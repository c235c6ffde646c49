import BaseStatus
import DocumentStore
import FirestoreModel
import Synchronization

/// Reads the first matches of a limited query slice by slice, all at one version, with the documents of those that were
/// not shown.
///
/// Calls block and belong on engine threads, one at a time.
final class WindowReader: Sendable {
  private struct State {
    var entries: [WindowEntry] = []
    var documents: [ResourcePath: DocumentRecord] = [:]
  }

  private let query: NormalizedQuery
  private let version: CommitVersion
  private let size: Int?
  private let shown: Set<ResourcePath>?
  private let slice: ReadSlice
  private let cursor: QueryCursor
  private let state = Mutex(State())

  /// Reads at a version; `shown` nil wants no documents.
  init(
    _ query: NormalizedQuery,
    in database: Database,
    at version: CommitVersion,
    shown: Set<ResourcePath>?,
    slice: ReadSlice
  ) throws(ServiceError) {
    self.query = query
    self.version = version
    self.shown = shown
    self.slice = slice
    size = Window.size(of: query)
    do {
      let windowed = query.windowed(offset: 0, limit: size)
      cursor = try database.query(windowed, consistency: .at(version))
    } catch {
      throw ServiceError.storage(error)
    }
  }

  /// Reads one slice; the window where these were the last of its entries, else nil.
  func next() throws -> WindowContent? {
    try state.withLock { state in
      let chunk = try cursor.next(
        maxDocuments: slice.steps,
        maxBytes: slice.bytes,
        slice: slice.steps
      )
      take(chunk.documents, into: &state)
      guard chunk.isDone else { return nil }
      return WindowContent(
        version: version,
        entries: state.entries,
        isComplete: size.map { state.entries.count < $0 } ?? true,
        documents: state.documents
      )
    }
  }

  private func take(_ records: [DocumentRecord], into state: inout State) {
    state.entries += records.compactMap { WindowEntry($0, in: query) }
    guard let shown else { return }
    for record in records where !shown.contains(record.name.path) {
      state.documents[record.name.path] = record
    }
  }
}

import FirestoreModel

/// How one document of a view changed.
package struct ViewChange: Sendable {
  /// The kinds of changes.
  package enum Kind: Int, Sendable, Hashable {
    case removed
    case added
    case modified
    /// Only whether it has pending writes changed.
    case metadata
  }

  package let kind: Kind
  /// The document after the change; a removed one as it was last shown.
  package let document: CachedDocument
}

/// The changes of one snapshot, at most one a document.
struct ViewChangeSet {
  private var changes: [ResourcePath: ViewChange] = [:]

  var isEmpty: Bool { changes.isEmpty }
  var values: some Collection<ViewChange> { changes.values }

  /// Adds a change, merged with what is there for the same document.
  mutating func track(_ kind: ViewChange.Kind, _ document: CachedDocument) {
    let path = document.path
    guard let old = changes[path] else {
      changes[path] = ViewChange(kind: kind, document: document)
      return
    }
    switch (old.kind, kind) {
    case (.added, .removed): changes[path] = nil
    case (.modified, .removed), (.metadata, .removed):
      changes[path] = ViewChange(kind: .removed, document: old.document)
    case (.removed, .added): changes[path] = ViewChange(kind: .modified, document: document)
    case (_, .metadata) where old.kind != .removed:
      changes[path] = ViewChange(kind: old.kind, document: document)
    case (.added, .modified): changes[path] = ViewChange(kind: .added, document: document)
    default: changes[path] = ViewChange(kind: kind, document: document)
    }
  }

  /// Removed documents first, then added, then all others, each in the query's order.
  func ordered(by query: ListenQuery) -> [ViewChange] {
    let order = query.resultOrder
    return changes.values.map { change in
      (
        change: change,
        rank: min(change.kind.rawValue, ViewChange.Kind.modified.rawValue),
        position: (key: query.sortKey(of: change.document), path: change.document.path)
      )
    }
    .sorted { left, right in
      left.rank != right.rank
        ? left.rank < right.rank : order.compare(left.position, right.position) == .ascending
    }
    .map(\.change)
  }
}

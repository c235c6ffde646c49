import FirestoreModel

/// The change to one document of a view.
package struct ViewChange: Sendable {
  /// The kinds of changes.
  package enum Kind: Int, Sendable, Hashable {
    case removed
    case added
    case modified
    /// Only whether it has pending writes changed.
    case metadata
  }

  /// The difference between the last snapshot and this one.
  package let kind: Kind
  /// The document after the change; a removed one as it was last shown.
  package let document: CachedDocument
}

/// The changes of one snapshot, at most one a document.
struct ViewChangeSet {
  private var changes: [ResourcePath: ViewChange] = [:]

  var isEmpty: Bool { changes.isEmpty }
  var values: some Collection<ViewChange> { changes.values }

  /// Adds a change, merged with an existing one for the same document.
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
  ///
  /// `documents` are the results after the changes, in that order: where many of them changed they are gone through
  /// instead of sorted once more.
  func ordered(by query: ListenQuery, among documents: [CachedDocument]) -> [ViewChange] {
    if changes.count <= documents.count / Self.shareWorthSorting {
      return Self.sorted(Array(changes.values), by: query)
    }
    var added: [ViewChange] = []
    var others: [ViewChange] = []
    for document in documents {
      guard let change = changes[document.path] else { continue }
      if change.kind == .added { added.append(change) } else { others.append(change) }
    }
    let removed = changes.values.filter { $0.kind == .removed }
    return Self.sorted(removed, by: query) + added + others
  }

  /// Sorting one in so many of the results costs less than going through all of them.
  private static let shareWorthSorting = 16

  private static func sorted(_ changes: [ViewChange], by query: ListenQuery) -> [ViewChange] {
    if changes.count < 2 { return changes }
    let order = query.resultOrder
    return changes.sorted { left, right in
      left.rank != right.rank
        ? left.rank < right.rank : order.compare(left.document, right.document) == .ascending
    }
  }
}

extension ViewChange {
  /// The rank of a change in a snapshot's order.
  fileprivate var rank: Int { min(kind.rawValue, Kind.modified.rawValue) }
}

import FirestoreModel

/// Queued changes of one target, at most one a document: a later change replaces an earlier one.
struct ChangeBuffer {
  private struct Entry {
    var document: SharedDocument
    /// True if the client holds it.
    var was: Bool
    var `is`: Bool
  }

  private var entries: [ResourcePath: Entry] = [:]
  /// About how much memory the documents take.
  private(set) var size = 0

  var isEmpty: Bool { entries.isEmpty }

  func contains(_ path: ResourcePath) -> Bool { entries[path] != nil }

  mutating func add(_ change: DocumentChange) {
    let path = change.document.name.path
    size += change.document.size
    if let known = entries[path] {
      size -= known.document.size
      entries[path] = Entry(document: change.document, was: known.was, is: change.is)
    } else {
      entries[path] = Entry(document: change.document, was: change.was, is: change.is)
    }
  }

  /// Sets whether the client holds a document whose change waits.
  mutating func setWas(_ was: Bool, at path: ResourcePath) { entries[path]?.was = was }

  /// The changes in the order in which they happened; documents that appeared and disappeared are
  /// left out.
  func settled(tellsMissing: Bool) -> [DocumentChange] {
    entries.values.filter { $0.was || $0.is || tellsMissing }
      .map { DocumentChange(document: $0.document, was: $0.was || tellsMissing, is: $0.is) }
      .sorted { $0.document.ordinal < $1.document.ordinal }
  }

  mutating func removeAll() {
    entries = [:]
    size = 0
  }
}

import FirestoreModel

/// A bounded part of an index task as a view showed it, to be written in a group.
///
/// Additions and removals that depend on a document hold only as long as the document has not been
/// written since the view; the writer looks again at documents that have been.
struct IndexSlice {
  /// Entries that a document lacks.
  struct Addition {
    let path: ResourcePath
    let version: CommitVersion
    let entries: [IndexEntry]
  }

  /// An entry that is to go.
  struct Removal {
    let key: [UInt8]
    /// The document that does not have the entry; nil where the entry goes in any case.
    let path: ResourcePath?
  }

  let task: IndexTask
  /// The definitions that the slice follows.
  let set: IndexSet
  /// The position at which the slice begins.
  let position: [UInt8]
  /// The position at which the next one begins; nil after the last.
  var next: [UInt8]?
  var additions: [Addition] = []
  var removals: [Removal] = []
}

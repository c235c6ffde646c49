import DocumentStore
import FirestoreModel

/// Commits that follow each other, as one step: each document once, as it was before and is after.
struct CommitBatch {
  /// One document of one life of a database.
  struct Key: Hashable {
    let incarnation: Incarnation
    let path: ResourcePath
  }

  /// The change to a document.
  struct Change {
    let database: DatabaseID
    let old: StoredDocument?
    var new: StoredDocument?
  }

  private(set) var version = CommitVersion.zero
  private(set) var commits = 0
  private(set) var keys: [Key] = []
  private var changes: [Key: Change] = [:]

  /// A batch takes about so many changes, so that no stream waits long for its first.
  private static let changeLimit = 1_000

  var isEmpty: Bool { version == .zero }
  var isFull: Bool { keys.count >= Self.changeLimit }

  mutating func add(_ published: [PublishedCommit], through version: CommitVersion) {
    self.version = version
    commits += published.count
    for commit in published {
      for change in commit.changes {
        let key = Key(incarnation: commit.incarnation, path: change.path)
        if changes[key] != nil {
          changes[key]?.new = change.new
        } else {
          keys.append(key)
          changes[key] = Change(database: commit.database, old: change.old, new: change.new)
        }
      }
    }
  }

  subscript(key: Key) -> Change? { changes[key] }
}

import BaseText
import FirestoreModel
import KeyValueStore

/// Something that a read-write transaction has seen and that must not have changed when it commits.
package enum TrackedRead: Sendable, Hashable {
  /// A document at the update version that it had; zero when it was missing.
  case document(ResourcePath, CommitVersion)
  /// All keys of a range of live documents or live index entries. The collection id, where the range
  /// has one, lets the check pass without a scan when no document of that id has changed.
  case keys(KeyRange, collectionID: Text?)
  /// All documents of that collection id (nil: of any) with paths in `lower ..< upper`.
  case names(collectionID: Text?, lower: ResourcePath, upper: ResourcePath?)
}

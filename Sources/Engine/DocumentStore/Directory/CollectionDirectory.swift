import FirestoreModel
import KeyValueStore
import Synchronization

/// The collections of one database that may hold something (`DirectoryKey` has the layout).
///
/// `known` remembers collections whose entries exist, so that creating a document costs no look.
/// It changes only inside a group's body; groups are serial, so it never runs ahead of or behind
/// the entries. A group that failed must `forget()`.
final class CollectionDirectory: Sendable {
  private let incarnation: Incarnation
  private let known = Mutex<Set<ResourcePath>>([])

  /// The number of collections that are remembered.
  private static let capacity = 10_000

  init(incarnation: Incarnation) { self.incarnation = incarnation }

  /// Makes sure that a collection and those that it lies in have their entries.
  func note(_ collection: ResourcePath, in group: any KeyValueGroup) throws {
    if known.withLock({ $0.contains(collection) }) { return }
    var current = collection
    while current.isCollection {
      let key = DirectoryKey.ofParent(current, in: incarnation)
      if try group.get(key) == nil {
        try group.putMarker(key)
        try group.putMarker(DirectoryKey.ofCollectionID(current, in: incarnation))
      }
      current = current.parent.parent
    }
    known.withLock {
      if $0.count >= Self.capacity { $0.removeAll() }
      $0.insert(collection)
    }
  }

  /// Removes the entries of a collection, and of those that it lies in, where nothing is left of
  /// documents or their history.
  func sweep(_ collection: ResourcePath, in group: any KeyValueGroup) throws {
    var current = collection
    while current.isCollection {
      guard try isEmpty(current, in: group) else { return }
      try group.delete(DirectoryKey.ofParent(current, in: incarnation))
      try group.delete(DirectoryKey.ofCollectionID(current, in: incarnation))
      known.withLock { _ = $0.remove(current) }
      current = current.parent.parent
    }
  }

  /// Drops the possible records of a failed group.
  func forget() { known.withLock { $0.removeAll() } }

  private func isEmpty(_ collection: ResourcePath, in reader: any KeyValueReader) throws -> Bool {
    for space in [KeySpace.document, .documentHistory] {
      let prefix = DocumentKey.subtreePrefix(collection, in: incarnation, space: space)
      if try reader.cursor(over: KeyRange(prefix: prefix), reversed: false).next() { return false }
    }
    return true
  }
}

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
  /// The last key that was found below a collection, where the next look begins.
  private let witnesses = Mutex<[Place: [UInt8]]>([:])

  private struct Place: Hashable {
    let collection: ResourcePath
    let space: KeySpace
  }

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

  /// Returns true if nothing is below a collection.
  ///
  /// A look from the beginning passes over all that was deleted there, which may be a million documents. So it comes last.
  private func isEmpty(_ collection: ResourcePath, in reader: any KeyValueReader) throws -> Bool {
    let places = [KeySpace.documentHistory, .document].map {
      Place(collection: collection, space: $0)
    }
    for place in places {
      guard let witness = witnesses.withLock({ $0[place] }) else { continue }
      if try hasKey(in: place, from: witness, reader) { return false }
    }
    for place in places where try hasKey(in: place, from: nil, reader) { return false }
    return true
  }

  private func hasKey(
    in place: Place,
    from witness: [UInt8]?,
    _ reader: any KeyValueReader
  ) throws -> Bool {
    var range = KeyRange(
      prefix: DocumentKey.subtreePrefix(place.collection, in: incarnation, space: place.space)
    )
    if let witness { range.lower = witness }
    let cursor = try reader.cursor(over: range, reversed: false)
    let found = try cursor.next() ? [UInt8](cursor.key) : nil
    witnesses.withLock { witnesses in
      if witnesses.count >= Self.capacity { witnesses.removeAll() }
      witnesses[place] = found
    }
    return found != nil
  }
}

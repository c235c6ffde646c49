import BaseText
import FirestoreModel
import KeyValueStore

extension StoreVerifier {
  /// A collection with documents, and all that it lies in, are in both directions of the directory.
  func verifyEntries(of collection: ResourcePath) throws {
    summary.collections += 1
    var current = collection
    while current.isCollection {
      let keys = [
        DirectoryKey.ofParent(current, in: database.incarnation),
        DirectoryKey.ofCollectionID(current, in: database.incarnation),
      ]
      for key in keys where try reader.get(key) == nil {
        try report(.missingDirectoryEntry, current.string)
      }
      current = current.parent.parent
    }
  }

  /// Every entry of the directory names a collection below which there is a document or history.
  func verifyDirectory() throws {
    for space in [KeySpace.collectionsOfParent, .parentsOfCollection] {
      let cursor = try cursor(over: space)
      while try cursor.next() {
        guard let collection = DirectoryKey.collection(ofKey: cursor.key) else {
          try report(.damagedRecord, Hexadecimal.text(cursor.key))
          continue
        }
        if try isEmpty(collection) { try report(.surplusDirectoryEntry, collection.string) }
      }
    }
  }

  private func isEmpty(_ collection: ResourcePath) throws -> Bool {
    for space in [KeySpace.document, .documentHistory] {
      let prefix = DocumentKey.subtreePrefix(collection, in: database.incarnation, space: space)
      if try reader.cursor(over: KeyRange(prefix: prefix), reversed: false).next() { return false }
    }
    return true
  }
}

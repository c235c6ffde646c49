import BaseText
import FirestoreModel
import KeyValueStore

/// A deletion of collections that the server does in the background, across restarts.
///
/// FORMAT: `MetaKey.bulkDeletion`, a number that grows with each deletion (8 bytes). The value is a
/// `RecordWriter`'s: Fields: 1 the start and 2 the end as versions (no end while it runs), 3 the
/// number of documents deleted, 4 a collection ID, once each. Then 5 how many of these are done, 6
/// the path of the last document deleted in the one after them.
package struct BulkDeletion: Sendable, Equatable {
  /// Numbers the deletions of a database from 1 on.
  package let number: UInt64
  /// The ids of the collections, wherever these lie; none means every document.
  package let collectionIDs: [Text]
  /// The version at which the deletion was requested.
  package let start: CommitVersion
  /// Nil while it runs.
  package internal(set) var end: CommitVersion?
  /// Documents deleted so far.
  package internal(set) var documents = 0
  /// Collection ids that are done.
  var idsDone = 0
  /// The last document deleted of the collection id that is not done.
  var last: ResourcePath?

  init(number: UInt64, collectionIDs: [Text], start: CommitVersion) {
    self.number = number
    self.collectionIDs = collectionIDs
    self.start = start
  }

  /// The selection that is next; nil when all are done.
  var selection: DocumentSelection? {
    if collectionIDs.isEmpty { return idsDone == 0 ? .all : nil }
    return idsDone < collectionIDs.count ? .collectionGroup(collectionIDs[idsDone]) : nil
  }

  /// Takes over the results of a step.
  mutating func advance(by deletion: DocumentDeletion, now: CommitVersion) {
    documents += deletion.count
    last = deletion.last
    guard deletion.isDone else { return }
    idsDone += 1
    last = nil
    if selection == nil { end = now }
  }
}

extension BulkDeletion {
  /// The stored form.
  var record: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, start.microseconds)
    writer.put(2, end?.microseconds)
    writer.put(3, Int64(documents))
    for id in collectionIDs { writer.put(4, id.string) }
    writer.put(5, Int64(idsDone))
    writer.put(6, last?.string)
    return writer.bytes
  }

  /// Reads a stored deletion.
  init(number: UInt64, record: [UInt8]) throws {
    var reader = try RecordReader(record)
    var ids: [Text] = []
    var start = CommitVersion.zero
    var (end, documents, idsDone, last): (CommitVersion?, Int, Int, ResourcePath?) = (
      nil, 0, 0, nil
    )
    while let field = try reader.next() {
      switch field.tag {
      case 1: start = CommitVersion(microseconds: try field.number())
      case 2: end = CommitVersion(microseconds: try field.number())
      case 3: documents = Int(try field.number())
      case 4: ids.append(Text(try field.string()))
      case 5: idsDone = Int(try field.number())
      case 6: last = ResourcePath(try field.string().split(separator: "/").map { Text(String($0)) })
      default: continue
      }
    }
    self.init(number: number, collectionIDs: ids, start: start)
    (self.end, self.documents, self.idsDone, self.last) = (end, documents, idsDone, last)
  }
}

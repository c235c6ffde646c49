import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore

extension Database {
  /// Deletions that ended and are still listed.
  private static let keptDeletions = 100
  /// Deletions that may run or wait at once.
  private static let pendingDeletions = 20

  /// Begins to delete the collections with these ids, wherever they lie, in the background; none of them means every document.
  ///
  /// Documents that are written during the deletion may be deleted or not.
  package func startBulkDeletion(of collectionIDs: [Text]) throws -> BulkDeletion {
    for id in collectionIDs { try ResourceID.checkCollection(id) }
    return try engine.write { group in
      guard !isRetired else { throw ServiceError.unknownDatabase(id) }
      let known = try Self.bulkDeletions(of: incarnation, in: group)
      guard known.count(where: { $0.end == nil }) < Self.pendingDeletions else {
        throw ServiceError(
          .resourceExhausted,
          "A database may not have more than \(Self.pendingDeletions) bulk deletions in progress."
        )
      }
      let deletion = BulkDeletion(
        number: (known.last?.number ?? 0) + 1,
        collectionIDs: collectionIDs,
        start: CommitVersion(microseconds: try group.allocateVersion())
      )
      try group.put(MetaKey.bulkDeletion(deletion.number, of: incarnation), deletion.record)
      for old in known.filter({ $0.end != nil }).dropLast(Self.keptDeletions) {
        try group.delete(MetaKey.bulkDeletion(old.number, of: incarnation))
      }
      return deletion
    }
  }

  /// The deletions that run, and the last hundred that ended, in their order.
  package func bulkDeletions() throws -> [BulkDeletion] {
    try engine.read { try Self.bulkDeletions(of: incarnation, in: $0) }
  }

  /// Deletes some documents of the first deletion that has not ended; returns whether there is more to do.
  func performBulkDeletion() throws -> Bool {
    guard var deletion = try bulkDeletions().first(where: { $0.end == nil }),
      let selection = deletion.selection
    else { return false }
    let step = try DocumentDeletion(selection, in: self, after: deletion.last)
    try step.step()
    try engine.write(.background) { group in
      guard !isRetired else { return }
      let now = CommitVersion(microseconds: try group.allocateVersion())
      deletion.advance(by: step, now: now)
      try group.put(MetaKey.bulkDeletion(deletion.number, of: incarnation), deletion.record)
    }
    return true
  }

  private static func bulkDeletions(
    of incarnation: Incarnation,
    in reader: any KeyValueReader
  ) throws -> [BulkDeletion] {
    let prefix = MetaKey.bulkDeletions(of: incarnation)
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    var found: [BulkDeletion] = []
    while try cursor.next() {
      let number = cursor.key.dropFirst(prefix.count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      found.append(try BulkDeletion(number: number, record: Array(cursor.value)))
    }
    return found
  }
}

import BaseText
import DocumentCodec
import FirestoreModel
import KeyValueStore

/// Writes a plan that holds into a group: documents, index entries, their history, the logs and the
/// directory.
///
/// Nothing is written before the whole commit is known to be possible.
struct CommitApplier {
  let database: Database
  let group: any KeyValueGroup
  let version: CommitVersion

  /// Writes the plan; false when it changes nothing.
  func apply(_ plan: CommitPlan) throws -> Bool {
    var ordinal: UInt32 = 0
    var history: Int64 = 0
    var collectionIDs: [Text] = []
    let plainEntry = IndexEntryCoding.value(version: version, tags: [])
    for document in plan.documents {
      guard let kind = document.changeKind else { continue }
      let ended = try applyEntries(of: document, plainEntry: plainEntry, history: &history)
      try applyRecord(of: document, history: &history)
      if kind == .created { try database.directory.note(document.path.parent, in: group) }
      let collectionID = document.path.parent.lastID ?? ""
      try log(document, kind, collectionID, ordinal, ended: ended, history: &history)
      if !collectionIDs.contains(collectionID) { collectionIDs.append(collectionID) }
      ordinal += 1
    }
    guard ordinal > 0 else { return false }
    let total = try database.historyBudget.add(history, in: group)
    let record = CommitRecord(historyBytes: total, collectionIDs: collectionIDs.sorted())
    try group.put(CommitKey.bytes(version, in: database.incarnation), record.value)
    return true
  }

  private func applyRecord(of document: PlannedDocument, history: inout Int64) throws {
    if let base = document.base {
      let key = document.key.historyKey(to: version)
      let value = base.value
      history += Int64(key.count + value.count)
      try group.put(key, value)
    }
    if let record = document.record(at: version) {
      if record.fields.mayHoldBSON { try DatabaseCatalog.requireBSON(in: group) }
      try group.put(document.key.bytes, record.value)
    } else {
      try group.delete(document.key.bytes)
    }
  }

  /// Ends and begins entries; answers the history keys of the ended ones.
  private func applyEntries(
    of document: PlannedDocument,
    plainEntry: [UInt8],
    history: inout Int64
  ) throws -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for ended in document.ended {
      let key = IndexEntryCoding.historyKey(
        liveKey: ended.entry.key,
        from: ended.from,
        to: version
      )
      try group.put(key, IndexEntryCoding.historyValue(tags: ended.entry.tags))
      if !ended.isReplaced { try group.delete(ended.entry.key) }
      history += Int64(key.count)
      keys.append(key)
    }
    for entry in document.added {
      let value =
        entry.tags.isEmpty
        ? plainEntry : IndexEntryCoding.value(version: version, tags: entry.tags)
      try group.put(entry.key, value)
    }
    return keys
  }

  private func log(
    _ document: PlannedDocument,
    _ kind: ChangeRecord.Kind,
    _ collectionID: Text,
    _ ordinal: UInt32,
    ended: [[UInt8]],
    history: inout Int64
  ) throws {
    let key = ChangeKey(collectionID: collectionID, version: version, ordinal: ordinal)
      .bytes(in: database.incarnation)
    let value = ChangeRecord(kind: kind, path: document.path, endedEntries: ended).value
    history += Int64(key.count + value.count)
    try group.put(key, value)
  }
}

import BaseText
import FirestoreModel
import KeyValueStore

// The logs and the history say the same. Commits up to the history floor, which the sweep may have
// removed in part, are not checked.
extension StoreVerifier {
  /// A document's last change is in the change log.
  func verifyChange(of path: ResourcePath, at version: CommitVersion) throws {
    guard version > floor else { return }
    if try !hasChange(of: path, at: version) {
      try report(.missingChange, "\(path.string) at \(version.microseconds)")
    }
  }

  /// Every commit has changes in the collections that it names.
  func verifyCommits() throws {
    let cursor = try cursor(over: .commit)
    while try cursor.next() {
      guard let version = CommitKey.version(ofKey: cursor.key),
        let record = try? CommitRecord(value: cursor.value)
      else {
        try report(.damagedRecord, Hexadecimal.text(cursor.key))
        continue
      }
      summary.commits += 1
      for id in record.collectionIDs where version > floor {
        let range = KeyRange(prefix: changePrefix(id, version))
        if try !reader.cursor(over: range, reversed: false).next() {
          try report(.missingChange, "\(id.string) at \(version.microseconds)")
        }
      }
    }
  }

  /// Every change belongs to a commit and has left the history that it names.
  func verifyChanges() throws {
    let cursor = try cursor(over: .change)
    while try cursor.next() {
      guard let key = ChangeKey(key: cursor.key),
        let record = try? ChangeRecord(value: cursor.value),
        record.path.parent.lastID == key.collectionID
      else {
        try report(.damagedRecord, Hexadecimal.text(cursor.key))
        continue
      }
      summary.changes += 1
      try verifyEndedEntries(of: record, key.version)
      guard key.version > floor else { continue }
      try verify(record, of: key.version)
    }
  }

  private func verify(_ record: ChangeRecord, of version: CommitVersion) throws {
    let location = "\(record.path.string) at \(version.microseconds)"
    if try reader.get(CommitKey.bytes(version, in: database.incarnation)) == nil {
      try report(.surplusChange, location)
    }
    let document = DocumentKey(record.path, in: database.incarnation)
    let hasHistory = try reader.get(document.historyKey(to: version)) != nil
    if hasHistory != (record.kind != .created) {
      try report(hasHistory ? .surplusHistory : .missingHistory, location)
    }
  }

  private func verifyEndedEntries(of record: ChangeRecord, _ version: CommitVersion) throws {
    for key in record.endedEntries where !unfinished.contains(key) {
      if try reader.get(key) != nil {
        endedEntries += 1
      } else if version > floor, !isErased(key) {
        try report(
          .missingHistory,
          "an index entry of \(record.path.string) at \(version.microseconds)"
        )
      }
    }
  }

  /// Erasing an index erases the history of its entries, too.
  private func isErased(_ key: [UInt8]) -> Bool {
    guard key[0] == KeySpace.declaredIndexHistory.rawValue else { return false }
    let number = key.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 5, as: UInt32.self) }
    return !indexes.declared.contains { $0.number == UInt32(bigEndian: number) }
  }

  /// With as many records as the changes name, and each of those there, none is left over.
  func verifyEntryHistoryCount() throws {
    var count = 0
    for space in [KeySpace.automaticIndexHistory, .declaredIndexHistory] {
      let cursor = try cursor(over: space)
      while try cursor.next() {
        if !unfinished.contains([UInt8](cursor.key)) { count += 1 }
      }
    }
    if count != endedEntries {
      let surplus = count - endedEntries
      try report(.surplusHistory, "\(surplus) records of the index history that no change names")
    }
  }

  /// Every history record was left by a change, and precedes what follows it.
  func verifyHistory() throws {
    let cursor = try cursor(over: .documentHistory)
    while try cursor.next() {
      guard let (path, to) = DocumentKey.historyParts(ofKey: cursor.key),
        let record = try? StoredDocument(value: cursor.value), record.updateTime < to
      else {
        try report(.damagedRecord, Hexadecimal.text(cursor.key))
        continue
      }
      summary.historyRecords += 1
      if try to > floor && !hasChange(of: path, at: to) {
        try report(.surplusHistory, "\(path.string) to \(to.microseconds)")
      }
    }
  }

  private var floor: CommitVersion { database.historyFloor }

  private func changePrefix(_ id: Text, _ version: CommitVersion) -> [UInt8] {
    var prefix = ChangeKey.prefix(id, in: database.incarnation)
    prefix.append(version)
    return prefix
  }

  private func hasChange(of path: ResourcePath, at version: CommitVersion) throws -> Bool {
    let range = KeyRange(prefix: changePrefix(path.parent.lastID ?? "", version))
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      if try ChangeRecord(value: cursor.value).path == path { return true }
    }
    return false
  }
}

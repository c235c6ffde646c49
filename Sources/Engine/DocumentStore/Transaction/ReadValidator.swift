import BaseText
import FirestoreModel
import KeyValueStore

/// Checks a transaction's reads against the newest state, inside the group of its commit.
struct ReadValidator {
  let database: Database
  let reader: any KeyValueReader

  /// Returns true if nothing that was read has changed since.
  func holds(_ reads: Transaction.Reads) throws -> Bool {
    for (key, version) in reads.documents {
      let current = try reader.get(key.bytes, as: .documentVersion)
      guard current ?? .zero == version else { return false }
    }
    guard !reads.ranges.isEmpty, try database.hasCommits(after: reads.version, in: reader)
    else { return true }
    guard reads.version >= database.historyFloor else { return false }
    for range in reads.ranges {
      guard try holds(range, since: reads.version) else { return false }
    }
    return true
  }

  private func holds(_ range: TrackedRead, since version: CommitVersion) throws -> Bool {
    switch range {
    case .document(let path, let seen):
      let key = DocumentKey(path, in: database.incarnation)
      let current = try reader.get(key.bytes, as: .documentVersion)
      return current ?? .zero == seen
    case .keys(let range, let collectionID):
      if let collectionID, try !hasChanges(of: collectionID, after: version) { return true }
      return try !hasNewKeys(in: range, since: version)
        && !hasEndedKeys(in: range, since: version)
    case .names(let collectionID, let lower, let upper):
      return try !hasChanges(of: collectionID, from: lower, to: upper, after: version)
    }
  }

  private func hasChanges(of collectionID: Text, after version: CommitVersion) throws -> Bool {
    try changes(of: collectionID, after: version).next()
  }

  private func changes(
    of collectionID: Text,
    after version: CommitVersion
  ) throws -> any KeyValueCursor {
    let prefix = ChangeKey.prefix(collectionID, in: database.incarnation)
    var lower = prefix
    lower.append(version.next)
    let range = KeyRange(lower: lower, upper: KeyRange.successor(ofPrefix: prefix))
    return try reader.cursor(over: range, reversed: false)
  }

  /// Returns true if a live record of the range was written after the version.
  private func hasNewKeys(in range: KeyRange, since version: CommitVersion) throws -> Bool {
    let format = VersionedFormat(ofLiveKey: range.lower)
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      if format.version(ofLive: cursor.value) > version.microseconds { return true }
    }
    return false
  }

  /// Returns true if a record of the range was ended after the version.
  private func hasEndedKeys(in range: KeyRange, since version: CommitVersion) throws -> Bool {
    let format = VersionedFormat(ofLiveKey: range.lower)
    let cursor = try reader.cursor(over: Self.historyRange(of: range), reversed: false)
    while try cursor.next() {
      let key = cursor.key
      let end = key.count - format.historySuffix
      guard end > 1, bigEndian(key, at: end) > version.microseconds else { continue }
      let body = UnsafeRawBufferPointer(rebasing: key[1..<end])
      if Self.contains(range, body: body) { return true }
    }
    return false
  }

  /// The history keys that records of live keys in the range have, and a few more: a history key is
  /// longer than its live key, so an upper bound may fall between the two.
  private static func historyRange(of range: KeyRange) -> KeyRange {
    let offset = KeySpace.documentHistory.rawValue - KeySpace.document.rawValue
    let isDocument = range.lower.first == KeySpace.document.rawValue
    let shift = isDocument ? offset : 2
    var lower = range.lower
    lower[0] += shift
    let end = KeyRange(prefix: [lower[0]]).upper
    guard var upper = range.upper, upper.first == range.lower.first else {
      return KeyRange(lower: lower, upper: end)
    }
    upper[0] += shift
    upper.append(contentsOf: repeatElement(0xFF, count: 17))
    return KeyRange(lower: lower, upper: upper)
  }

  /// Returns true if a live key without its first byte lies in a range.
  private static func contains(_ range: KeyRange, body: UnsafeRawBufferPointer) -> Bool {
    let isAbove = range.lower.withUnsafeBytes {
      compareBytes(body, UnsafeRawBufferPointer(rebasing: $0.dropFirst())) != .ascending
    }
    guard isAbove, let upper = range.upper, upper.first == range.lower.first else { return isAbove }
    return upper.withUnsafeBytes {
      compareBytes(body, UnsafeRawBufferPointer(rebasing: $0.dropFirst())) == .ascending
    }
  }

  /// Returns true if a document with a name in the range was changed after the version.
  private func hasChanges(
    of collectionID: Text?,
    from lower: ResourcePath,
    to upper: ResourcePath?,
    after version: CommitVersion
  ) throws -> Bool {
    for id in try collectionID.map({ [$0] }) ?? collectionIDs(after: version) {
      let cursor = try changes(of: id, after: version)
      while try cursor.next() {
        let path = try cursor.value(as: .change, in: reader).path
        if path >= lower, upper.map({ path < $0 }) ?? true { return true }
      }
    }
    return false
  }

  private func collectionIDs(after version: CommitVersion) throws -> [Text] {
    var ids: Set<Text> = []
    let lower = CommitKey.bytes(version.next, in: database.incarnation)
    let prefix = KeySpace.commit.prefix(database.incarnation)
    let range = KeyRange(lower: lower, upper: KeyRange.successor(ofPrefix: prefix))
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      ids.formUnion(try cursor.value(as: .commit, in: reader).collectionIDs)
    }
    return ids.sorted()
  }
}

extension VersionedFormat {
  /// The format of the space that a live key belongs to.
  init(ofLiveKey key: [UInt8]) {
    self = key.first == KeySpace.document.rawValue ? .document : .indexEntry
  }
}

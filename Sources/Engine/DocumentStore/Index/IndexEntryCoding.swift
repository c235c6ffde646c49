import FirestoreModel

/// One entry that a document has in an index.
package struct IndexEntry: Sendable, Hashable {
  /// The whole live key.
  package let key: [UInt8]
  /// The facts about its values that the key omits: `ValueTag`s in their order, without trailing
  /// zeros.
  package let tags: [UInt8]
  /// The claim that the entry makes in a unique index; nil in others.
  let claim: UniqueClaim?

  /// An entry as a maintainer makes it.
  package init(key: [UInt8], tags: [UInt8]) {
    self.init(key: key, tags: tags, claim: nil)
  }

  init(key: [UInt8], tags: [UInt8], claim: UniqueClaim?) {
    self.key = key
    self.tags = tags
    self.claim = claim
  }

  /// Entries are equal if their stored bytes are.
  package static func == (left: IndexEntry, right: IndexEntry) -> Bool {
    left.key == right.key && left.tags == right.tags
  }

  /// The hash of the stored bytes.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(tags)
  }

  /// The tags of an entry with one value.
  static func tags(_ tag: ValueTag) -> [UInt8] { singleTags[Int(tag.rawValue)] }

  /// One array for each tag there can be, so that entries share them.
  private static let singleTags: [[UInt8]] = (0...UInt8.max).map { $0 == 0 ? [] : [$0] }
}

/// Values of index entries, and the keys of their history.
///
/// The live value is the version of the commit that wrote the entry (8 bytes big-endian), then the
/// `ValueTag`s of the values in their order, trailing zeros left away.
///
///     history    22 | 23, the live key without its first byte, to 8B, from 8B -> the tags
///
/// `from` is the version that wrote the entry, `to` that of the commit that removed it. No tags are
/// written as one zero in the history, where earlier versions left the value empty: both say the same.
package enum IndexEntryCoding {
  /// The history key of an entry that lived from one commit to another.
  package static func historyKey(
    liveKey key: [UInt8],
    from: CommitVersion,
    to: CommitVersion
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(key.count + 16)
    bytes.append(contentsOf: key)
    bytes[0] = historyPrefix(of: key[0])
    appendBigEndian(UInt64(bitPattern: to.microseconds), to: &bytes)
    appendBigEndian(UInt64(bitPattern: from.microseconds), to: &bytes)
    return bytes
  }

  /// The first byte of the history of live keys with a first byte.
  package static func historyPrefix(of first: UInt8) -> UInt8 {
    switch first {
    case IndexKey.automatic: 0x22
    case IndexKey.declared: 0x23
    default: first
    }
  }

  /// The value of a live entry.
  package static func value(version: CommitVersion, tags: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 + tags.count)
    appendBigEndian(UInt64(bitPattern: version.microseconds), to: &bytes)
    bytes.append(contentsOf: tags)
    return bytes
  }

  /// The value of an entry's history record.
  package static func historyValue(tags: [UInt8]) -> [UInt8] { tags.isEmpty ? noTags : tags }

  private static let noTags: [UInt8] = [0]

  /// The version that wrote a live entry.
  package static func version(ofValue value: UnsafeRawBufferPointer) -> CommitVersion {
    CommitVersion(microseconds: bigEndian(value, at: 0))
  }

  /// The tags of a live entry.
  package static func tags(ofValue value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: value.dropFirst(8))
  }
}

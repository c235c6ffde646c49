import FirestoreModel

/// The key under which a document is stored.
///
/// Document: `0x10, incarnation, collection path segments, 0x00, document id segment`. The
/// terminator puts a collection's documents before everything in its sub-collections, so they are
/// contiguous. The value is `StoredDocument`'s.
///
/// History: `0x11, incarnation`, the same body, then the version of the commit that overwrote or
/// deleted the record (8 bytes): the record was the document from its own update version, included,
/// to that version, excluded. The one for T is the first with a version above T. The value is the
/// overwritten one, unchanged.
package struct DocumentKey: Sendable, Hashable {
  /// The whole key.
  package let bytes: [UInt8]

  /// The key of the document at an even, non-empty path.
  package init(_ path: ResourcePath, in incarnation: Incarnation) {
    var bytes = KeySpace.document.prefix(incarnation, reserving: 64)
    for segment in path.segments.dropLast() { SegmentEncoding.append(segment, to: &bytes) }
    bytes.append(SegmentEncoding.terminator)
    if let id = path.lastID { SegmentEncoding.append(id, to: &bytes) }
    self.bytes = bytes
  }

  /// The prefix of all history keys of this document.
  package var historyPrefix: [UInt8] { Self.historyBody(bytes, reserving: 0) }

  /// The key of the record that the commit `to` ended.
  package func historyKey(to version: CommitVersion) -> [UInt8] {
    var key = Self.historyBody(bytes, reserving: 8)
    key.append(version)
    return key
  }

  /// Returns the prefix of the keys of all documents of a collection, and of no others.
  package static func collectionPrefix(
    _ collection: ResourcePath,
    in incarnation: Incarnation,
    space: KeySpace = .document
  ) -> [UInt8] {
    subtreePrefix(collection, in: incarnation, space: space) + [SegmentEncoding.terminator]
  }

  /// Returns the prefix of the keys of all documents at any depth below a collection or the root.
  package static func subtreePrefix(
    _ collection: ResourcePath,
    in incarnation: Incarnation,
    space: KeySpace = .document
  ) -> [UInt8] {
    var bytes = space.prefix(incarnation, reserving: 64)
    SegmentEncoding.append(collection, to: &bytes)
    return bytes
  }

  /// The path of the document whose (live) key this is; nil for anything else.
  package static func path(ofKey key: UnsafeRawBufferPointer) -> ResourcePath? {
    guard key.count > KeySpace.prefixLength else { return nil }
    var position = KeySpace.prefixLength
    guard let collection = SegmentEncoding.decodePath(key, at: &position),
      let id = SegmentEncoding.decode(key, at: &position), position == key.count
    else { return nil }
    return collection.appending(id)
  }

  /// The path of the document and the ending version that a history key names; nil otherwise.
  package static func historyParts(
    ofKey key: UnsafeRawBufferPointer
  ) -> (path: ResourcePath, to: CommitVersion)? {
    guard key.count > KeySpace.prefixLength + 8 else { return nil }
    var position = key.count - 8
    let body = UnsafeRawBufferPointer(rebasing: key[..<position])
    guard let path = path(ofKey: body), let version = readBigEndian(key, at: &position)
    else { return nil }
    return (path, CommitVersion(microseconds: Int64(bitPattern: version)))
  }

  private static func historyBody(_ live: [UInt8], reserving extra: Int) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(live.count + extra)
    key.append(contentsOf: live)
    key[0] = KeySpace.documentHistory.rawValue
    return key
  }
}

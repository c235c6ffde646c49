/// The way in which a kind of key with a history records when it was valid.
///
/// A history key is the history prefix byte, the live key without its first byte, and the version
/// of the commit that ended the record (`to`, 8 bytes big-endian). Index history adds the version
/// that began it (`from`); a document's history has it in its value. A record was visible at T when
/// from <= T < to.
package enum VersionedFormat: Sendable {
  /// Live value: version, type tags. History key ends in to, from; value: type tags.
  case indexEntry
  /// Live value: create version, update version, fields; history value: the same.
  case document

  /// Bytes behind the live key's body in a history key.
  var historySuffix: Int {
    switch self {
    case .indexEntry: 16
    case .document: 8
    }
  }

  /// The prefix of the history of live keys with a prefix.
  func historyPrefix(ofLive prefix: [UInt8]) -> [UInt8] {
    var bytes = prefix
    switch self {
    case .indexEntry: bytes[0] = IndexEntryCoding.historyPrefix(of: prefix[0])
    case .document: bytes[0] = KeySpace.documentHistory.rawValue
    }
    return bytes
  }

  /// The version that wrote a live value.
  @inline(__always)
  func version(ofLive value: UnsafeRawBufferPointer) -> Int64 {
    switch self {
    case .indexEntry: bigEndian(value, at: 0)
    case .document: bigEndian(value, at: 8)
    }
  }

  /// Returns the part of a live value that a stream lends.
  @inline(__always)
  func payload(ofLive value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    switch self {
    case .indexEntry: UnsafeRawBufferPointer(rebasing: value.dropFirst(8))
    case .document: value
    }
  }

  /// Returns true if a history record was visible at a version.
  func isVisible(
    at version: Int64,
    historyKey key: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer
  ) -> Bool {
    let to = bigEndian(key, at: key.count - historySuffix)
    guard version < to else { return false }
    switch self {
    case .indexEntry: return bigEndian(key, at: key.count - 8) <= version
    case .document: return bigEndian(value, at: 8) <= version
    }
  }
}

/// Eight bytes, most significant first; zero where a damaged record is shorter.
@inline(__always)
func bigEndian(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int64 {
  guard offset >= 0, offset + 8 <= bytes.count else { return 0 }
  return Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
}

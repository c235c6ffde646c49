import Checksums
/// The content of one file of records: RocksDB's write-ahead log, or its manifest of tables.
///
/// **Layout.** The file is a row of blocks of 32,768 bytes. A block holds fragments, and zeros
/// where fewer than 7 bytes are left. A fragment is: checksum (4 bytes), length (2 bytes), type (1
/// byte), payload. Numbers are little-endian. The checksum is CRC-32C over type and payload,
/// rotated right by 15 and increased by 0xA282EAD8. Types: 1 a full record, 2, 3 and 4 the first,
/// middle and last fragments of one that spans blocks. A record of the log is one write batch: one
/// group, or one time record. A record of the manifest is one change of the set of tables.
///
/// **Validity.** The engine writes and syncs one record after the other, so at a power failure at
/// most the last record is not on the disk whole, and nothing whole follows it. It may be cut
/// short, or have holes: the system writes pages in any order. A record that a crash leaves in this
/// state was not acknowledged; if something else changed the file, the damage may look the same
/// although the record was.
///
/// **Recovery.** RocksDB itself only accepts a record that is cut short. So before it opens the
/// files, the manifest and the last log with a record in it are truncated after their last whole
/// record, if the damage is at the end. A damaged record with a whole one after it, in the same
/// file or in a later log, is corruption: the start stops, and nothing is changed.
struct RecordLog {
  /// The length up to the end of the last whole record before any damage.
  let wholeBytes: Int
  let totalBytes: Int
  /// The offset of a whole record after the damage, if there is one.
  let recordAfterDamage: Int?
  /// The offsets of the whole records before any damage.
  let starts: [Int]

  static let blockBytes = 32_768
  private static let headerBytes = 7

  private enum Kind: UInt8 {
    case full = 1
    case first, middle, last
  }

  private struct Fragment {
    let kind: Kind
    let end: Int
  }

  /// Reads a file's bytes.
  init(scanning bytes: UnsafeRawBufferPointer) {
    totalBytes = bytes.count
    var offset = 0
    var whole = 0
    var starts: [Int] = []
    var isInside = false
    var damage: Int?
    while offset < bytes.count {
      guard let start = Self.fragmentStart(atOrAfter: offset, in: bytes) else {
        // Padding of a block that was the last one.
        if !isInside { whole = bytes.count }
        break
      }
      guard let fragment = Self.fragment(at: start, in: bytes),
        isInside == (fragment.kind == .middle || fragment.kind == .last)
      else {
        damage = start
        break
      }
      if !isInside { starts.append(start) }
      offset = fragment.end
      isInside = fragment.kind == .first || fragment.kind == .middle
      if !isInside { whole = offset }
    }
    wholeBytes = whole
    self.starts = isInside || damage != nil ? starts.filter { $0 < whole } : starts
    recordAfterDamage = damage.flatMap { Self.record(from: $0, in: bytes) }
  }

  var isWhole: Bool { wholeBytes == totalBytes }

  /// The sequence number with which the batch of a whole record begins (8 bytes, little-endian).
  static func sequence(ofRecordAt start: Int, in bytes: UnsafeRawBufferPointer) -> UInt64? {
    var number: [UInt8] = []
    var offset = start
    while number.count < 8, let start = fragmentStart(atOrAfter: offset, in: bytes),
      let fragment = fragment(at: start, in: bytes)
    {
      number += bytes[(start + headerBytes)..<fragment.end].prefix(8 - number.count)
      offset = fragment.end
      if fragment.kind == .full || fragment.kind == .last { break }
    }
    guard number.count == 8 else { return nil }
    return number.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The whole record that begins at an offset, or behind the padding there, and where it ends; nil where there is none.
  ///
  /// Offset 0 of the bytes begins a block.
  static func record(
    at offset: Int,
    in bytes: UnsafeRawBufferPointer
  ) -> (payload: [UInt8], end: Int)? {
    var payload: [UInt8] = []
    var offset = offset
    while let start = fragmentStart(atOrAfter: offset, in: bytes),
      let fragment = fragment(at: start, in: bytes)
    {
      let isFirst = fragment.kind == .full || fragment.kind == .first
      guard isFirst == payload.isEmpty else { return nil }
      payload += bytes[(start + headerBytes)..<fragment.end]
      offset = fragment.end
      if fragment.kind == .full || fragment.kind == .last { return (payload, offset) }
    }
    return nil
  }

  /// The next offset at which a fragment may begin: blocks end with up to six bytes of padding.
  private static func fragmentStart(
    atOrAfter offset: Int,
    in bytes: UnsafeRawBufferPointer
  ) -> Int? {
    let left = blockBytes - offset % blockBytes
    let start = left < headerBytes ? offset + left : offset
    return start < bytes.count ? start : nil
  }

  private static func fragment(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Fragment? {
    let blockEnd = min(bytes.count, (offset / blockBytes + 1) * blockBytes)
    guard offset + headerBytes <= blockEnd, let kind = Kind(rawValue: bytes[offset + 6]) else {
      return nil
    }
    let length = Int(bytes[offset + 4]) | Int(bytes[offset + 5]) << 8
    let end = offset + headerBytes + length
    guard end <= blockEnd else { return nil }
    let stored = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian
    let actual = CRC32C.value(of: UnsafeRawBufferPointer(rebasing: bytes[(offset + 6)..<end]))
    guard stored == (actual >> 15 | actual << 17) &+ 0xA282_EAD8 else { return nil }
    return Fragment(kind: kind, end: end)
  }

  /// Looks for the start of a whole record after the damage.
  ///
  /// In the damaged block it checks every byte, as the damage may have hit the length of a
  /// fragment; in later blocks it follows their fragments.
  private static func record(from damage: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    let blockEnd = min(bytes.count, (damage / blockBytes + 1) * blockBytes)
    if let found = (damage..<max(damage, blockEnd)).first(where: {
      isRecord(at: $0, in: bytes)
    }) {
      return found
    }
    return stride(from: blockEnd, to: bytes.count, by: blockBytes).lazy
      .compactMap { record(inBlockAt: $0, in: bytes) }.first
  }

  private static func record(inBlockAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    var offset = start
    while offset < start + blockBytes, let fragment = fragment(at: offset, in: bytes) {
      if isRecord(at: offset, in: bytes) { return offset }
      offset = fragment.end
    }
    return nil
  }

  private static func isRecord(at start: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
    guard var current = fragment(at: start, in: bytes) else { return false }
    guard current.kind != .full else { return true }
    guard current.kind == .first else { return false }
    while let start = fragmentStart(atOrAfter: current.end, in: bytes),
      let following = fragment(at: start, in: bytes)
    {
      switch following.kind {
      case .middle: current = following
      case .last: return true
      case .full, .first: return false
      }
    }
    return false
  }
}

/// The bytes that a start cut off the end of a log file.
///
/// They are no whole record: a group that a crash left unfinished, which was never acknowledged,
/// or, if something else than the engine changed the file, groups that were acknowledged. The file
/// does not show which of the two it is.
package struct DiscardedLog: Sendable, Hashable {
  /// The log file.
  package let file: String
  /// The offset at which it ends now.
  package let offset: Int
  /// The number of bytes cut off.
  package let bytes: Int
  /// The last versions of the groups whose time record can still be read in there, in their order.
  ///
  /// Nothing vouches for them.
  package private(set) var versions: [Int64]

  /// The end of a file from `offset` on.
  init(_ file: String, from offset: Int, in bytes: UnsafeRawBufferPointer) {
    self.file = file
    self.offset = offset
    self.bytes = bytes.count - offset
    versions = Self.versions(in: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
  }

  /// Without versions that cannot be those of lost groups, as an earlier one was kept.
  func later(than kept: Int64) -> DiscardedLog {
    var later = self
    later.versions = versions.filter { $0 > kept }
    return later
  }

  /// A group's time record as a batch encodes it: a put (1), the key and the value with their
  /// lengths; the value is a version and a ceiling above it.
  private static func versions(in bytes: UnsafeRawBufferPointer) -> [Int64] {
    let mark = [1, UInt8(TimeRecord.groupKey.count)] + TimeRecord.groupKey + [16]
    let length = mark.count + 16
    guard bytes.count >= length else { return [] }
    var versions: [Int64] = []
    for start in 0...(bytes.count - length) where bytes[start] == mark[0] {
      guard bytes[start..<(start + mark.count)].elementsEqual(mark) else { continue }
      let record = Array(bytes[(start + mark.count)..<(start + length)])
      if let version = try? TimeRecord.version(inGroup: record),
        let ceiling = try? TimeRecord.ceiling(inGroup: record), ceiling > version
      {
        versions.append(version)
      }
    }
    return versions
  }
}

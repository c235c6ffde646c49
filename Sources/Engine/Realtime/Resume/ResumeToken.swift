import DocumentStore
import FirestoreModel

/// The progress of a client's targets, in the form that clients keep and send back.
///
/// DESIGN
///
/// Format (2), the database's incarnation (4 bytes big-endian) and the time of its creation (8),
/// which together name one life of one database of one store. Then the version of the targets (8)
/// and the marks of the targets that the token serves (4 each, at most `greatestMarkCount`).
/// Clients store the token of a stream's consistency point for each of its targets, so that one
/// serves all that are current. A stream of more targets than that leaves the marks out, and its
/// tokens serve any target. A client that follows the protocol misses nothing by that: it stores
/// the token of a point for its added targets, and a point has no token while one of those is
/// unfinished. Nor does any client see more: a read time serves any target too.
///
/// It needs no signature. A client that invents one learns how a query that it may ask differs from
/// an earlier time, and its right to that time is decided again (`TargetReader`).
///
/// A token is of no use in these cases: another format, incarnation or length, other targets, a
/// time in the future, a time without history, or a time before the store was restored from a
/// backup. The target then starts from nothing, after a reset.
package struct ResumeToken: Sendable, Hashable {
  /// The number of the database's life.
  package let incarnation: Incarnation
  /// The time of the database's creation, which distinguishes databases of different stores.
  package let createTime: CommitVersion
  /// The version that the targets have reached; they continue behind it.
  package let version: CommitVersion
  /// Rising; none serves any target.
  package let marks: [SubjectMark]

  /// With more targets a token has no marks.
  static let greatestMarkCount = 32
  private static let format: UInt8 = 2
  private static let headLength = 21

  /// The token of a version, for the targets of these marks.
  package init(of database: Database, version: CommitVersion, marks: [SubjectMark]) {
    incarnation = database.incarnation
    createTime = database.createTime
    self.version = version
    self.marks = marks
  }

  /// Reads a token; nil where it is none of ours.
  package init?(bytes: [UInt8]) {
    let marksLength = bytes.count - Self.headLength
    guard marksLength >= 0, marksLength % 4 == 0, marksLength / 4 <= Self.greatestMarkCount,
      bytes[0] == Self.format
    else { return nil }
    (incarnation, createTime, version, marks) = bytes.withUnsafeBytes { raw in
      (
        Incarnation(bigEndian: raw.loadUnaligned(fromByteOffset: 1, as: Incarnation.self)),
        Self.version(in: raw, at: 5),
        Self.version(in: raw, at: 13),
        stride(from: Self.headLength, to: raw.count, by: 4).map { offset in
          let number = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          return SubjectMark(number: UInt32(bigEndian: number))
        }
      )
    }
  }

  /// The token's bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = [Self.format]
    bytes.reserveCapacity(Self.headLength + 4 * marks.count)
    withUnsafeBytes(of: incarnation.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: createTime.microseconds.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: version.microseconds.bigEndian) { bytes.append(contentsOf: $0) }
    for mark in marks {
      withUnsafeBytes(of: mark.number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// Returns true if the token is of this life of a database and serves a target with this mark.
  package func serves(_ mark: SubjectMark, in database: Database) -> Bool {
    incarnation == database.incarnation && createTime == database.createTime
      && version >= database.restoreVersion && (marks.isEmpty || marks.contains(mark))
  }

  private static func version(in raw: UnsafeRawBufferPointer, at offset: Int) -> CommitVersion {
    let number = raw.loadUnaligned(fromByteOffset: offset, as: Int64.self)
    return CommitVersion(microseconds: Int64(bigEndian: number))
  }
}

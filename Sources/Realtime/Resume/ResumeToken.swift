import FirestoreModel
import DocumentStore

/// Where a client's targets stand, in the form that clients keep and send back.
///
/// DESIGN
///
/// 13 bytes: format (1), the database's incarnation (4 bytes big-endian), the version that the
/// targets have reached (8 bytes big-endian). One token serves all targets of a stream, because
/// clients store the token of a stream's consistency point for each of them. It needs no signature:
/// a client that makes one up learns how a query that it may ask differs from an earlier time at which
/// it might have asked as well (`HubCore.resumption`).
///
/// A token of another format, incarnation or length, of the future or of a time whose history is
/// gone is of no use; the target then starts from nothing, after a reset.
package struct ResumeToken: Sendable, Hashable {
  package let incarnation: Incarnation
  package let version: CommitVersion

  private static let format: UInt8 = 1
  private static let length = 13

  /// The token of a version.
  package init(incarnation: Incarnation, version: CommitVersion) {
    self.incarnation = incarnation
    self.version = version
  }

  /// Reads a token; nil where it is none of ours.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.length, bytes[0] == Self.format else { return nil }
    (incarnation, version) = bytes.withUnsafeBytes { raw in
      (
        Incarnation(bigEndian: raw.loadUnaligned(fromByteOffset: 1, as: Incarnation.self)),
        CommitVersion(
          microseconds: Int64(bigEndian: raw.loadUnaligned(fromByteOffset: 5, as: Int64.self))
        )
      )
    }
  }

  /// The token's bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = [Self.format]
    bytes.reserveCapacity(Self.length)
    withUnsafeBytes(of: incarnation.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: version.microseconds.bigEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }
}

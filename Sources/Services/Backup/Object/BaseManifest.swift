import Foundation

/// The object `bases/N/manifest`, written last: all files of the engines at one moment.
package struct BaseManifest: Codable, Sendable, Equatable {
  /// A file of an engine's checkpoint.
  package struct File: Codable, Sendable, Equatable {
    let name: String
    let size: Int
    /// Nanoseconds since 1970, by which a file that did not change is known.
    let modified: Int64
    /// The name that its parts have in the target, without their numbers.
    let object: String
    let parts: Int
  }

  /// An engine's checkpoint.
  package struct Engine: Codable, Sendable, Equatable {
    /// The sequence number of its last write.
    package let sequence: UInt64
    /// The last version that a group took.
    package let lastVersion: Int64
    let files: [File]
  }

  /// Counts from 1.
  package let number: Int
  /// Microseconds since 1970: nothing written later is in it.
  package let instant: Int64
  /// The checkpoints by the names of their engines.
  package let engines: [String: Engine]
  /// The first segment with groups that are not in it.
  package let firstSegment: Int
  /// The digest of the segment before `firstSegment`.
  package let previous: String
  /// The engines' states behind the segment before.
  let ends: [String: SegmentHead.End]
  /// Parts of the list of files of Storage, 16 bytes each.
  let blobParts: Int
  /// The number of blobs: files of Storage and of sites.
  package let blobs: Int
  /// The kinds of blobs that it has; nil is the objects of Storage alone.
  var covers: [String]?
  /// Small files of the data directory beside the engines: name and content.
  let settings: [String: String]

  static func folder(_ number: Int) -> String { "bases/\(SegmentHead.padded(number, 9))/" }
  static func name(_ number: Int) -> String { folder(number) + "manifest" }
  static func blobList(_ number: Int, _ part: Int) -> String {
    folder(number) + "blobs-\(SegmentHead.padded(part, 6))"
  }

  /// The name of a part of a large file.
  static func part(_ object: String, _ part: Int) -> String {
    "\(object)-\(SegmentHead.padded(part, 6))"
  }

  /// The bytes of a part before it is encoded.
  static let partBytes = 4 << 20

  static func parts(ofSize size: Int) -> Int { max(1, (size + partBytes - 1) / partBytes) }

  /// The bytes of all engines' files.
  package var bytes: Int { engines.values.reduce(0) { $0 + $1.files.reduce(0) { $0 + $1.size } } }
}

/// Up to where a backup is restored.
package enum RestorePoint: Sendable, Equatable {
  /// All that the target has.
  case end
  /// All that was written up to an instant, in microseconds since 1970.
  case instant(Int64)
  /// All groups before the one with that commit of the store.
  case beforeCommit(Int64)
  /// All before a segment.
  case beforeSegment(Int)

  /// Returns true if a base has nothing beyond the point.
  func allows(_ base: BaseManifest) -> Bool {
    switch self {
    case .end: true
    case .instant(let time):
      // Versions may be a second ahead of the clock.
      max(base.instant, base.engines["store"]?.lastVersion ?? 0) <= time
    case .beforeCommit(let version): (base.engines["store"]?.lastVersion ?? 0) < version
    case .beforeSegment(let number): base.firstSegment <= number
    }
  }

  /// Returns true if a group of the store with that version is beyond the point.
  func excludes(version: Int64) -> Bool {
    switch self {
    case .end, .beforeSegment: false
    case .instant(let time): version > time
    case .beforeCommit(let limit): version >= limit
    }
  }

  /// Microseconds between a group and the reading of it.
  private static let reading: Int64 = 1_000_000

  /// The last segment of interest.
  var lastSegment: Int {
    if case .beforeSegment(let number) = self { number - 1 } else { .max }
  }

  /// Returns true if a segment is beyond the point as a whole.
  func excludes(_ segment: SegmentHead) -> Bool {
    switch self {
    case .end: false
    case .instant(let time):
      // A segment's groups were written before they were read, by less than a second where the target took them.
      segment.from - Self.reading > time && segment.firstVersion ?? .max > time
    case .beforeCommit(let limit): (segment.firstVersion ?? 0) >= limit
    case .beforeSegment(let number): segment.number >= number
    }
  }
}

/// The result of a restore.
package struct RestoreOutcome: Sendable, Equatable {
  /// The version of the store's last commit.
  package var lastVersion: Int64 = 0
  /// The base and the last segment that were read.
  package var base = 0
  /// The last segment that was applied.
  package var lastSegment = 0
  /// The number of groups that were applied.
  package var groups = 0
  /// The bytes of tables, groups and files.
  package var bytes = 0
  /// Microseconds since 1970 of the last segment that was applied, or of the base.
  package var lastTime: Int64 = 0
  /// The number of files of Storage and of sites.
  package var blobs = 0
  /// The number of files beside the engines.
  package var files = 0
  /// Files of Storage that the backup does not have.
  package var missingBlobs: [String] = []
  /// True if the target has more than was restored.
  package var isEarlier = false
  /// The watched keys that were written after the point, as they were at last.
  package var later: [[UInt8]: LaterState] = [:]
  /// The first segment that could not be read for them.
  package var unreadSegment: Int?
  /// The small files of the data directory.
  package var settings: [String: String] = [:]
}

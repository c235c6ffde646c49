import KeyValueRocksDB
import KeyValueStore
import Synchronization

/// The engines of a restore while groups are applied.
final class Replay: Sendable {
  private struct Engines {
    var replays: [RocksDBReplay]
    /// True if an engine takes no more groups: the point was reached.
    var isEnded = false
    var lastVersion: Int64
    /// The watched keys that were written behind the point.
    var later: [[UInt8]: LaterState] = [:]
  }

  private let engines: Mutex<Engines>
  private let point: RestorePoint
  private let watched: [WatchedKeys]

  /// Opens the files of a base below the directory.
  init(
    _ base: BaseManifest,
    directory: String,
    _ point: RestorePoint,
    watching watched: [WatchedKeys]
  ) throws {
    self.point = point
    self.watched = watched
    let replays = try BackupRestore.engines.map { name in
      guard let engine = base.engines[name] else {
        throw BackupError(.damaged, "Base \(base.number) has no \(name).")
      }
      let replay = try RocksDBReplay(directory: "\(directory)/\(name)")
      guard replay.sequence == engine.sequence else {
        throw BackupError(
          .damaged,
          "Base \(base.number) of \(name) differs from the one that was written."
        )
      }
      return replay
    }
    engines = Mutex(Engines(replays: replays, lastVersion: base.engines["store"]?.lastVersion ?? 0))
  }

  /// Applies a segment's groups up to the point.
  func apply(_ content: [UInt8], _ head: SegmentHead) throws -> (groups: Int, isEnd: Bool) {
    try engines.withLock { engines in
      var groups = 0
      try SegmentContent.forEach(in: content) { number, record in
        guard number < engines.replays.count else {
          throw BackupError(.damaged, "Segment \(head.number) is damaged.", segment: head.number)
        }
        if number == 0 {
          guard !engines.isEnded else {
            try note(record, &engines.later)
            return true
          }
          if let version = try record.version {
            if point.excludes(version: version) {
              engines.isEnded = true
              try note(record, &engines.later)
              return true
            }
            engines.lastVersion = max(version, engines.lastVersion)
          }
        }
        let replay = engines.replays[number]
        guard record.lastSequence > replay.sequence else { return true }
        guard record.firstSequence == replay.sequence + 1 else {
          throw Self.gap(engines.lastVersion)
        }
        try replay.apply(record)
        groups += 1
        return true
      }
      return (groups, engines.isEnded)
    }
  }

  /// The watched keys that were written behind the point, as they were at last.
  var later: [[UInt8]: LaterState] { engines.withLock { $0.later } }

  /// Notes what a segment behind the point does to watched keys.
  func noteLater(_ content: [UInt8]) throws {
    try engines.withLock { engines in
      try SegmentContent.forEach(in: content) { number, record in
        if number == 0 { try note(record, &engines.later) }
        return true
      }
    }
  }

  private func note(_ record: GroupRecord, _ later: inout [[UInt8]: LaterState]) throws {
    guard !watched.isEmpty else { return }
    try record.forEach { write in
      guard let keys = watched.first(where: { $0.range.contains(write.key) }) else { return }
      let part = try write.value.map { try keys.part(Array($0)) }
      later[Array(write.key)] = part.map { .written($0) } ?? .removed
    }
  }

  /// Throws where groups before a segment's are in no segment: the log was given up there, and a newer base begins.
  func checkGap(before segment: SegmentHead) throws {
    try engines.withLock { engines in
      for (name, replay) in zip(BackupRestore.engines, engines.replays) {
        guard let start = segment.starts[name], start > replay.sequence else { continue }
        guard name == BackupRestore.engines[0] || !engines.isEnded else { continue }
        throw Self.gap(engines.lastVersion)
      }
    }
  }

  /// Throws where a newer base has groups that no segment in front of it has.
  func checkGap(before base: BaseManifest) throws {
    try engines.withLock { engines in
      guard let sequence = base.engines[BackupRestore.engines[0]]?.sequence,
        sequence > engines.replays[0].sequence
      else { return }
      throw Self.gap(engines.lastVersion)
    }
  }

  private static func gap(_ version: Int64) -> BackupError {
    BackupError(
      .notFound,
      """
      The backup has no segments for that time: the target was unreachable too long. Choose a commit up to \(version) \
      (\(BackupRestore.text(version))), or one after the next base snapshot.
      """
    )
  }

  /// Makes all durable; returns the store's last version.
  func finish() throws -> Int64 {
    try engines.withLock { engines in
      for replay in engines.replays { try replay.finish() }
      engines.replays = []
      return engines.lastVersion
    }
  }
}

import BaseRuntime
import Foundation
import KeyValueRocksDB
import KeyValueStore
import ObjectStorage

/// Puts a data directory's engines together from a backup: a base, then the groups of the segments that follow.
///
/// The directory of each engine gets its `FORMAT` last, so that one that was cut off is opened by no engine. One call at a time.
package struct BackupRestore: Sendable {
  /// Receives the progress: the bytes read, and the total where that is known.
  package typealias Progress = @Sendable (_ done: Int, _ total: Int?) -> Void

  let archive: BackupArchive
  let threads: EngineThreads
  private let progress: Progress
  /// The store's keys with a known later state behind the point.
  private let watched: [WatchedKeys]

  /// The names of the engines, in the order of their numbers in segments.
  package static let engines = ["store", "events"]

  /// A restore of a backup.
  package init(
    _ archive: BackupArchive,
    threads: EngineThreads,
    watching watched: [WatchedKeys] = [],
    progress: @escaping Progress = { _, _ in }
  ) {
    self.watched = watched
    self.archive = archive
    self.threads = threads
    self.progress = progress
  }

  /// Restores the engines into folders of a directory that exists.
  package func run(to directory: String, _ point: RestorePoint) async throws -> RestoreOutcome {
    let base = try await chooseBase(point)
    var outcome = RestoreOutcome()
    outcome.base = base.number
    outcome.lastSegment = base.firstSegment - 1
    outcome.lastTime = base.instant
    outcome.settings = base.settings
    for (name, engine) in base.engines {
      try await fetch(engine, to: "\(directory)/\(name)", &outcome)
    }
    let replay = try await threads.run(on: .maintenance) {
      try Replay(base, directory: directory, point, watching: watched)
    }
    try await apply(base, replay, point, &outcome)
    let last = try await threads.run(on: .maintenance) { try replay.finish() }
    outcome.lastVersion = last
    return outcome
  }

  /// The newest base that the point allows.
  private func chooseBase(_ point: RestorePoint) async throws -> BaseManifest {
    let numbers = try await archive.baseNumbers()
    guard let first = numbers.first else {
      throw BackupError(
        .notFound,
        "The backup at \(archive.target.address) has no complete base snapshot yet."
      )
    }
    for number in numbers.reversed() {
      let base = try await archive.base(number)
      if point.allows(base) { return base }
    }
    let oldest = try await archive.base(first)
    throw BackupError(
      .notFound,
      "The backup begins at \(Self.text(oldest.instant)). Choose that time or a later one."
    )
  }

  /// An instant as RFC 3339 has it.
  package static func text(_ time: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(time) / 1_000_000)
    return date.formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(
        separator: .omitted
      )
    )
  }

  private func fetch(
    _ engine: BaseManifest.Engine,
    to folder: String,
    _ outcome: inout RestoreOutcome
  ) async throws {
    try await threads.run(on: .maintenance) { try LocalFile.makeDirectory(folder) }
    for file in engine.files {
      // Without a key anybody may have written the manifest.
      guard !file.name.isEmpty, !file.name.hasPrefix("."), !file.name.utf8.contains(0x2F) else {
        throw BackupError(.damaged, "A base snapshot of the backup names the file \(file.name).")
      }
      var size = 0
      for part in 0..<file.parts {
        let bytes = try await archive.content(BaseManifest.part(file.object, part))
        size += bytes.count
        try await threads.run(on: .maintenance) {
          try LocalFile.append("\(folder)/\(file.name)", bytes)
        }
        outcome.bytes += bytes.count
        progress(outcome.bytes, nil)
      }
      guard size == file.size else { throw ObjectCodec.damage(file.object) }
      try await threads.run(on: .maintenance) { try LocalFile.sync("\(folder)/\(file.name)") }
    }
  }

  private func apply(
    _ base: BaseManifest,
    _ replay: Replay,
    _ point: RestorePoint,
    _ outcome: inout RestoreOutcome
  ) async throws {
    var previous = base.previous
    var number = base.firstSegment
    let last = try await archive.lastSegment(from: number) ?? number - 1
    let limit = min(last, point.lastSegment)
    var read = number <= limit ? try await archive.segment(number) : nil
    while number <= limit, !outcome.isEarlier {
      let segment = try Self.check(read, number, behind: previous)
      let (content, head) = (segment.content, segment.head)
      try replay.checkGap(before: head)
      guard !point.excludes(head) else {
        outcome.isEarlier = true
        break
      }
      // The next segment is read and unpacked while this one is applied.
      let following = number + 1
      async let next = following <= limit ? archive.segment(following) : nil
      let applied = try await threads.run(on: .maintenance) { try replay.apply(content, head) }
      outcome.groups += applied.groups
      outcome.bytes += content.count
      outcome.lastSegment = number
      outcome.lastTime = head.to
      outcome.isEarlier = applied.isEnd
      progress(outcome.bytes, nil)
      previous = segment.digest
      number = following
      if !applied.isEnd { read = try await next }
    }
    if !outcome.isEarlier { try await checkEnd(base, replay, point) }
    outcome.isEarlier = outcome.isEarlier || number <= last
    guard outcome.isEarlier, !watched.isEmpty else { return }
    await noteLater(number, last, previous, replay, &outcome)
  }

  /// A segment as it was read, which must be there and follow the one with that digest.
  private static func check(
    _ segment: BackupArchive.Segment?,
    _ number: Int,
    behind previous: String
  ) throws -> BackupArchive.Segment {
    guard let segment else {
      throw BackupError(.damaged, "Segment \(number) is missing.", segment: number)
    }
    guard segment.head.previous == previous else {
      throw BackupError(
        .damaged,
        "Segment \(number) does not follow the segment before it.",
        segment: number
      )
    }
    return segment
  }

  /// Reads behind the point for the later states of watched keys.
  private func noteLater(
    _ first: Int,
    _ last: Int,
    _ digest: String,
    _ replay: Replay,
    _ outcome: inout RestoreOutcome
  ) async {
    var (number, previous) = (first, digest)
    while number <= last {
      do {
        let segment = try Self.check(try await archive.segment(number), number, behind: previous)
        let content = segment.content
        try await threads.run(on: .maintenance) { try replay.noteLater(content) }
        previous = segment.digest
        number += 1
      } catch {
        outcome.unreadSegment = number
        break
      }
    }
    outcome.later = replay.later
  }

  /// Throws where the point was not reached and lies in a newer base, in front of which no segment has the groups.
  private func checkEnd(_ base: BaseManifest, _ replay: Replay, _ point: RestorePoint) async throws
  {
    switch point {
    case .end, .beforeSegment: return
    case .instant, .beforeCommit: break
    }
    guard let next = try await archive.baseNumbers().first(where: { $0 > base.number }) else {
      return
    }
    try replay.checkGap(before: try await archive.base(next))
  }

  /// Copies the blobs of one kind that a restored store names.
  package func restoreBlobs(
    _ blobs: [BlobInFile],
    to store: any BlobStore,
    _ outcome: inout RestoreOutcome
  ) async throws {
    for blob in blobs {
      if (try? await store.open(blob.id)) != nil { continue }
      let object = BackupShipper.object(blob.id)
      let parts = BaseManifest.parts(ofSize: Int(blob.size))
      guard try await archive.target.get(BaseManifest.part(object, parts - 1)) != nil else {
        outcome.missingBlobs.append(blob.id.description)
        continue
      }
      try? await store.remove(blob.id)
      let writer = try await store.begin(blob.id)
      do {
        for part in 0..<parts {
          let bytes = try await archive.content(BaseManifest.part(object, part))
          try await writer.write(bytes)
          outcome.bytes += bytes.count
          progress(outcome.bytes, nil)
        }
        try await writer.finish()
      } catch {
        await writer.close()
        throw error
      }
      outcome.blobs += 1
    }
  }
}

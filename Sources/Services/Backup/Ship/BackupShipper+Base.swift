import BaseText
import Foundation
import KeyValueRocksDB
import KeyValueStore
import ObjectStorage

extension BackupShipper {
  /// An engine's checkpoint on the disk.
  private struct Checkpoint: Sendable {
    let name: String
    let directory: String
    let sequence: UInt64
    let lastVersion: Int64
    let files: [(name: String, size: Int, modified: Int64)]
  }

  /// Makes a base: checkpoints of the engines, their files that the target has not yet, the files of Storage, the manifest.
  ///
  /// Segments are shipped in between.
  func makeBase() async throws {
    try await ship(all: true)
    let checkpoints = try await makeCheckpoints()
    let instant = now
    if logs == nil {
      logs = zip(engines, checkpoints).map { $0.engine.groupLog(after: $1.sequence) }
    }
    let (first, previous, ends) = (chain.number + 1, chain.digest, chain.ends)
    let number = try await nextBase()
    var described: [String: BaseManifest.Engine] = [:]
    for checkpoint in checkpoints {
      described[checkpoint.name] = try await upload(checkpoint)
    }
    let blobs = try await copyBlobs(of: checkpoints[0], base: number)
    let manifest = BaseManifest(
      number: number,
      instant: instant,
      engines: described,
      firstSegment: first,
      previous: previous,
      ends: ends,
      blobParts: blobs.parts,
      blobs: blobs.count,
      covers: self.blobs.names,
      settings: configuration.settings()
    )
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try await put(BaseManifest.name(number), Array(encoder.encode(manifest)), packing: true)
    lastBase = manifest
    uploaded = [:]
    needsBase = false
    bytesSinceBase = 0
    state.withLock { status in
      status.base = number
      status.baseInstant = instant
      if status.oldestInstant == nil { status.oldestInstant = instant }
    }
    notePending()
    try await removeCheckpoints()
  }

  /// The number of the next base, above those of bases that were not finished.
  private func nextBase() async throws -> Int {
    let taken = try await target.list("bases/").compactMap { entry in
      entry.name.split(separator: "/").dropFirst().first.flatMap { Int($0) }
    }
    return (taken.max() ?? 0) + 1
  }

  private func makeCheckpoints() async throws -> [Checkpoint] {
    try await removeCheckpoints()
    let (engines, scratch) = (engines, configuration.scratch)
    return try await threads.run(on: .maintenance) {
      try LocalFile.makeDirectory(scratch)
      return try engines.map { backed in
        let directory = "\(scratch)/\(backed.name)"
        try backed.engine.checkpoint(to: directory)
        let inspection = try RocksDBInspection(directory: directory)
        let files = try LocalFile.files(in: directory).filter {
          !["FORMAT", "LOCK", "LOG"].contains($0.name)
        }
        return Checkpoint(
          name: backed.name,
          directory: directory,
          sequence: inspection.sequence,
          lastVersion: try inspection.lastVersion,
          files: files
        )
      }
    }
  }

  /// Removes the checkpoints of an earlier attempt.
  func removeCheckpoints() async throws {
    let scratch = configuration.scratch
    try await threads.run(on: .maintenance) {
      guard FileManager.default.fileExists(atPath: scratch) else { return }
      try FileManager.default.removeItem(atPath: scratch)
    }
  }

  /// Puts the files of a checkpoint that the target has not, each in parts.
  private func upload(_ checkpoint: Checkpoint) async throws -> BaseManifest.Engine {
    var known: [String: BaseManifest.File] = [:]
    for file in lastBase?.engines[checkpoint.name]?.files ?? [] { known[Self.key(file)] = file }
    var files: [BaseManifest.File] = []
    for file in checkpoint.files {
      let size = file.size
      let described = BaseManifest.File(
        name: file.name,
        size: size,
        modified: file.modified,
        object: "tables/\(Self.randomName())",
        parts: BaseManifest.parts(ofSize: size)
      )
      let key = Self.key(described)
      if let same = known[key] ?? uploaded["\(checkpoint.name)/\(key)"] {
        files.append(same)
        continue
      }
      try await upload(described, of: "\(checkpoint.directory)/\(file.name)")
      uploaded["\(checkpoint.name)/\(key)"] = described
      files.append(described)
    }
    return BaseManifest.Engine(
      sequence: checkpoint.sequence,
      lastVersion: checkpoint.lastVersion,
      files: files
    )
  }

  private func upload(_ file: BaseManifest.File, of path: String) async throws {
    for part in 0..<file.parts {
      let bytes = try await threads.run(on: .maintenance) {
        let offset = part * BaseManifest.partBytes
        return try LocalFile.read(
          path,
          at: offset,
          count: min(BaseManifest.partBytes, file.size - offset)
        )
      }
      try await put(BaseManifest.part(file.object, part), bytes)
      try await ship()
    }
  }

  /// A table is written once under its name: one of the same name, size and time is the same.
  private static func key(_ file: BaseManifest.File) -> String {
    "\(file.name) \(file.size) \(file.modified)"
  }

  static func randomName() -> String {
    var random = SystemRandomNumberGenerator()
    let bytes = withUnsafeBytes(of: (random.next(), random.next())) { Array($0) }
    return Hexadecimal.text(bytes)
  }

  /// Has the target hold all blobs that a checkpoint names, and lists them.
  private func copyBlobs(
    of checkpoint: Checkpoint,
    base number: Int
  ) async throws -> (parts: Int, count: Int) {
    let kinds = self.blobs
    let blobs = try await threads.run(on: .maintenance) {
      var blobs: [BackedBlob] = []
      let inspection = try RocksDBInspection(directory: checkpoint.directory)
      for keys in kinds.map(\.keys) {
        try inspection.forEach(in: keys) { key, value in
          if let blob = try kinds.blob(key, value) { blobs.append(blob) }
        }
      }
      return blobs.sorted { $0.id.bytes.lexicographicallyPrecedes($1.id.bytes) }
    }
    var there: (shard: UInt8, names: Set<String>)?
    for blob in blobs {
      // In the order of their ids, so each shard is listed once.
      let shard = blob.id.bytes[0]
      if there?.shard != shard {
        let entries = try await target.list("blobs/\(blob.id.description.prefix(2))/")
        there = (shard, Set(entries.map(\.name)))
      }
      let last = BaseManifest.parts(ofSize: Int(blob.file.size)) - 1
      if there?.names.contains(BaseManifest.part(Self.object(blob.id), last)) != true {
        _ = try await copy(blob)
        try await ship()
      }
    }
    let perPart = 65_536
    var parts = 0
    for start in stride(from: 0, to: blobs.count, by: perPart) {
      let part = blobs[start..<min(start + perPart, blobs.count)].flatMap(\.id.bytes)
      try await put(BaseManifest.blobList(number, parts), part)
      parts += 1
    }
    return (parts, blobs.count)
  }
}

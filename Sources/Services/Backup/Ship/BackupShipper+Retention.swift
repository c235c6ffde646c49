import BaseText
import Foundation

/// The object `proof`: the last base that a restore proved.
package struct BackupProof: Codable, Sendable, Equatable {
  static let name = "proof"

  /// The base's number, and the last segment that was restored with it.
  package let base: Int
  /// The last segment that was restored with it.
  package let segment: Int
  /// Microseconds since 1970.
  package let at: Int64

  /// A proof of a base with the segments behind it.
  package init(base: Int, segment: Int, at: Int64) {
    (self.base, self.segment, self.at) = (base, segment, at)
  }
}

extension BackupArchive {
  /// The last proof; nil where there is none.
  package func proof() async throws -> BackupProof? {
    guard let bytes = try await target.get(BackupProof.name) else { return nil }
    let content = try codec.decode(BackupProof.name, bytes).content
    return try? JSONDecoder().decode(BackupProof.self, from: Data(content))
  }

  /// Keeps a proof.
  package func keep(_ proof: BackupProof) async throws {
    let content = try Array(JSONEncoder().encode(proof))
    let bytes = try codec.encode(BackupProof.name, content, packing: false)
    try await target.put(BackupProof.name, bytes, replacing: true)
  }

  /// The bases that are needed: those that a retention keeps, and all from the last proven one on.
  ///
  /// - Parameter since: The oldest instant that is needed beyond the retention.
  func neededBases(
    _ retention: BackupRetention,
    at now: Int64,
    since: Int64? = nil
  ) async throws -> [BaseManifest] {
    var bases: [BaseManifest] = []
    for number in try await baseNumbers() { bases.append(try await base(number)) }
    guard let proven = try await proof()?.base else { return bases }
    let begin = min(now - Int64(retention.days) * 86_400_000_000, since ?? .max)
    // The newest base from before the first day is the start of that day.
    // Versions may be ahead of the clock: one that has later ones brings none of that instant back.
    let first = bases.lastIndex { RestorePoint.instant(begin).allows($0) } ?? 0
    let kept = min(first, max(0, bases.count - retention.bases))
    let newestProven = bases.lastIndex { $0.number <= proven } ?? 0
    return Array(bases[min(kept, newestProven)...])
  }

  /// Removes what no needed base needs; returns the number of objects.
  ///
  /// Files of Storage go a day after they came at the earliest, so that none goes whose segment is still to come.
  func removeOld(
    _ retention: BackupRetention,
    at now: Int64,
    since: Int64? = nil
  ) async throws -> Int {
    let needed = try await neededBases(retention, at: now, since: since)
    guard let oldest = needed.first else { return 0 }
    let numbers = Set(needed.map(\.number))
    var removed = 0
    for entry in try await target.list("bases/") {
      guard let number = entry.name.split(separator: "/").dropFirst().first.flatMap({ Int($0) }),
        number < oldest.number, !numbers.contains(number)
      else { continue }
      try await target.remove(entry.name)
      removed += 1
    }
    for entry in try await target.list("segments/") {
      guard let number = entry.name.split(separator: "/").last.flatMap({ Int($0) }),
        number < oldest.firstSegment
      else { continue }
      try await target.remove(entry.name)
      removed += 1
    }
    removed += try await removeTables(of: needed, oldest)
    removed += try await removeFiles(before: oldest)
    return try await removed + removeBlobs(of: needed, oldest)
  }

  private func removeTables(of bases: [BaseManifest], _ oldest: BaseManifest) async throws -> Int {
    var objects: Set<String> = []
    for base in bases {
      for engine in base.engines.values { objects.formUnion(engine.files.map(\.object)) }
    }
    var removed = 0
    for entry in try await target.list("tables/") {
      let object = String(entry.name.prefix { $0 != "-" })
      // A base that is being made has tables that no manifest names yet.
      guard !objects.contains(object), isOld(entry, oldest) else { continue }
      try await target.remove(entry.name)
      removed += 1
    }
    return removed
  }

  /// Returns true if an object came a day before the oldest base that is needed.
  func isOld(_ entry: BackupEntry, _ oldest: BaseManifest) -> Bool {
    entry.modified < oldest.instant / 1_000_000 - 86_400
  }

  private func removeBlobs(of bases: [BaseManifest], _ oldest: BaseManifest) async throws -> Int {
    // A file that came after the oldest base may be named by a segment alone; one from before is in the base's list.
    var named: Set<[UInt8]> = []
    for part in 0..<oldest.blobParts {
      let list = try await content(BaseManifest.blobList(oldest.number, part))
      for start in stride(from: 0, to: list.count - 15, by: 16) {
        named.insert(Array(list[start..<(start + 16)]))
      }
    }
    var removed = 0
    for shard in 0..<256 {
      let folder = "blobs/\(Hexadecimal.text([UInt8(shard)]))/"
      for entry in try await target.list(folder) where isOld(entry, oldest) {
        let text = entry.name.dropFirst(folder.utf8.count).prefix { $0 != "-" }
        guard let id = BackupKey.bytes(ofHexadecimal: String(text)), !named.contains(id) else {
          continue
        }
        try await target.remove(entry.name)
        removed += 1
      }
    }
    return removed
  }
}

extension BackupShipper {
  /// Reads the target's proof, and removes data beyond the retention that is no longer needed.
  package func takeProof() async throws -> Int {
    try await readProof()
    let (configuration, time) = (configuration, now)
    let since = try await threads.run(on: .maintenance) { try configuration.neededSince() }
    let removed = try await archive.removeOld(configuration.retention, at: time, since: since)
    try await noteOldest(try await archive.baseNumbers())
    return removed
  }

  /// Notes from when on each instant can be restored.
  func noteOldest(_ bases: [Int]) async throws {
    var oldest: Int64?
    if let first = bases.first { oldest = try await archive.base(first).instant }
    state.withLock { $0.oldestInstant = oldest }
  }

  /// Notes why the last proof failed; nil takes the note away.
  package nonisolated func noteProof(failure: String?) {
    state.withLock { $0.proofFailure = failure }
  }

  /// Reads the proof that the target has.
  func readProof() async throws {
    let proof = try await archive.proof()
    state.withLock { status in
      status.provenAt = proof?.at
      status.provenBase = proof?.base
    }
  }
}

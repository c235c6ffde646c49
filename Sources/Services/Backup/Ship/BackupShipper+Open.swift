import Foundation
import KeyValueRocksDB
import KeyValueStore

extension BackupShipper {
  /// Takes the target, whose identity is this server's or is made, and finds out what it has.
  func open() async throws {
    // A target of another server is not claimed.
    try await checkIdentity()
    try await target.claim()
    let isKnown = try await checkIdentity()
    if !isKnown { try await target.put(BackupIdentity.name, identity.bytes, replacing: false) }
    if isKnown, chain.number > 0, logs != nil, try await hasChainsEnd() {
      isOpen = true
      return
    }
    try await readChain()
    isOpen = true
  }

  private var identity: BackupIdentity {
    BackupIdentity(
      server: configuration.server,
      home: configuration.home,
      key: configuration.key?.fingerprint
    )
  }

  /// Returns true if the target has an identity, which must be this server's.
  @discardableResult
  private func checkIdentity() async throws -> Bool {
    guard let found = try await BackupIdentity.read(target) else { return false }
    guard found.server == configuration.server else {
      throw BackupError(
        .refused,
        """
        \(target.address) is the backup of another server, \(found.home) (\(found.server)). \
        Choose another target with --backup.
        """
      )
    }
    try found.check(configuration.key)
    return true
  }

  private func hasChainsEnd() async throws -> Bool {
    guard let segment = try await archive.segment(chain.number) else { return false }
    return segment.digest == chain.digest
  }

  /// Reads the end of the target's chain and continues behind it if the logs still have the next
  /// groups.
  private func readChain() async throws {
    try await removeCheckpoints()
    try await readProof()
    let numbers = try await archive.baseNumbers()
    var base: BaseManifest?
    if let last = numbers.last { base = try await archive.base(last) }
    var found = Chain()
    if let base {
      found = Chain(number: base.firstSegment - 1, digest: base.previous, ends: base.ends)
    }
    if let last = try await archive.lastSegment(from: max(1, found.number)), last > found.number {
      guard let segment = try await archive.segment(last) else {
        throw BackupError(.damaged, "Segment \(last) is missing.", segment: last)
      }
      found = Chain(number: last, digest: segment.digest, ends: segment.head.ends)
    }
    chain = found
    lastBase = base
    lastFiles = try await archive.lastFiles()
    builder = SegmentBuilder(after: chain.ends, blobs)
    pending = nil
    state.withLock { status in
      status.segment = found.number
      status.base = base?.number
      status.baseInstant = base?.instant
    }
    try await noteOldest(numbers)
    logs = nil
    if let base, !needsBase { logs = try await resumedLogs(base) }
    needsBase = logs == nil
  }

  /// The logs behind the chain's end; nil where the engines' logs do not hold the chain's last groups as they were shipped.
  private func resumedLogs(_ base: BaseManifest) async throws -> [GroupLog]? {
    let (engines, ends) = (engines, chain.ends)
    return try await threads.run(on: .maintenance) {
      var logs: [GroupLog] = []
      for backed in engines {
        let log =
          if let end = ends[backed.name] {
            try Self.log(of: backed.engine, behind: end)
          } else {
            try Self.log(of: backed.engine, behind: base.engines[backed.name])
          }
        guard let log else { return nil }
        logs.append(log)
      }
      return logs
    }
  }

  /// The log behind the last group that was shipped, if the log still has that group as it was.
  private static func log(
    of engine: RocksDBEngine,
    behind end: SegmentHead.End
  ) throws -> GroupLog? {
    guard let last = end.last, let check = end.check else { return nil }
    let log = engine.groupLog(after: last - 1)
    do {
      guard let record = try log.next(), record.lastSequence == end.sequence else { return nil }
      return SegmentContent.check(record) == check ? log : nil
    } catch let error as KeyValueError where error.code == .logGap {
      return nil
    }
  }

  /// The log behind a base that no segment with groups of the engine has followed.
  private static func log(
    of engine: RocksDBEngine,
    behind base: BaseManifest.Engine?
  ) throws -> GroupLog? {
    guard let base, engine.acknowledgedSequence >= base.sequence else { return nil }
    do {
      _ = try engine.groupLog(after: base.sequence).next()
      return engine.groupLog(after: base.sequence)
    } catch let error as KeyValueError where error.code == .logGap {
      return nil
    }
  }
}

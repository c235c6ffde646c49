import BaseRuntime
import KeyValueRocksDB
import KeyValueStore
import ObjectStorage
import Synchronization

/// Keeps a target current: a base, then every acknowledged group of the engines in segments.
///
/// **Invariant.** `chain` describes the contents of the target. A group is in the target, in
/// `pending`, in `builder`, or behind the position of its log. A log without all groups is given
/// up, and a new base replaces them: the chain continues with its numbers, and no older base is
/// restored across the gap.
///
/// The commits wait for nothing here. `run` is called once; failed steps are retried, with pauses
/// that grow to half a minute.
package actor BackupShipper {
  /// The state of the target: the last segment, and the ends of the engines.
  struct Chain: Sendable {
    var number = 0
    var digest = ""
    var ends: [String: SegmentHead.End] = [:]
  }

  /// A segment that is encoded and not yet in the target.
  struct Pending: Sendable {
    let head: SegmentHead
    let bytes: [UInt8]
  }

  nonisolated let target: any BackupTarget
  nonisolated let engines: [BackedEngine]
  nonisolated let configuration: BackupConfiguration
  nonisolated let codec: ObjectCodec
  nonisolated let threads: EngineThreads
  nonisolated let blobs: [BackedBlobs]
  nonisolated let archive: BackupArchive
  nonisolated let state: Mutex<BackupStatus>

  var chain = Chain()
  var isOpen = false
  var needsBase = false
  /// Nil while the groups behind the chain's end are in no log.
  var logs: [GroupLog]?
  var builder: SegmentBuilder
  var pending: Pending?
  var lastBase: BaseManifest?
  /// Files of unfinished bases that the target has already.
  var uploaded: [String: BaseManifest.File] = [:]
  /// Bytes of segments since the last base.
  var bytesSinceBase = 0
  /// The list of files that the target has last; nil before the first.
  var lastFiles: FileList?
  /// The files of the logs that are read, when others were last removed.
  var releasedFiles: [Int?] = []
  private var wait: Duration?

  /// A shipper of a server's engines, the store first, and of the blobs that the store names.
  package init(
    _ configuration: BackupConfiguration,
    engines: [BackedEngine],
    blobs: [BackedBlobs],
    target: any BackupTarget,
    threads: EngineThreads
  ) {
    self.configuration = configuration
    self.engines = engines
    self.blobs = blobs
    builder = SegmentBuilder(after: [:], blobs)
    self.target = target
    self.threads = threads
    codec = ObjectCodec(server: configuration.server, key: configuration.key)
    archive = BackupArchive(target, codec)
    var status = BackupStatus()
    status.target = target.address
    state = Mutex(status)
  }

  /// The current state of the backup.
  nonisolated package var status: BackupStatus { state.withLock { $0 } }

  /// Seconds of acknowledged groups that are not in the target; 0 where it has all.
  nonisolated package var lag: Double {
    let status = status
    if let since = status.pendingSince { return Double(max(1_000, now - since)) / 1_000_000 }
    let isBehind =
      status.through.count < engines.count
      || zip(engines, status.through).contains { $0.engine.acknowledgedSequence > $1 }
    return isBehind ? 0.001 : 0
  }

  /// Microseconds since 1970.
  nonisolated var now: Int64 { configuration.clock.now() }

  /// Throws where the target is not this server's, or the key does not fit; a target that is away is no reason.
  package func check() async throws {
    do {
      try await open()
    } catch let error as BackupError where error.code == .unavailable {
      note(error)
    }
  }

  /// Ships until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      do {
        try await step()
        note(nil)
        wait = nil
      } catch {
        // The target may come back as another one.
        isOpen = false
        note(error)
        wait = min((wait ?? .milliseconds(500)) * 2, .seconds(30))
      }
      try? await Task.sleep(for: wait ?? target.pause)
    }
  }

  /// Ships the rest, once, and releases the target: nothing is written any more.
  package func finish() async {
    if (try? await step()) != nil { try? await ship(all: true) }
    await target.release()
  }

  /// One round: opens the target if necessary, creates a base if one is due, ships the available
  /// data.
  package func step() async throws {
    await boundLog()
    if !isOpen { try await open() }
    if needsBase || isBaseDue { try await makeBase() }
    try await ship()
    try await shipFiles()
  }

  private func note(_ error: (any Error)?) {
    let failure = error.map {
      $0 as? BackupError ?? BackupError(.unavailable, "The backup fails: \($0).")
    }
    state.withLock { $0.failure = failure }
    notePending()
  }

  private var isBaseDue: Bool {
    // A base of a version that backed up fewer kinds of blobs has not all.
    guard let lastBase, Set(lastBase.covers ?? []).isSuperset(of: blobs.names) else { return true }
    return now - lastBase.instant >= configuration.baseAge
      || bytesSinceBase >= max(configuration.baseLogBytes, lastBase.bytes)
  }

  /// Gives the log up where too much of it is kept for a target that does not take it.
  private func boundLog() async {
    let (engines, limit) = (engines, configuration.keptLogBytes)
    let isTooMuch = try? await threads.run(on: .maintenance) {
      engines.reduce(0) { $0 + $1.engine.keptLogBytes } > limit
    }
    guard isTooMuch == true else { return }
    giveUpLogs()
    try? await threads.run(on: .maintenance) {
      for engine in engines { try engine.engine.releaseLog(before: .max) }
    }
  }

  /// Drops data that was read and not shipped: the next base has it.
  func giveUpLogs() {
    logs = nil
    builder = SegmentBuilder(after: chain.ends, blobs)
    pending = nil
    needsBase = true
    isOpen = false
  }
}

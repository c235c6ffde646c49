import Backup
import BaseRuntime
import BaseText
import Foundation
import Gateway
import KeyValueRocksDB
import KeyValueStore
import Logging
import ObjectStorage
import ServiceLifecycle
import Synchronization

/// Backs the server up while it runs, and tells how that fares.
final class BackupService: Service {
  let shipper: BackupShipper
  private let prover: BackupProver
  let settings: BackupSettings
  private let threads: EngineThreads
  private let health: ServerHealth
  private let log: Logger
  /// The failure that the log has.
  private let logged = Mutex<String?>(nil)

  /// Between two looks at how the backup fares.
  private static let pause = Duration.seconds(1)
  /// How long the last shipment may take when the server ends.
  private static let lastShipment = Duration.seconds(10)
  /// Seconds behind which the health table has a line.
  private static let warnedLag = 60.0

  /// The backup of a server, or nil where none is wanted.
  ///
  /// Throws where the target is another server's or the key does not fit; one that is away is waited for.
  init?(_ core: ServerCore, blobs: any BlobStore) throws {
    guard let settings = core.settings.backup else { return nil }
    let directory = core.directory
    guard let store = directory.engine as? RocksDBEngine else {
      throw CommandFailure(
        "--backup is for a store in the data directory. Back up a store in PostgreSQL by its own tools."
      )
    }
    self.settings = settings
    threads = EngineThreads(count: 2)
    health = core.process.health
    log = Logger(label: "backup")
    let path = URL(fileURLWithPath: directory.path).standardizedFileURL.path
    var configuration = BackupConfiguration(
      server: try BackupID(in: directory.path).text(),
      home: "\(ProcessInfo.processInfo.hostName):\(path)",
      scratch: directory.path + "/backup-base"
    )
    configuration.key = try BackupTargetAddress.key(settings.keyFile)
    configuration.retention = settings.retention
    configuration.keptLogBytes = settings.keptLogMegabytes << 20
    configuration.settings = { BackupID.settings(in: directory.path) }
    shipper = BackupShipper(
      configuration,
      engines: [BackedEngine("store", store), BackedEngine("events", directory.events)],
      blobs: blobs,
      target: try settings.target.open(threads: threads),
      threads: threads
    )
    prover = BackupProver(
      shipper: shipper,
      settings: settings,
      directory: directory.path,
      log: log
    )
    addMetrics(to: core.process.metrics)
  }

  private func addMetrics(to metrics: MetricsRegistry) {
    metrics.addSource { [shipper] in
      let status = shipper.status
      var figures: [(name: String, value: Double)] = [
        ("brasa_backup_lag_seconds", shipper.lag),
        ("brasa_backup_delay_p99_seconds", status.delayP99),
        ("brasa_backup_failing", status.failure == nil ? 0 : 1),
        ("brasa_backup_segments_total", Double(status.shippedSegments)),
        ("brasa_backup_bytes_total", Double(status.shippedBytes)),
      ]
      if let base = status.baseInstant {
        figures.append(("brasa_backup_base_timestamp_seconds", Double(base) / 1_000_000))
      }
      if let proven = status.provenAt {
        figures.append(("brasa_backup_proven_timestamp_seconds", Double(proven) / 1_000_000))
      }
      return figures
    }
  }

  func run() async throws {
    try await shipper.check()
    await cancelWhenGracefulShutdown { [self] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.shipper.run() }
        group.addTask { await self.watch() }
        group.addTask { await self.prover.run() }
      }
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.shipper.finish() }
      group.addTask { try? await Task.sleep(for: Self.lastShipment) }
      await group.next()
      group.cancelAll()
    }
    threads.stop()
  }

  private func watch() async {
    while !Task.isCancelled {
      report(shipper.status)
      try? await Task.sleep(for: Self.pause)
    }
  }

  private func report(_ status: BackupStatus) {
    let lag = shipper.lag
    if lag > Self.warnedLag {
      health.warn("backup", "is \(Int(lag)) seconds behind")
    } else {
      health.warn("backup", status.failure == nil ? nil : "fails")
    }
    let text = status.failure?.message
    let isNew = logged.withLock { logged in
      defer { logged = text }
      return logged != text
    }
    guard isNew else { return }
    if let text {
      log.error("the backup fails", metadata: ["cause": "\(text)", "lag": "\(Int(lag)) s"])
    } else {
      log.notice("the backup works", metadata: ["target": "\(status.target)"])
    }
  }
}

/// The file `backup-id` of a data directory: the name under which it is backed up, which a copy by restore has not.
struct BackupID {
  private let path: String

  init(in directory: String) { path = directory + "/backup-id" }

  /// The id, which is made where there is none.
  func text() throws -> String {
    if let text = try? String(contentsOfFile: path, encoding: .utf8) {
      let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !id.isEmpty else {
        throw CommandFailure("\(path) is empty. Delete it: the backup begins anew.")
      }
      return id
    }
    var random = SystemRandomNumberGenerator()
    let id = Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    try Data((id + "\n").utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    return id
  }

  /// Small files of a data directory that a restore brings back.
  static let files = ["administrator-key.sha256"]

  /// The contents of those that are there.
  static func settings(in directory: String) -> [String: String] {
    var settings: [String: String] = [:]
    for name in files {
      settings[name] = try? String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
    }
    return settings
  }
}

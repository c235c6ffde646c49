import Backup
import BaseRuntime
import BaseText
import DocumentStore
import FirestoreModel
import FirestoreService
import Foundation
import Gateway
import Hosting
import KeyValueRocksDB
import KeyValueStore
import Logging
import ObjectStorage
import ServiceLifecycle
import Synchronization

/// Backs the server up while it runs, and reports its state.
final class BackupService: Service {
  let shipper: BackupShipper
  private let prover: BackupProver
  private let databases: Databases
  private let restores: DatabaseRestores
  let settings: BackupSettings
  private let threads: EngineThreads
  private let health: ServerHealth
  private let log: Logger
  /// The failure that the log has.
  private let logged = Mutex<String?>(nil)
  /// The newest version that was once seen in the target: later writes take nothing back.
  private let heldThrough = Mutex<Int64>(.min)

  /// The pause between two checks of the backup.
  private static let pause = Duration.seconds(1)
  /// The pause between two checks of the schedules of databases' backups.
  private static let schedulePause = Duration.seconds(2)
  /// The time that the last shipment may take when the server ends.
  private static let lastShipment = Duration.seconds(10)
  /// Seconds behind which the health table has a line.
  private static let warnedLag = 60.0

  /// The backup of a server, or nil where none is wanted.
  ///
  /// Throws where the target is another server's or the key does not fit; one that is away is waited for.
  init?(_ core: ServerCore, files: FileServices, hosting: Hosting) throws {
    guard let settings = core.settings.backup else { return nil }
    let directory = core.directory
    guard let store = directory.engine as? RocksDBEngine else {
      throw CommandFailure(
        "--backup is for a store in the data directory. Back up a store in PostgreSQL by its own tools."
      )
    }
    self.settings = settings
    databases = directory.databases
    restores = DatabaseRestores(settings, directory: directory.path, databases: databases)
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
    configuration.neededSince = { [databases] in
      try databases.databaseBackups(of: nil).map(\.version.microseconds).min()
    }
    configuration.files = BackupFolders.all(in: directory.path)
    configuration.settings = { BackupID.settings(in: directory.path) }
    shipper = BackupShipper(
      configuration,
      engines: [BackedEngine("store", store), BackedEngine("events", directory.events)],
      blobs: BackupFolders.blobs(files.blobs, sites: hosting.blobs),
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
        group.addTask { await self.restores.run() }
        group.addTask { await self.makeBackups() }
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

  /// Makes backups of databases when their schedules are due and the target has a base: earlier
  /// states can't be restored.
  private func makeBackups() async {
    while !Task.isCancelled {
      do {
        let hasBase = shipper.status.oldestInstant != nil
        let made = try await threads.run(on: .maintenance) { [databases] in
          hasBase ? try databases.makeDueBackups() : 0
        }
        if made > 0 {
          log.notice("scheduled backups of databases were made", metadata: ["backups": "\(made)"])
        }
        health.warn("backups of databases", nil)
      } catch {
        health.warn("backups of databases", "are not made")
        log.error("scheduled backups of databases failed", metadata: ["error": "\(error)"])
      }
      try? await Task.sleep(for: Self.schedulePause)
    }
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
      log.error("the backup failed", metadata: ["error": "\(text)", "lag": "\(Int(lag)) s"])
    } else {
      log.notice("the backup works", metadata: ["target": "\(status.target)"])
    }
  }
}

extension BackupService: DatabaseRestorer {
  func holds(_ version: CommitVersion) -> Bool {
    let status = shipper.status
    guard let oldest = status.oldestInstant, oldest <= version.microseconds else { return false }
    return heldThrough.withLock { held in
      if version.microseconds <= held { return true }
      let isHeld = status.pendingSince.map { $0 > version.microseconds } ?? (shipper.lag == 0)
      if isHeld { held = version.microseconds }
      return isHeld
    }
  }

  func restore(_ backup: DatabaseBackup, as id: DatabaseID, since start: CommitVersion) {
    restores.add(backup, as: id, since: start)
  }
}

/// The parts of a data directory that are backed up beside the engines.
enum BackupFolders {
  /// The folders of functions: sources, deployments, earlier releases and sealed secrets.
  ///
  /// The key of the secrets is in no backup. A release is written just before the deployment in force, whose folder's time
  /// tells of both.
  static let functions = [
    "functions/sources", "functions/deployments", "functions/releases", "functions/secrets",
  ]

  static func all(in directory: String) -> BackedFiles {
    BackedFiles(in: directory, folders: functions)
  }

  /// The files of Storage, and those of sites where this server has them.
  static func blobs(_ objects: any BlobStore, sites: (any BlobStore)?) -> [BackedBlobs] {
    let ofSites = sites.map { store in
      BackedBlobs("sites", keys: Hosting.contentKeys, in: store) { try Hosting.blob(ofContent: $1) }
    }
    return [.objects(in: objects)] + [ofSites].compactMap { $0 }
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
        throw CommandFailure("\(path) is empty. Delete it; the backup then starts again.")
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

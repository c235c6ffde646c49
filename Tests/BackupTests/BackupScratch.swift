import Backup
import BaseRuntime
import Foundation
import KeyValueRocksDB
import KeyValueStore
import ModelTestSupport
import ObjectStorage

/// A server's two engines with a shipper, in a folder that goes with the value.
final class BackupScratch {
  let folder: String
  let threads = EngineThreads(count: 2)
  var store: RocksDBEngine
  var events: RocksDBEngine
  let blobs: LocalBlobStore
  let target: FaultyTarget
  private(set) var shipper: BackupShipper
  let key: BackupKey?
  private let keptLogBytes: Int
  private let clock: MicrosecondClock
  private let files: BackedFiles?

  /// With `withFiles` the folder `sources` is backed up, too.
  init(
    encrypted: Bool = true,
    keptLogBytes: Int = 1 << 30,
    withFiles: Bool = false,
    clock: MicrosecondClock = .system
  ) throws {
    self.keptLogBytes = keptLogBytes
    self.clock = clock
    folder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("brasa-backup-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    files = withFiles ? BackedFiles(in: folder, folders: ["sources"]) : nil
    key = encrypted ? try BackupKey(file: Array(BackupKey.makeText().utf8)) : nil
    store = try Self.open(folder + "/store", clock)
    events = try Self.open(folder + "/events", clock)
    blobs = try LocalBlobStore(directory: folder + "/files", threads: threads)
    target = FaultyTarget(DirectoryTarget(folder + "/target", threads: threads))
    shipper = Self.shipper(
      folder,
      store,
      events,
      blobs,
      target,
      threads,
      key,
      keptLogBytes,
      clock,
      files
    )
  }

  deinit {
    threads.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func open(
    _ directory: String,
    _ clock: MicrosecondClock
  ) throws -> RocksDBEngine {
    var configuration = RocksDBConfiguration()
    configuration.keepsLog = true
    configuration.writeBufferBytes = 64 << 10
    return try RocksDBEngine(directory: directory, configuration: configuration, clock: clock)
  }

  private static func shipper(
    _ folder: String,
    _ store: RocksDBEngine,
    _ events: RocksDBEngine,
    _ blobs: LocalBlobStore,
    _ target: FaultyTarget,
    _ threads: EngineThreads,
    _ key: BackupKey?,
    _ keptLogBytes: Int,
    _ clock: MicrosecondClock,
    _ files: BackedFiles?
  ) -> BackupShipper {
    var configuration = BackupConfiguration(
      server: "a-server",
      home: "here",
      scratch: folder + "/scratch"
    )
    configuration.key = key
    configuration.segmentBytes = 16 << 10
    configuration.baseLogBytes = 64 << 10
    configuration.keptLogBytes = keptLogBytes
    configuration.clock = clock
    configuration.files = files
    return BackupShipper(
      configuration,
      engines: [BackedEngine("store", store), BackedEngine("events", events)],
      blobs: [.objects(in: blobs)],
      target: target,
      threads: threads
    )
  }

  /// As a process that ended does: another shipper on engines that were opened again, after an orderly end or without one.
  func restart(closing: Bool) async throws {
    await target.release()
    // What a killed process leaves: the files as they are, beside an engine that goes on in vain.
    if !closing { for name in ["store", "events"] { try copyQuiet(name) } }
    try store.close()
    try events.close()
    for name in ["store", "events"] where !closing {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      try FileManager.default.moveItem(
        atPath: "\(folder)/\(name)-killed",
        toPath: "\(folder)/\(name)"
      )
    }
    store = try Self.open(folder + "/store", clock)
    events = try Self.open(folder + "/events", clock)
    shipper = Self.shipper(
      folder,
      store,
      events,
      blobs,
      target,
      threads,
      key,
      keptLogBytes,
      clock,
      files
    )
  }

  /// Copies an engine's folder at a moment in which the library merges nothing there.
  private func copyQuiet(_ name: String) throws {
    let (path, copy) = ("\(folder)/\(name)", "\(folder)/\(name)-killed")
    let files = FileManager.default
    for attempt in 0..<1_000 {
      try? files.removeItem(atPath: copy)
      let before = try files.subpathsOfDirectory(atPath: path).sorted()
      do { try files.copyItem(atPath: path, toPath: copy) } catch { if attempt < 999 { continue } }
      if try files.subpathsOfDirectory(atPath: path).sorted() == before { return }
    }
    throw BackupError(.unavailable, "\(path) is never quiet.")
  }

  /// The contents of both engines after a restore to a point.
  func restored(_ point: RestorePoint) async throws -> (Contents, Contents, RestoreOutcome) {
    let directory = folder + "/restored-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let archive = try await BackupArchive.open(target, key: key)
    let outcome = try await BackupRestore(archive, threads: threads).run(to: directory, point)
    return (
      try Self.contents(directory + "/store"), try Self.contents(directory + "/events"), outcome
    )
  }

  typealias Contents = [[UInt8]: [UInt8]]

  private static func contents(_ directory: String) throws -> Contents {
    let engine = try RocksDBEngine(directory: directory)
    defer { try? engine.close() }
    return try contents(engine)
  }

  static func contents(_ engine: RocksDBEngine) throws -> Contents {
    try engine.read { snapshot in
      var contents: Contents = [:]
      let cursor = try snapshot.cursor(over: KeyRange(lower: [], upper: nil), reversed: false)
      while try cursor.next() { contents[Array(cursor.key)] = Array(cursor.value) }
      return contents
    }
  }
}

import FirestoreService
import Gateway
import KeyValueRocksDB
import KeyValueStore
import Realtime
import ServiceLifecycle

/// Keeps the data directory open while the server runs, and closes it after the port.
struct StorageService: Service {
  let directory: OpenDataDirectory
  let threads: EngineThreads
  let listeners: ListenHub
  let control: ControlSocket

  /// The engine's counters and sizes join what `/metrics` shows.
  init(
    directory: OpenDataDirectory,
    threads: EngineThreads,
    listeners: ListenHub,
    control: ControlSocket,
    metrics: MetricsRegistry
  ) {
    self.directory = directory
    self.threads = threads
    self.listeners = listeners
    self.control = control
    metrics.addSource {
      directory.engine.statistics().map { (name: "brasa_" + $0.key, value: $0.value) }
        + listeners.statistics().map { (name: "brasa_" + $0.key, value: $0.value) }
        + [
          (name: "brasa_engine_jobs_waiting", value: Double(threads.waiting)),
          (name: "brasa_engine_reads_waiting", value: Double(threads.waiting(in: .reads))),
          (name: "brasa_engine_scans_waiting", value: Double(threads.waiting(in: .scans))),
          (
            name: "brasa_engine_maintenance_waiting",
            value: Double(threads.waiting(in: .maintenance))
          ),
          (name: "brasa_engine_files_waiting", value: Double(threads.waiting(in: .files))),
        ]
    }
  }

  /// Between two looks for memory that is kept although it is free.
  private static let pause = Duration.seconds(10)
  private static let keptBytes = 32 << 20

  func run() async throws {
    control.start()
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: Self.pause)
        FreedMemory.giveBack(over: Self.keptBytes)
      }
    }
    control.stop()
    listeners.stop()
    threads.stop()
    try directory.close()
  }
}

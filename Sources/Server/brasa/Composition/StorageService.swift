import BaseRuntime
import FirestoreService
import Gateway
import KeyValueRocksDB
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
        + directory.events.statistics().map { (name: "brasa_events_" + $0.key, value: $0.value) }
    }
  }

  /// The pause between two searches for memory that is kept although it is free.
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
    directory.stopWaiting()
    control.stop()
    listeners.stop()
    threads.stop()
    try directory.close()
  }
}

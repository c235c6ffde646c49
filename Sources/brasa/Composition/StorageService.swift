import FirestoreService
import Gateway
import ServiceLifecycle

/// Keeps the data directory open while the server runs, and closes it after the port.
struct StorageService: Service {
  let directory: DataDirectory
  let threads: EngineThreads
  let control: ControlSocket
  let metrics: MetricsRegistry

  func run() async throws {
    control.start()
    let sampling = Task { await sampleStatistics() }
    try? await gracefulShutdown()
    sampling.cancel()
    control.stop()
    threads.stop()
    try directory.close()
  }

  /// Copies the engine's counters to the metrics, so that `/metrics` shows them.
  private func sampleStatistics() async {
    while !Task.isCancelled {
      for (name, value) in directory.engine.statistics() {
        metrics.gauge("brasa_" + name).record(value)
      }
      metrics.gauge("brasa_engine_jobs_waiting").record(Double(threads.waiting))
      try? await Task.sleep(for: .seconds(5))
    }
  }
}

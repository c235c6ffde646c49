import KeyValueStore
import Logging
import ServiceLifecycle
import ServiceModule

/// Does the maintenance of all services, a step of each at a time, in the lane of the engine's threads that no
/// client waits for.
struct MaintenanceService: Service {
  let services: StoredServices
  let threads: EngineThreads
  let log: Logger

  /// Between two rounds while some service has more to do.
  private static let pause = Duration.milliseconds(1)
  /// Between two rounds while none has.
  private static let rest = Duration.seconds(1)

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        let hasMore = await self.round()
        try await Task.sleep(for: hasMore ? Self.pause : Self.rest)
      }
    }
  }

  private func round() async -> Bool {
    do {
      return try await threads.run(on: .maintenance) { [services, log] in
        services.maintain { service, error in
          log.error(
            "maintenance failed",
            metadata: ["service": "\(service)", "error": "\(error)"]
          )
        }
      }
    } catch {
      // Others wait for the lane; there is another round.
      return false
    }
  }
}

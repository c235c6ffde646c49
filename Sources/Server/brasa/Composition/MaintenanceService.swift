import KeyValueStore
import Logging
import ServiceLifecycle
import ServiceModule

/// Does the maintenance of all services, a step of each at a time, in the lane of the engine's threads that no
/// client waits for.
///
/// Of several nodes the one that leads does it for what all serve, the home node for the rest.
struct MaintenanceService: Service {
  /// Who of several nodes does it.
  enum Worker {
    case leader
    case home(HomeClaim)
  }

  private let directory: OpenDataDirectory
  private let services: StoredServices
  private let threads: EngineThreads
  private let log: Logger
  private let worker: Worker

  init(
    _ directory: OpenDataDirectory,
    services: StoredServices,
    threads: EngineThreads,
    log: Logger,
    by worker: Worker = .leader
  ) {
    self.directory = directory
    self.services = services
    self.threads = threads
    self.log = log
    self.worker = worker
  }

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
      return try await threads.run(on: .maintenance) { [self] in
        if case .home(let home) = worker { return home.isHeld ? step() : false }
        return try directory.lead {
          // Other nodes may be the only ones where a database is used.
          if directory.engine.isShared { try directory.databases.openAll() }
          return step()
        } ?? false
      }
    } catch {
      // Others wait for the lane; there is another round.
      return false
    }
  }

  private func step() -> Bool {
    services.maintain { service, error in
      log.error(
        "maintenance failed",
        metadata: ["service": "\(service)", "error": "\(error)"]
      )
    }
  }
}

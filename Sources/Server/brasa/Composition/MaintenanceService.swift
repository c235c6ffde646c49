import BaseRuntime
import ServiceLifecycle
import ServiceModule
import Synchronization

/// Does the maintenance of all services, a step of each at a time, in the pool of engine threads
/// that serves no clients.
///
/// A service whose step fails is in the health table until a step of it goes well, unless its engine takes
/// no writes, of which the table has a line already.
///
/// If there are several nodes, the leader does it for the shared services, the primary for the
/// rest.
final class MaintenanceService: Service {
  /// The node that does it, of several.
  enum Worker {
    case leader
    case primary(PrimaryLease)
  }

  private let directory: OpenDataDirectory
  private let services: StoredServices
  private let threads: EngineThreads
  private let worker: Worker
  private let health: TaskHealth
  /// The services whose last step failed.
  private let failing = Mutex<Set<String>>([])

  init(
    _ directory: OpenDataDirectory,
    services: StoredServices,
    threads: EngineThreads,
    health: TaskHealth,
    by worker: Worker = .leader
  ) {
    self.health = health
    self.directory = directory
    self.services = services
    self.threads = threads
    self.worker = worker
  }

  /// The pause between two rounds while some service has more to do.
  private static let pause = Duration.milliseconds(1)
  /// The pause between two rounds while none has.
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
        if case .primary(let lease) = worker { return lease.isHeld ? step() : false }
        return try directory.lead {
          // Other nodes may be the only ones where a database is used.
          if directory.engine.isShared { try directory.databases.openAll() }
          return step()
        } ?? false
      }
    } catch {
      // Others wait for the lane; another round follows.
      return false
    }
  }

  private func step() -> Bool {
    var failed: [String: any Error] = [:]
    let hasMore = services.maintain { failed[Self.task($0)] = $1 }
    let recovered = failing.withLock { failing in
      defer { failing = Set(failed.keys) }
      return failing.subtracting(failed.keys)
    }
    for (task, error) in failed { health.report(task, error) }
    for task in recovered { health.report(task, nil) }
    return hasMore
  }

  private static func task(_ service: String) -> String { "maintenance of \(service)" }
}

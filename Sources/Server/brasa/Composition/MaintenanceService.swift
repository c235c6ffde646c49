import FirestoreModel
import Gateway
import KeyValueStore
import Logging
import ObjectStorage
import PushMessaging
import ServiceLifecycle
import ServiceModule
import Synchronization

/// Does the maintenance of all services, a step of each at a time, in the lane of the engine's threads that no
/// client waits for.
///
/// A service whose step fails is in the health table until a step of it goes well, unless its engine takes
/// no writes, of which the table has a line already.
///
/// Of several nodes the one that leads does it for what all serve, the home node for the rest.
final class MaintenanceService: Service {
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
  private let health: ServerHealth
  /// The services whose last step failed.
  private let failing = Mutex<Set<String>>([])

  init(
    _ directory: OpenDataDirectory,
    services: StoredServices,
    threads: EngineThreads,
    health: ServerHealth,
    log: Logger,
    by worker: Worker = .leader
  ) {
    self.health = health
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
    var failed: Set<String> = []
    let hasMore = services.maintain { service, error in
      log.error(
        "maintenance failed",
        metadata: ["service": "\(service)", "error": "\(error)"]
      )
      if !Self.isEngines(error) { failed.insert(service) }
    }
    let before = failing.withLock { failing in
      defer { failing = failed }
      return failing
    }
    for service in failed.subtracting(before) { health.warn(Self.part(service), "fails") }
    for service in before.subtracting(failed) { health.warn(Self.part(service), nil) }
    return hasMore
  }

  private static func part(_ service: String) -> String { "maintenance of \(service)" }

  /// True for an engine's failure, whatever service it came through; damage is the service's.
  private static func isEngines(_ error: any Error) -> Bool {
    let cause: (any Error)? =
      switch error {
      case let error as FirestoreError: error.cause
      case let error as MessagingError: error.cause
      case let error as StorageError: error.cause
      default: error
      }
    return (cause as? KeyValueError).map { $0.code != .corruption } ?? false
  }
}

import Gateway
import KeyValuePostgres
import KeyValueStore
import NIOCore
import ServiceLifecycle
import Synchronization

/// The server as its service manager sees it: ready, alive, stopping, and a line about how it fares.
///
/// A sign of life is sent after every event loop of the port has taken a turn and, where the store is in the data
/// directory, a thread for reads has read from it. A server that hangs in either is silent, and the manager restarts
/// it. A full disk, damaged data or a database server that is away are no reasons for that: a restart mends none of
/// them, so they are only in the status line.
final class SupervisedServer: Sendable {
  /// The longest time between two looks at the server's health.
  private static let pause = Duration.seconds(5)

  private struct State {
    /// The address that the server listens on, and its mode; nil until it listens.
    var address: String?
    var isStopping = false
    var lastStatus = ""
  }

  private let manager: ServiceManager
  private let health: ServerHealth
  private let state = Mutex(State())

  /// A server that has not begun to listen.
  init(_ manager: ServiceManager, health: ServerHealth) {
    self.manager = manager
    self.health = health
  }

  /// Reports that the data directory is being opened, which takes long after a crash.
  func opens(_ directory: String) { manager.tell(.status("Opening \(directory)")) }

  /// Reports that the port accepts connections.
  func listens(on address: SocketAddress, mode: String) {
    let host = address.ipAddress.map { $0.contains(":") ? "[\($0)]" : $0 } ?? ""
    state.withLock { $0.address = "\(host):\(address.port ?? 0), \(mode)" }
    tellStatus()
    manager.tell(.ready)
  }

  /// Reports that the server has begun to stop; signs of life continue until it has ended.
  private func stops() {
    let isFirst = state.withLock { state in
      defer { state.isStopping = true }
      return !state.isStopping
    }
    guard isFirst else { return }
    manager.tell(.stopping)
    manager.tell(.status("Finishing open requests and closing the store"))
  }

  /// The services that frame all others: one to be started first, and one to be started last and so stopped first.
  func services(
    _ gateway: Gateway,
    _ system: ServedSystem
  ) -> (first: any Service, last: any Service) {
    let signs = SignsOfLife(server: self, gateway: gateway, reads: system.readsStore)
    return (signs, StopNotice(server: self))
  }

  private func tellStatus() {
    let findings = (health.problems + health.warnings).joined(separator: "; ")
    let status = state.withLock { state -> String? in
      guard let address = state.address, !state.isStopping else { return nil }
      let status = "Listening on \(address)" + (findings.isEmpty ? "" : "; \(findings)")
      guard status != state.lastStatus else { return nil }
      state.lastStatus = status
      return status
    }
    if let status { manager.tell(.status(status)) }
  }

  /// Sends signs of life twice in each period of the watchdog, and the status line when it has changed.
  private struct SignsOfLife: Service {
    let server: SupervisedServer
    let gateway: Gateway
    /// Returns when a thread for reads has read from the store; false where it had no room for the job.
    let reads: @Sendable () async -> Bool

    func run() async throws {
      let period = server.manager.watchdog.map { min($0 / 2, SupervisedServer.pause) }
      try? await cancelWhenGracefulShutdown {
        while true {
          try await Task.sleep(for: period ?? SupervisedServer.pause)
          server.tellStatus()
          if period != nil, await isAlive() { server.manager.tell(.watchdog) }
        }
      }
    }

    private func isAlive() async -> Bool {
      let (isListening, isStopping) = server.state.withLock { ($0.address != nil, $0.isStopping) }
      // A stop has a time limit of its own.
      guard isListening, !isStopping else { return true }
      await gateway.turnEventLoops()
      return await reads()
    }
  }

  private struct StopNotice: Service {
    let server: SupervisedServer

    func run() async throws {
      try? await gracefulShutdown()
      server.stops()
    }
  }
}

extension ServerCore {
  /// Returns when a thread for reads has read from the store; false where it had no room for the job.
  ///
  /// A store in PostgreSQL is not asked: while the database server is away reads wait for it.
  var readsStore: @Sendable () async -> Bool {
    { [engine = directory.engine, threads] in
      if engine is PostgresEngine { return true }
      return await withCheckedContinuation { continuation in
        let isTaken = threads.submit {
          // An error is the store's response, too: the health report shows it.
          _ = try? engine.read { try $0.get([KeyOwner.formats.firstBytes.lowerBound]) }
          continuation.resume(returning: true)
        }
        if !isTaken { continuation.resume(returning: false) }
      }
    }
  }
}

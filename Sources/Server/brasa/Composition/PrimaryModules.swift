import Access
import BaseRuntime
import FirestoreService
import FirestoreWire
import Logging
import ServiceModule
import Synchronization

extension ServiceModule {
  /// A service of the primary on some node: requests are forwarded while another one is.
  ///
  /// Its tasks run once this node is the primary, which happens to candidates alone.
  func onPrimary(_ lease: PrimaryLease, passedOnBy peers: PeerNodes) -> ServiceModule {
    var module = self
    module.routes = routes.map { $0.onPrimary(lease, passedOnBy: peers) }
    if let root { module.root?.route = root.route.onPrimary(lease, passedOnBy: peers) }
    if let fallback {
      module.fallback = { request in
        if let answer = try await peers.forwardToPrimary(request) { return answer }
        return try await lease.answer(request, by: fallback)
      }
    }
    module.tasks = tasks.map { $0.onPrimary(lease) }
    return module
  }

  /// A service that no other node answers for: its requests are refused while this one is not the primary.
  func onlyOnPrimary(_ lease: PrimaryLease) -> ServiceModule {
    var module = self
    module.routes = routes.map { $0.onlyOnPrimary(lease) }
    if let root { module.root?.route = root.route.onlyOnPrimary(lease) }
    return module
  }

  /// Serves the state of a cluster's node to a load balancer, and runs the task of a candidate.
  ///
  ///     GET /healthz/primary   ok; 503 where another node is the primary
  ///
  /// The task takes the lease when it is free, ends the program when another node took it from this one, and gives it up with the
  /// program.
  static func primary(
    _ lease: PrimaryLease,
    isCandidate: Bool,
    files: FilesMark,
    threads: EngineThreads,
    log: Logger
  ) -> ServiceModule {
    var module = ServiceModule("primary")
    module.routes = [
      // The second is the name of 0.1.0.
      HTTPRoute(.get, "/healthz/primary", for: .clients, handler: lease.state),
      HTTPRoute(.get, "/healthz/home", for: .clients, handler: lease.state),
    ]
    guard isCandidate else { return module }
    let fitness = PrimaryFitness(files: files, log: log)
    module.tasks = [
      ServiceTask("primary") {
        let end: Result<Void, any Error>
        do {
          try await lease.become(threads) { try fitness.check() }
          try await threads.run(on: .maintenance) { try files.keep() }
          log.notice("this node is the primary now")
          end = .success(try await lease.untilLost())
        } catch {
          end = .failure(error)
        }
        // A cancelled task waits for this all the same.
        try? await Task { try await threads.run(on: .maintenance) { try lease.release() } }.value
        try end.get()
      }
    ]
    return module
  }
}

extension HTTPRoute {
  fileprivate func onPrimary(_ lease: PrimaryLease, passedOnBy peers: PeerNodes) -> HTTPRoute {
    var passed = handled { [handler, decidesOrigins, loop] in
      let answer = try await peers.forwardToPrimary(
        $0,
        decidesOrigins: decidesOrigins,
        isStream: loop?.takesConnection ?? false
      )
      if let answer { return answer }
      return try await lease.answer($0, by: handler)
    }
    passed.isPassedOn = { !lease.isHeld }
    return passed
  }

  fileprivate func onlyOnPrimary(_ lease: PrimaryLease) -> HTTPRoute {
    handled { [handler] in try await lease.answer($0, by: handler) }
  }
}

extension PrimaryLease {
  /// Tells a load balancer if this node is the primary.
  @Sendable
  fileprivate func state(_ request: ServiceRequest) -> ServiceResponse {
    isHeld ? .text("ok\n") : .text("another node\n", status: .serviceUnavailable)
  }

  /// Returns the response of a handler on the primary.
  ///
  /// A handler that hung may find files gone that the next primary has cleared away: an error
  /// counts only if this node is still the primary.
  fileprivate func answer(
    _ request: ServiceRequest,
    by handler: HTTPRoute.Handler
  ) async throws -> ServiceResponse {
    try check()
    let answer: Result<ServiceResponse, any Error>
    do {
      answer = .success(try await handler(request))
    } catch {
      answer = .failure(error)
    }
    if case .success(let response) = answer, response.status.code < 400 { return response }
    try await checkNow()
    return try answer.get()
  }
}

extension ServiceTask {
  /// The task, once this node is the primary.
  func onPrimary(_ lease: PrimaryLease) -> ServiceTask {
    ServiceTask(name) {
      try await lease.untilHeld()
      try await run()
    }
  }
}

/// Checks that a node has everything that a primary needs; logs once why not.
private final class PrimaryFitness: Sendable {
  private let files: FilesMark
  private let log: Logger
  private let hasTold = Mutex(false)

  init(files: FilesMark, log: Logger) { (self.files, self.log) = (files, log) }

  func check() throws -> Bool {
    if try files.isCurrent() { return true }
    let isFirst = hasTold.withLock { hasTold in
      defer { hasTold = true }
      return !hasTold
    }
    if isFirst {
      log.warning(
        """
        this node can't become the primary: larger files are in another node's files/ or on another \
        S3 server. Share them, or start the node with --primary-without-files
        """
      )
    }
    return false
  }
}

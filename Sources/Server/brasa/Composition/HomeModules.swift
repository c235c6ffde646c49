import Access
import BaseRuntime
import FirestoreService
import FirestoreWire
import Logging
import ServiceModule
import Synchronization

extension ServiceModule {
  /// A service of the home node on some node: requests are passed on while another one is home.
  ///
  /// Its tasks run once this node is home, which only one that may be will be.
  func atHome(_ home: HomeClaim, passedOnBy peers: PeerNodes) -> ServiceModule {
    var module = self
    module.routes = routes.map { $0.atHome(home, passedOnBy: peers) }
    if let root { module.root?.route = root.route.atHome(home, passedOnBy: peers) }
    if let fallback {
      module.fallback = { request in
        if let answer = try await peers.passHome(request) { return answer }
        return try await home.answer(request, by: fallback)
      }
    }
    module.tasks = tasks.map { $0.atHome(home) }
    return module
  }

  /// A service that no other node answers for: its requests are refused while this one is not home.
  func onlyAtHome(_ home: HomeClaim) -> ServiceModule {
    var module = self
    module.routes = routes.map { $0.onlyAtHome(home) }
    if let root { module.root?.route = root.route.onlyAtHome(home) }
    return module
  }

  /// Serves the state of a cluster's node to a load balancer, and runs the task of one that may be
  /// primary.
  ///
  ///     GET /healthz/home   ok; 503 where another node is home
  ///
  /// The task takes the claim when it is free, ends the program when another node took it from this one, and gives it up with the
  /// program.
  static func home(
    _ claim: HomeClaim,
    isCandidate: Bool,
    files: FilesMark,
    threads: EngineThreads,
    log: Logger
  ) -> ServiceModule {
    var module = ServiceModule("home")
    module.routes = [
      HTTPRoute(.get, "/healthz/home", for: .clients) { _ in
        claim.isHeld
          ? .text("ok\n") : .text("another node\n", status: .serviceUnavailable)
      }
    ]
    guard isCandidate else { return module }
    let fitness = HomeFitness(files: files, log: log)
    module.tasks = [
      ServiceTask("home") {
        let end: Result<Void, any Error>
        do {
          try await claim.become(threads) { try fitness.check() }
          try await threads.run(on: .maintenance) { try files.keep() }
          log.notice("this node is the home node now")
          end = .success(try await claim.untilLost())
        } catch {
          end = .failure(error)
        }
        // A cancelled task waits for this all the same.
        try? await Task { try await threads.run(on: .maintenance) { try claim.release() } }.value
        try end.get()
      }
    ]
    return module
  }
}

extension HTTPRoute {
  fileprivate func atHome(_ home: HomeClaim, passedOnBy peers: PeerNodes) -> HTTPRoute {
    var passed = handled { [handler, decidesOrigins, loop] in
      let answer = try await peers.passHome(
        $0,
        decidesOrigins: decidesOrigins,
        isStream: loop?.takesConnection ?? false
      )
      if let answer { return answer }
      return try await home.answer($0, by: handler)
    }
    passed.isPassedOn = { !home.isHeld }
    return passed
  }

  fileprivate func onlyAtHome(_ home: HomeClaim) -> HTTPRoute {
    handled { [handler] in try await home.answer($0, by: handler) }
  }
}

extension HomeClaim {
  /// Returns the response of a handler on the primary.
  ///
  /// A handler that hung may find files gone that the next home node has cleared away: an error
  /// counts only if this node is still the home node.
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
  /// The task, once this node is home.
  func atHome(_ home: HomeClaim) -> ServiceTask {
    ServiceTask(name) {
      try await home.untilHeld()
      try await run()
    }
  }
}

/// Checks that a node has everything that a primary needs; logs once why not.
private final class HomeFitness: Sendable {
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
        this node can't become the home node: larger files are in another node's files/ or on another \
        S3 server. Share them, or start the node with --home-without-files
        """
      )
    }
    return false
  }
}

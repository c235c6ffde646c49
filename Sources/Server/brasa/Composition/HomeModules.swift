import FirestoreModel
import KeyValueStore
import ServiceModule

extension ServiceModule {
  /// The service on a node that is not home: its requests are passed on to the one that is.
  func passedOn(to home: HomeClaim, by peers: PeerNodes) -> ServiceModule {
    var module = ServiceModule(name)
    module.hosts = hosts
    module.routes = routes.map { route in
      var passed = route.handled {
        try await peers.pass($0, to: home, decidesOrigins: route.decidesOrigins)
      }
      passed.takesStream = true
      return passed
    }
    if fallback != nil {
      module.fallback = { try await peers.pass($0, to: home, decidesOrigins: false) }
    }
    return module
  }

  /// The service on the home node: nothing is answered once another node is home.
  func held(by home: HomeClaim) -> ServiceModule {
    var module = self
    module.routes = routes.map { route in
      route.handled {
        try home.check()
        return try await route.handler($0)
      }
    }
    return module
  }

  /// The task of a home node: ends the program when another node is home, and gives the claim up with the program.
  static func home(_ claim: HomeClaim, threads: EngineThreads) -> ServiceModule {
    var module = ServiceModule("home")
    module.tasks = [
      ServiceTask("home") {
        try await claim.untilLost()
        try? await Task { try await threads.run(on: .maintenance) { try claim.release() } }.value
      }
    ]
    return module
  }
}

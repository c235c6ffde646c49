import HTTPTypes

/// One service as the program sees it: everything that the server serves, runs and shows on its
/// behalf.
///
/// A service's API target makes the value, the composition root lists the values, and the gateway serves
/// what they hold. Nothing else joins the two: the gateway names no service, and no service the gateway.
/// So adding a service is one target and one element of a list; `docs/architecture.md` says how.
package struct ServiceModule: Sendable {
  /// Reads figures that the service keeps: a name such as `mail_queued`, its value now.
  package typealias MetricsSource = @Sendable () -> [(name: String, value: Double)]

  /// Names the service in logs and in errors of the start.
  package let name: String
  /// The HTTP requests that the service answers.
  package var routes: [HTTPRoute] = []
  /// Google's hosts of the service; clients of emulators send such a name as the first segment of a path,
  /// and mean the path that follows.
  package var hosts: [String] = []
  /// Answers requests of the path `/` that are the service's; nil leaves all to the gateway, which says that the server is
  /// there.
  package var root: RootRoute?
  /// Responds to paths below such a name that no route has; nil leaves it to the gateway.
  package var fallback: HTTPRoute.Handler?
  /// Returns true for requests that no other service understands, by what they carry: those get a route that yields,
  /// whatever other services have their paths.
  package var claims: (@Sendable (HTTPRequest) -> Bool)?
  /// The hosts that are the service's as a whole; one service of a program has some.
  package var sites: HostedOrigins?
  /// The gRPC calls that the service answers.
  package var methods: [ServiceMethod] = []
  /// The tasks that run beside the port.
  package var tasks: [ServiceTask] = []
  /// Read at each scrape of `/metrics`; names that end in `_total` are counters, others gauges.
  package var metrics: MetricsSource?

  /// Called when the server begins to stop: ends responses that would continue for ever.
  package var onShutdown: (@Sendable () -> Void)?

  /// A service of that name that does nothing yet.
  package init(_ name: String) { self.name = name }

  /// The names that the service serves, each once: gRPC services by name, then the paths of routes.
  package var served: [String] {
    var seen: Set<String> = []
    return (methods.map(\.serviceName) + routes.map(\.pattern.description)).filter {
      seen.insert($0).inserted
    }
  }
}

/// A service's route of the path `/`, which other clients use as a health check.
package struct RootRoute: Sendable {
  /// The route whose handler serves accepted requests.
  package var route: HTTPRoute
  /// Returns true if a request is for the service, by what it carries.
  package let accepts: @Sendable (ServiceRequest) -> Bool

  /// A route for the requests that are accepted.
  package init(_ route: HTTPRoute, accepts: @escaping @Sendable (ServiceRequest) -> Bool) {
    self.route = route
    self.accepts = accepts
  }
}

/// Work of a service for as long as the server runs.
package struct ServiceTask: Sendable {
  /// Names the task in logs.
  package let name: String
  /// Runs until its task is cancelled, which is after the last request was answered.
  ///
  /// One that returns or throws before ends the server.
  package let run: @Sendable () async throws -> Void

  /// A task of that name.
  package init(_ name: String, run: @escaping @Sendable () async throws -> Void) {
    self.name = name
    self.run = run
  }
}

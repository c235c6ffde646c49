import HTTPTypes
import ServiceModule

extension HTTPRoute {
  /// A call of the console's page, for administrators of the console alone.
  static func ofConsole(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    _ environment: ConsoleEnvironment,
    _ answer: @escaping Handler
  ) -> HTTPRoute {
    var route = HTTPRoute(method, RoutePattern(pattern), for: .administrators) { request in
      try OwnOrigin.require(request)
      _ = try environment.access.consoleAdministrator(request.context)
      return try await answer(request)
    }
    // The answers are for the page of this origin alone.
    route.decidesOrigins = true
    return route
  }
}

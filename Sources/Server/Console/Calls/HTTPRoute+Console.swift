import Access
import HTTPTypes
import ServiceModule

extension HTTPRoute {
  /// A call of the console's page that performs an act of administration, with the rights that the table gives it.
  static func ofConsole(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    _ environment: ConsoleEnvironment,
    performing act: AdministrativeAct,
    _ answer: @escaping Handler
  ) -> HTTPRoute {
    ofConsole(method, pattern, environment, about: act.right.isOfServer ? .server : nil, answer)
      .performing(act)
  }

  /// A call of the console's page, for administrators of the console alone.
  ///
  /// - Parameter subject: The subject of the call, if it is not the project in its path, or else
  ///   the server.
  static func ofConsole(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    _ environment: ConsoleEnvironment,
    about subject: AccessControl.ConsoleSubject? = nil,
    _ answer: @escaping Handler
  ) -> HTTPRoute {
    var route = HTTPRoute(method, RoutePattern(pattern), for: .administrators) { request in
      try OwnOrigin.require(request)
      let named = request.project.map { AccessControl.ConsoleSubject.project($0) } ?? .server
      _ = try environment.access.consoleAdministrator(request.context, of: subject ?? named)
      return try await answer(request)
    }
    // The responses are for the page of this origin alone.
    route.decidesOrigins = true
    return route
  }
}

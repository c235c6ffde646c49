import Access
import HTTPTypes

/// The HTTP requests of certain methods and paths, and what answers them.
package struct HTTPRoute: Sendable {
  /// Answers a request of the route.
  ///
  /// A `ServiceError` that it throws becomes Google's JSON error of that code,
  /// `ServiceBody.TooLarge` status 413; anything else is logged and sent as an internal error.
  package typealias Handler = @Sendable (ServiceRequest) async throws -> ServiceResponse

  /// Answers a request of the route without a body from memory alone, on the event loop of its connection.
  ///
  /// Nil, also for a thrown error, if it needs more or is not a success: the route's handler then
  /// starts from the beginning. It must not block, takes no more than some ten microseconds, and
  /// answers with success and a body.
  package typealias MemoryHandler = @Sendable (ServiceRequest) throws -> MemoryAnswer?

  /// Begins to answer a POST of the route with its whole body on the event loop of its connection, without a task.
  ///
  /// False, also for a thrown error, leaves the request to the route's handler, which starts from
  /// the beginning: the call must have had no effect then. Otherwise the answer is given once, then
  /// or later, by any thread. It must not block and takes no more than some fifty microseconds.
  /// Calls that are for the audit trail are the handler's.
  package typealias LoopHandler =
    @Sendable (ServiceRequest, [UInt8], @escaping @Sendable (LoopAnswer) -> Void) throws -> Bool

  /// A `LoopHandler` and what it takes.
  package struct LoopHandling: Sendable {
    /// The largest body; the route's handler answers larger ones.
    package let bodyLimit: Int
    /// True if the response may be a stream: nothing else comes by such a connection, on which
    /// nothing came before that was not answered in this way.
    package let takesConnection: Bool
    /// Called first for each POST of the route; false leaves the request to the route's handler.
    package let handler: LoopHandler

    /// A handler of bodies up to that many bytes.
    package init(
      upTo bodyLimit: Int,
      takesConnection: Bool = false,
      handler: @escaping LoopHandler
    ) {
      self.bodyLimit = bodyLimit
      self.takesConnection = takesConnection
      self.handler = handler
    }
  }

  /// The web pages that may call the route in development, where requests need no credentials.
  ///
  /// In production credentials decide, and this says nothing.
  package enum Audience: Sendable {
    /// Pages of every origin: what apps call.
    case clients
    /// Pages of origins that the operator named: what only administrators call.
    case administrators
  }

  /// Forwards a request to another program, which has the necessary data; nil if this one has it.
  package typealias Passing = @Sendable (ServiceRequest) async throws -> ServiceResponse?

  /// The methods that the route serves; GET serves HEAD too where no other route does.
  package let methods: [HTTPRequest.Method]
  /// The paths that the route serves.
  package let pattern: RoutePattern
  /// The web pages that may call the route in development.
  package let audience: Audience
  /// Serves requests that neither `memoryHandler` nor `loop` took.
  package let handler: Handler
  /// Asked first where there is one.
  package var memoryHandler: MemoryHandler?
  /// Asked first for a POST where there is one.
  package var loop: LoopHandling?
  /// True if the body may be of any length: its bytes count only until the handler takes the next
  /// part, and its client may take as long as it sends something.
  package var takesStream = false
  /// Returns true if requests are passed on to another program now, their bodies as they come; nil
  /// where none ever is.
  package var isPassedOn: (@Sendable () -> Bool)?
  /// True if the handler decides which origins' pages may call: the gateway passes preflights on,
  /// which are requests of method OPTIONS for a route of that pattern, and adds nothing to the
  /// responses.
  package var decidesOrigins = false
  /// True if the route leaves alone every path whose first segment is the beginning of other routes
  /// or the name of a gRPC service: those report unknown paths in their own words.
  package var yields = false
  /// The least role of a signed-in administrator that a request of that method and path takes; the path is as it
  /// came.
  ///
  /// A route changes something unless it says otherwise: viewers reach only routes that are known
  /// to change nothing.
  package var demand: @Sendable (HTTPRequest.Method, String) -> AdministratorRole = { _, _ in
    .editor
  }

  /// Returns true if a request of that method and path requires a recent sign-in of a signed-in
  /// administrator; nil leaves it to the rule of `takesRecentSignIn`.
  package var recency: (@Sendable (HTTPRequest.Method, String) -> Bool)?

  /// A route; a GET route answers HEAD too, unless another route has that.
  package init(
    _ methods: [HTTPRequest.Method],
    _ pattern: RoutePattern,
    for audience: Audience,
    handler: @escaping Handler
  ) {
    self.methods = methods
    self.pattern = pattern
    self.audience = audience
    self.handler = handler
  }

  /// A route of one method.
  package init(
    _ method: HTTPRequest.Method,
    _ pattern: RoutePattern,
    for audience: Audience,
    handler: @escaping Handler
  ) {
    self.init([method], pattern, for: audience, handler: handler)
  }

  /// The route with its reading methods open to viewers; those are routes on which GET changes nothing.
  package func openToViewers() -> HTTPRoute {
    demanding { method, _ in method == .get || method == .head ? .viewer : .editor }
  }

  /// The route for a request that changes nothing with any method, such as a search by POST.
  package func onlyReading() -> HTTPRoute { demanding { _, _ in .viewer } }

  /// The route with another judgement of which role its requests take.
  package func demanding(
    _ demand: @escaping @Sendable (HTTPRequest.Method, String) -> AdministratorRole
  ) -> HTTPRoute {
    var route = self
    route.demand = demand
    return route
  }

  /// The route of an act of administration, with the rights that the table gives it.
  ///
  /// Its handler asks the table too (`AccessControl.caller(for:of:_:)`), or the console's routes for their subject.
  package func performing(_ act: AdministrativeAct) -> HTTPRoute {
    let right = act.right
    return demanding { _, _ in right.role }.takingRecentSignIn { _, _ in right.takesRecentSignIn }
  }

  /// The route with another judgement of which requests take a recent sign-in.
  package func takingRecentSignIn(
    _ recency: @escaping @Sendable (HTTPRequest.Method, String) -> Bool
  ) -> HTTPRoute {
    var route = self
    route.recency = recency
    return route
  }

  /// The route behind a check of each request: an error of the check is the response.
  ///
  /// Every request takes the handler's way then, which alone asks.
  package func checking(
    _ check: @escaping @Sendable (ServiceRequest) throws -> Void
  ) -> HTTPRoute {
    let handler = handler
    var route = HTTPRoute(methods, pattern, for: audience) { request in
      try check(request)
      return try await handler(request)
    }
    route.takesStream = takesStream
    route.isPassedOn = isPassedOn
    route.decidesOrigins = decidesOrigins
    route.yields = yields
    route.demand = demand
    route.recency = recency
    return route
  }

  /// Returns true if a request requires a recent sign-in of a signed-in administrator: changes for
  /// owners alone do, where the route says nothing else.
  package func takesRecentSignIn(_ method: HTTPRequest.Method, _ path: String) -> Bool {
    if let recency { return recency(method, path) }
    return method != .get && method != .head && demand(method, path) == .owner
  }

  /// For services that answer wrong methods themselves, in their own words.
  package static let everyMethod: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]
}

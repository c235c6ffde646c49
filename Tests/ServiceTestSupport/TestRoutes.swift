import Access
import BaseStatus
import FirestoreWire
import HTTPTypes
import Logging
import ServiceModule

/// The routes of modules, called as the gateway calls them: the route is found by method and path, and its demands
/// and the errors of its handler count.
package struct TestRoutes: Sendable {
  private let table: RouteTable
  /// Every route as its method and pattern: `GET /v1/projects/{project}/rulesets`.
  package let names: Set<String>

  /// The routes of those modules.
  package init(_ modules: [ServiceModule]) throws {
    table = try RouteTable(modules)
    names = Set(
      modules.flatMap(\.routes).flatMap { route in
        route.methods.map { "\($0.rawValue) \(route.pattern)" }
      }
    )
  }

  /// No route has that method and path.
  package struct NoRoute: Error, CustomStringConvertible {
    /// The method and path.
    package let description: String
  }

  /// Calls the route of a request such as `POST /v1/projects/p/rulesets?a=b`.
  ///
  /// - Parameter isComplete: Asked with each part of a body that goes on; true has the client go away.
  package func call(
    _ request: String,
    as caller: TestCaller = .key,
    body: String = "",
    headers: [String: String] = [:],
    until isComplete: @escaping @Sendable (String) -> Bool = { _ in false }
  ) async throws -> TestResponse {
    try await call(
      request,
      as: caller,
      bytes: Array(body.utf8),
      headers: headers,
      until: isComplete
    )
  }

  /// The same with a body that may be any bytes.
  package func call(
    _ request: String,
    as caller: TestCaller = .key,
    bytes: [UInt8],
    headers: [String: String] = [:],
    until isComplete: @escaping @Sendable (String) -> Bool = { _ in false }
  ) async throws -> TestResponse {
    let call = try prepared(request, caller, headers, bytes)
    let response = await respond(to: call.request, by: call.route)
    var content = Content(isComplete: isComplete, cancellation: call.request.context.cancellation)
    switch response.body {
    case .bytes(let bytes): content.bytes = bytes
    case .stream(let write):
      var writer: any ServiceBodyWriter = content
      try await write(&writer)
      if let written = writer as? Content { content = written }
    }
    return TestResponse(
      status: response.status.code,
      headers: response.headers,
      bytes: content.bytes,
      actor: call.request.context.actor
    )
  }

  /// Has the route answer on the event loop, where the whole body is there; nil where it leaves the request to its handler.
  package func callOnLoop(
    _ request: String,
    as caller: TestCaller = .key,
    body: String = "",
    headers: [String: String] = [:]
  ) async throws -> LoopAnswer? {
    let bytes = Array(body.utf8)
    let call = try prepared(request, caller, headers, bytes)
    guard let loop = call.route.loop else { return nil }
    return await withCheckedContinuation { continuation in
      let isTaken = try? loop.handler(call.request, bytes) { continuation.resume(returning: $0) }
      if isTaken != true { continuation.resume(returning: nil) }
    }
  }

  private func prepared(
    _ request: String,
    _ caller: TestCaller,
    _ headers: [String: String],
    _ body: [UInt8]
  ) throws -> (request: ServiceRequest, route: HTTPRoute) {
    let words = request.split(separator: " ", maxSplits: 1)
    let target = String(words.last ?? "/")
    guard let method = words.first.flatMap({ HTTPRequest.Method(String($0)) }),
      let match = table.match(method, String(target.prefix { $0 != "?" }))
    else { throw NoRoute(description: request) }
    let context = context(of: caller, method, target, match.route)
    let request = ServiceRequest(
      head: HTTPRequest(
        method: method == .head ? .get : method,
        scheme: "https",
        authority: "brasa.example",
        path: target,
        headerFields: Self.fields(headers, caller)
      ),
      parameters: match.parameters,
      rest: match.rest,
      context: context,
      address: "192.0.2.1",
      isHTTP2: false,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      body: ServiceBody(
        AsyncThrowingStream<[UInt8], any Error> { parts in
          parts.yield(body)
          parts.finish()
        }
      )
    )
    return (request, match.route)
  }

  private func context(
    of caller: TestCaller,
    _ method: HTTPRequest.Method,
    _ target: String,
    _ route: HTTPRoute
  ) -> CallContext {
    let path = String(target.prefix { $0 != "?" })
    var context = CallContext(
      requestID: "1",
      authorization: caller.authorization,
      isSecure: true,
      network: "192.0.2.0",
      demand: route.demand(method, path),
      actor: CallActor()
    )
    context.takesRecentSignIn = route.takesRecentSignIn(method, path)
    return context
  }

  private static func fields(_ headers: [String: String], _ caller: TestCaller) -> HTTPFields {
    var fields = HTTPFields()
    fields[.authorization] = caller.authorization
    for (name, value) in headers { HTTPField.Name(name).map { fields[$0] = value } }
    return fields
  }

  private func respond(
    to request: ServiceRequest,
    by route: HTTPRoute
  ) async -> ServiceResponse {
    do {
      return try await route.handler(request)
    } catch let error as ServiceError {
      let status = HTTPResponse.Status(code: error.code.httpStatus)
      return .json(RESTError.body(error), status: status)
    } catch is ServiceBody.TooLarge {
      return .text("too large", status: .contentTooLarge)
    } catch {
      return .text("unexpected: \(error)", status: .internalServerError)
    }
  }

  /// A streamed body as it is written.
  private struct Content: ServiceBodyWriter {
    var bytes: [UInt8] = []
    let isComplete: @Sendable (String) -> Bool
    let cancellation: Cancellation

    mutating func write(_ part: [UInt8]) async throws {
      bytes += part
      if isComplete(String(decoding: bytes, as: UTF8.self)) { cancellation.cancel() }
    }
  }
}

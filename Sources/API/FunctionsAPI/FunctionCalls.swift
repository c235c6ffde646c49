import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import FunctionHost
import HTTPTypes
import ServiceModule

/// A function as URLs and rewrites name it.
package struct FunctionAddress: Sendable {
  /// The project's id.
  package let project: String
  /// The region; nil finds the function in any.
  package let region: String?
  /// The function's name.
  package let name: String

  /// A function's address.
  package init(project: String, region: String?, name: String) {
    (self.project, self.region, self.name) = (project, region, name)
  }
}

/// Passes requests to functions and their responses back.
struct FunctionCalls: Sendable {
  let host: FunctionHost
  let access: AccessControl
  let threads: EngineThreads
  private let room = BodyRoom()

  init(host: FunctionHost, access: AccessControl, threads: EngineThreads) {
    (self.host, self.access, self.threads) = (host, access, threads)
  }

  /// The largest body, as at Google.
  static let bodyLimit = 32 << 20

  /// Calls the function that the request's path names: `/{project}/REGION/{name}/…`.
  func respond(_ request: ServiceRequest) async throws -> ServiceResponse {
    guard let project = request.parameters["project"], let name = request.parameters["name"] else {
      throw Self.absent(request)
    }
    let address = FunctionAddress(
      project: project,
      region: Self.region(of: request.path),
      name: name
    )
    return try await respond(request, by: address, target: Self.target(of: request))
  }

  /// Calls the function that a site's rewrite names, with the path as it came.
  ///
  /// The page that it answers with is one of the site, whose origin is not the console's.
  func respond(
    _ request: ServiceRequest,
    by address: FunctionAddress
  ) async throws -> ServiceResponse {
    let target = request.query.map { "\(request.path)?\($0)" } ?? request.path
    var response = try await respond(request, by: address, target: target)
    // The first one is ours.
    response.headers[values: .contentSecurityPolicy] = Array(
      response.headers[values: .contentSecurityPolicy].dropFirst()
    )
    return response
  }

  private static func absent(_ request: ServiceRequest) -> ServiceError {
    ServiceError(.notFound, "There is no function at \(request.path.prefix(200)).")
  }

  private func respond(
    _ request: ServiceRequest,
    by address: FunctionAddress,
    target: String
  ) async throws -> ServiceResponse {
    let project = address.project
    guard
      let (function, endpoint) = await host.function(
        project: project,
        region: address.region,
        name: address.name
      ), Self.isPublic(endpoint)
    else { throw Self.absent(request) }
    let isCallable = endpoint.trigger == .callable
    if endpoint.isPrivate { try await requireAdministration(request, of: project) }
    do {
      try await checkToken(request, project: project, isCallable: isCallable)
      var invocation = InvocationRequest()
      invocation.method = request.method.rawValue
      invocation.target = target
      invocation.headers = Self.headers(of: request)
      // A function that calls another one by the server's address for it is part of the chain.
      invocation.depth = request.context.eventDepth
      let share = room.share(of: request.context.network)
      invocation.body = try await share.collect(request.body, upTo: Self.bodyLimit)
      defer { withExtendedLifetime(share) {} }
      return try await pass(invocation, to: function, request)
    } catch let error as ServiceError where isCallable {
      return Self.callableError(error)
    }
  }

  /// Throws to callers of a private function who don't administer its project.
  private func requireAdministration(
    _ request: ServiceRequest,
    of project: String
  ) async throws {
    let context = request.context.demanding(.editor, isRecent: false)
    try await threads.run(caller: context.network) { [access] in
      try access.requireAdministration(try access.identify(context), of: Text(project))
    }
  }

  /// Events, schedules, tasks and sign-ins come from the server alone.
  private static func isPublic(_ endpoint: FunctionEndpoint) -> Bool {
    switch endpoint.trigger {
    case .http, .callable: true
    case .event, .schedule, .taskQueue, .blocking: false
    }
  }

  private func pass(
    _ invocation: InvocationRequest,
    to function: HostedFunction,
    _ request: ServiceRequest
  ) async throws -> ServiceResponse {
    let work = Task { [host] in try await host.call(function, invocation) }
    request.context.cancellation.whenCancelled { work.cancel() }
    let call = try await work.value
    request.context.cancellation.whenCancelled(call.response.cancel)
    var headers = HTTPFields()
    // The console is of the same origin: a page of a function gets an origin of its own.
    headers.append(HTTPField(name: .contentSecurityPolicy, value: Self.pagePolicy))
    for (name, value) in call.response.headers {
      if name.lowercased() == "set-cookie", Self.isOfConsole(value[...]) { continue }
      guard let field = HTTPField.Name(name), !Self.isOfConnection(name.lowercased()) else {
        continue
      }
      headers.append(HTTPField(name: field, value: value))
    }
    let response = call.response
    return ServiceResponse(
      status: HTTPResponse.Status(code: response.status),
      headers: headers,
      body: .stream { writer in
        do {
          var open = writer
          try await response.forEach { try await open.write($0) }
          writer = open
        } catch {
          await call.finish(false)
          throw error
        }
        await call.finish(response.status < 500)
      }
    )
  }

  private static let pagePolicy =
    "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts"

  /// Returns true if a cookie is one of the console's, which no function reads or sets.
  private static func isOfConsole(_ cookie: Substring) -> Bool {
    let name = cookie.drop { $0 == " " }.prefix { $0 != "=" }.lowercased()
    return name.hasPrefix("brasa_") || name.hasPrefix("__host-brasa_")
  }

  /// A header of cookies without the console's.
  private static func withoutConsole(_ cookies: String) -> String {
    cookies.split(separator: ";").filter { !isOfConsole($0) }.joined(separator: ";")
  }

  // MARK: Requests

  /// The region, which the route's pattern has as a literal.
  private static func region(of path: String) -> String? {
    let parts = path.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: true)
    return parts.count > 1 ? PercentEncoding.decode(parts[1]) : nil
  }

  /// The path below the function as it came, with the query.
  private static func target(of request: ServiceRequest) -> String {
    var rest = request.path.utf8[...]
    // Behind the project, the region and the name.
    for _ in 0..<3 {
      guard let slash = rest.dropFirst().firstIndex(of: UInt8(ascii: "/")) else {
        rest = rest[rest.endIndex...]
        break
      }
      rest = rest[slash...]
    }
    let path = rest.isEmpty ? "/" : String(Substring(rest))
    return request.query.map { "\(path)?\($0)" } ?? path
  }

  /// The fields that a function receives: those of the client, without those that only the server sends.
  private static func headers(of request: ServiceRequest) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    for field in request.headers {
      let name = field.name.canonicalName
      guard !isOfConnection(name), !isOfServer(name) else { continue }
      let value = name == "cookie" ? withoutConsole(field.value) : field.value
      if !value.isEmpty || name != "cookie" { headers.append((field.name.rawName, value)) }
    }
    headers.removeAll { $0.name.lowercased() == "x-forwarded-for" }
    if let authority = request.head.authority { headers.append(("host", authority)) }
    if !request.address.isEmpty { headers.append(("x-forwarded-for", request.address)) }
    headers.append(("x-forwarded-proto", request.context.isSecure ? "https" : "http"))
    headers.append(("function-execution-id", executionID()))
    return headers
  }

  private static func executionID() -> String {
    String((0..<12).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
  }

  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")

  private static func isOfConnection(_ name: String) -> Bool {
    switch name {
    case "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
      "upgrade",
      "host", "content-length", "expect":
      true
    default: false
    }
  }

  /// True for fields that the server alone sets, so that schedules and tasks can't be forged.
  private static func isOfServer(_ name: String) -> Bool {
    name.hasPrefix("x-cloudscheduler") || name.hasPrefix("x-cloudtasks")
      || name == "function-execution-id" || name == "x-brasa-call-key"
      || name == "x-forwarded-proto"
  }

  // MARK: Tokens

  /// Refuses tokens of users that are not valid, since SDKs that have an emulator's address don't verify them.
  private func checkToken(
    _ request: ServiceRequest,
    project: String,
    isCallable: Bool
  ) async throws {
    guard request.method != .options, let header = request.headers[.authorization] else { return }
    let parts = header.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else {
      if isCallable { throw Self.unauthenticated }
      return
    }
    // The function itself checks any token that is not a user's.
    if !isCallable, !Self.claimsUser(parts[1]) { return }
    let context = request.context
    let caller = try await threads.run(caller: context.network) { [access] in
      try access.identify(context)
    }
    guard case .user(let user) = caller, user.project.string == project else {
      throw Self.unauthenticated
    }
  }

  private static let unauthenticated = ServiceError(.unauthenticated, "Unauthenticated")

  /// Returns true if a token claims to be a user's of some project.
  private static func claimsUser(_ token: Substring) -> Bool {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64.decode(parts[1].utf8),
      let claims = try? JSONParser.parse(bytes, maximumDepth: 32)
    else { return false }
    let issuer = claims["iss"]?.string ?? ""
    return issuer.hasPrefix("https://securetoken.google.com/")
      || issuer.hasPrefix("https://session.firebase.google.com/")
  }

  /// An error as callable clients read it.
  static func callableError(_ error: ServiceError) -> ServiceResponse {
    let message = error.code == .unauthenticated ? "Unauthenticated" : error.message
    let body = JSONValue.object([
      "error": .object(["message": .string(message), "status": .string(error.code.name)])
    ])
    var response = ServiceResponse.json(
      body.compactBytes,
      status: HTTPResponse.Status(code: error.code.httpStatus)
    )
    // The function, which decides about pages otherwise, never saw the request.
    response.headers[.accessControlAllowOrigin] = "*"
    return response
  }
}

import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import ConfigTemplates
import FirestoreWire
import HTTPTypes
import ServiceModule

/// The routes that apps call, with the project's API key.
///
///     POST /v1/projects/{project}/namespaces/{namespace}:fetch
///          the values for the client that the body describes
///     POST /v1/projects/{project}/namespaces/{namespace}:streamFetchInvalidations
///          the numbers of new templates, as they come, for as long as the client reads
struct ClientRoutes: Sendable {
  let templates: ConfigTemplates
  let threads: EngineThreads
  let keys: ProjectKeys
  let proof: InstallationProof
  let eventsElsewhere: HTTPRoute.Passing?

  /// The largest body, packed and unpacked.
  private static let bodyLimit = 64 << 10

  var routes: [HTTPRoute] {
    let root = "/v1/projects/{project}/namespaces/{namespace}"
    return [
      HTTPRoute(.post, RoutePattern(root + ":fetch"), for: .clients, handler: fetch),
      HTTPRoute(
        .post,
        RoutePattern(root + ":streamFetchInvalidations"),
        for: .clients,
        handler: listen
      ),
    ]
  }

  private func fetch(_ request: ServiceRequest) async throws -> ServiceResponse {
    let id = try await template(of: request)
    if let eventsElsewhere, try await asksForAudiences(id, request),
      let answer = try await eventsElsewhere(request)
    {
      return answer
    }
    let body = try await body(of: request)
    let client = try client(body, request, of: id.project)
    let reply: ConfigReply
    if let known = templates.replyInMemory(to: client, of: id) {
      reply = known
    } else {
      reply = try await threads.run(caller: request.context.network) {
        try templates.reply(to: client, of: id)
      }
    }
    let isUnchanged = request.headers[.ifNoneMatch].map { $0.names(reply.etag) } ?? false
    templates.noteFetch(isUnchanged: isUnchanged)
    var response = ServiceResponse.json(isUnchanged ? reply.unchanged : reply.body)
    response.headers[.eTag] = reply.etag
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// The client that a request describes, with the proof that it is the installation which it names.
  private func client(
    _ body: JSONValue,
    _ request: ServiceRequest,
    of project: Text
  ) throws -> ConfigClient {
    var client = try ConfigClient(fetch: body, userAgent: request.headers[.userAgent])
    let token = body["app_instance_id_token"]?.string
    let claim = proof.claim(of: request, in: project, token: token)
    client.isProven =
      claim.covers(app: client.appID) && claim.covers(installation: client.installationID)
    return client
  }

  private func asksForAudiences(_ id: TemplateID, _ request: ServiceRequest) async throws -> Bool {
    if let known = templates.asksForAudiencesInMemory(id) { return known }
    return try await threads.run(caller: request.context.network) {
      try templates.asksForAudiences(id)
    }
  }

  private func listen(_ request: ServiceRequest) async throws -> ServiceResponse {
    let id = try await template(of: request)
    let body = try await body(of: request)
    let known =
      body["lastKnownVersionNumber"]?.string.flatMap(Int64.init)
      ?? body["lastKnownVersionNumber"]?.integer ?? 0
    let stream = try templates.streams.open(id, network: request.context.network, now: .now)
    let (templates, cancellation) = (templates, request.context.cancellation)
    return ServiceResponse(
      headers: [.contentType: "application/json; charset=UTF-8", .cacheControl: "no-store"],
      body: .stream { writer in
        var list = InvalidationList(known: known)
        try await writer.write(list.opening)
        var iterator = stream.makeAsyncIterator()
        repeat {
          // Looked at after the stream was opened, so that no number falls between.
          if let message = list.message(templates.servedNumber(of: id)) {
            try await writer.write(message)
          }
        } while await iterator.next() != nil && !cancellation.isCancelled
        try await writer.write(list.closing)
      }
    )
  }

  /// The template that a request means.
  private func template(of request: ServiceRequest) async throws -> TemplateID {
    guard let namespace = ConfigNamespace(rawValue: request.parameters["namespace"] ?? ""),
      namespace == .client
    else { throw ServiceError(.notFound, "Apps can read only the namespace \"firebase\".") }
    let path = Text(request.parameters["project"] ?? "")
    let key = try QueryParameters(request.query).apiKey ?? request.headers[.googleAPIKey]
    if let key, Text(key) == path, templates.knows(path) { return TemplateID(project: path) }
    let project = try await threads.run(caller: request.context.network) {
      try keys.project(key: key, path: path, knows: templates.knows)
    }
    return TemplateID(project: project)
  }

  /// Clients of the web say that the body is packed when it is not, so that its first bytes decide.
  private func body(of request: ServiceRequest) async throws -> JSONValue {
    let bytes = try await request.collectUnpackedText(upTo: Self.bodyLimit)
    if bytes.isEmpty { return .object([]) }
    let body = try JSONParser.parse(bytes, syntax: .relaxed, maximumDepth: 16)
    guard body.members != nil else {
      throw ServiceError.invalidArgument("Invalid JSON payload received. An object is expected.")
    }
    return body
  }
}

/// The numbers of a stream as a list of JSON objects that is sent element by element.
///
/// Google's clients look for the first `{` and `}` of the received text: an element is flat and
/// sent whole.
private struct InvalidationList {
  /// The highest number that the client knows.
  private var known: Int64
  private var isFirst = true

  init(known: Int64) { self.known = known }

  /// Sent at once, so that the client has the response's head.
  var opening: [UInt8] { Array("[".utf8) }
  var closing: [UInt8] { Array("]".utf8) }

  /// The element for a number; nil for one that the client knows.
  mutating func message(_ number: Int64) -> [UInt8]? {
    guard number > known else { return nil }
    known = number
    defer { isFirst = false }
    let separator = isFirst ? "" : ",\r\n"
    return Array("\(separator){\"latestTemplateVersionNumber\":\"\(number)\"}".utf8)
  }
}

extension String {
  /// Returns true if a header's list of etags has this one.
  fileprivate func names(_ etag: String) -> Bool {
    split(separator: ",").contains { part in
      var name = part.drop { $0 == " " }
      while name.last == " " { name.removeLast() }
      if name.hasPrefix("W/") { name = name.dropFirst(2) }
      if name.count >= 2, name.first == "\"", name.last == "\"" {
        name = name.dropFirst().dropLast()
      }
      return name == etag
    }
  }
}

extension HTTPField.Name {
  /// The field `x-goog-api-key`.
  static let googleAPIKey = named("x-goog-api-key")
  /// The field `x-firebase-client`.
  static let firebaseClient = named("x-firebase-client")

  /// The name; for literals, which are names.
  private static func named(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return field
  }
}

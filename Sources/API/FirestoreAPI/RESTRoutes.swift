import Access
import BaseStatus
import FirestoreModel
import FirestoreService
import FirestoreWire
import HTTPTypes
import ServiceModule

/// Firestore's REST API, transcoded to the calls that gRPC makes.
///
/// Below `/v1/projects/{project}`, and the same below `/v1beta1`:
///
///     *  /databases/{database}/documents…   google.firestore.v1, see `RESTRoute`
///     *  /databases…                        google.firestore.admin.v1, see `AdminCall`
///     *  /locations/{location}/backups…     the same
///
/// Bodies are JSON for every content type. Streaming methods answer one JSON array, a part at a
/// time and at the pace of the client's reading.
struct RESTRoutes: Sendable {
  let service: any RPCService
  let bodyLimit: Int
  private let transcoder = RESTTranscoder()

  init(service: any RPCService, bodyLimit: Int) {
    self.service = service
    self.bodyLimit = bodyLimit
  }

  var routes: [HTTPRoute] { ["v1", "v1beta1"].flatMap(routes(below:)) }

  private func routes(below version: String) -> [HTTPRoute] {
    let databases = "/\(version)/projects/{project}/databases"
    let documents = "\(databases)/{database}/documents"
    let backups = "/\(version)/projects/{project}/locations/{location}/backups"
    let ofDocuments = [documents, documents + ":{verb}", documents + "/{path=**}"]
    let ofDatabases: [String] = [
      databases, databases + ":{verb}", databases + "/{path=**}", backups, backups + "/{backup}",
    ]
    return ofDocuments.map { route($0, for: .clients) }
      + ofDatabases.map { route($0, for: .administrators) }
  }

  private func route(_ pattern: String, for audience: HTTPRoute.Audience) -> HTTPRoute {
    HTTPRoute(HTTPRoute.everyMethod, RoutePattern(pattern), for: audience, handler: handle)
      .demanding(role)
  }

  /// The role that a request takes: what a method of Firestore's does decides, and of the administration API the
  /// HTTP method.
  @Sendable
  private func role(_ method: HTTPRequest.Method, _ path: String) -> AdministratorRole {
    let isGet = method == .get || method == .head
    guard let named = try? transcoder.route(method: isGet ? "GET" : method.rawValue, path: path)
    else {
      let isGrave =
        method == .delete && Self.isDatabase(path)
        || (method == .delete || method == .patch) && Self.isOfBackups(path)
      return isGet ? .viewer : isGrave ? AdministrativeAct.deleteDatabase.right.role : .editor
    }
    return named.isReading ? .viewer : .editor
  }

  /// Returns true if a path is a database's own.
  private static func isDatabase(_ path: String) -> Bool {
    path.split(separator: "/").count == 5
  }

  /// True for the path of a backup or of a schedule of backups, which is worth the database: one that keeps its backups for a
  /// second is as good as none.
  private static func isOfBackups(_ path: String) -> Bool {
    path.split(separator: "/").dropLast().contains { $0 == "backups" || $0 == "backupSchedules" }
  }

  @Sendable
  private func handle(_ request: ServiceRequest) async throws -> ServiceResponse {
    let body = try await body(of: request)
    let method = request.method.rawValue
    guard let named = try transcoder.route(method: method, path: request.path) else {
      return try await administer(request, body)
    }
    do {
      let call = try transcode(request, body)
      guard let call else { throw Self.noRoute(request) }
      var response =
        named.shape == .serverStreaming
        ? try await stream(call, request.context) : try await unary(call, request.context)
      response.call = .init(path: ServiceMethod.path(of: named), code: .ok)
      return response
    } catch let error as ServiceError {
      request.logger.requestFailed(error)
      var response = ServiceResponse.json(
        RESTError.body(error, streaming: named.shape == .serverStreaming),
        status: .init(code: error.code.httpStatus)
      )
      response.call = .init(path: ServiceMethod.path(of: named), code: error.code)
      return response
    }
  }

  private func body(of request: ServiceRequest) async throws -> [UInt8] {
    do {
      return try await request.body.collect(upTo: bodyLimit)
    } catch is ServiceBody.TooLarge {
      throw WriteLimits.tooLarge(limit: bodyLimit)
    }
  }

  /// The call that a request means; while it is parsed it takes more than its text.
  private func transcode(
    _ request: ServiceRequest,
    _ body: [UInt8]
  ) throws(ServiceError) -> RESTCall? {
    let lease = try request.context.lease(ParsedText.bytes(of: body), for: .request)
    defer { withExtendedLifetime(lease) {} }
    return try transcoder.call(
      method: request.method.rawValue,
      path: request.path,
      query: request.query,
      body: body
    )
  }

  private static func noRoute(_ request: ServiceRequest) -> ServiceError {
    ServiceError(.notFound, "The server has no route \(request.path).")
  }

  /// Paths without documents are the administration API's.
  private func administer(
    _ request: ServiceRequest,
    _ body: [UInt8]
  ) async throws -> ServiceResponse {
    try request.reserveParsed(body)
    let admin = AdminRequest.rest(
      method: request.method.rawValue,
      path: request.path,
      query: request.query,
      body: body
    )
    let answer = try await withCheckedThrowingContinuation { continuation in
      service.administer(admin, context: request.context) { continuation.resume(with: $0) }
    }
    guard let answer else { throw Self.noRoute(request) }
    return .json(answer)
  }

  private func unary(_ call: RESTCall, _ context: CallContext) async throws -> ServiceResponse {
    let message = try await withCheckedThrowingContinuation { continuation in
      service.unary(call.method, request: call.request, context: context) {
        continuation.resume(with: $0)
      }
    }
    return .json(try transcoder.json(of: call.method, response: message))
  }

  /// Opens the stream and waits for its first part, so that an early error still has its status.
  private func stream(_ call: RESTCall, _ context: CallContext) async throws -> ServiceResponse {
    let stream = try await withCheckedThrowingContinuation { continuation in
      service.stream(call.method, request: call.request, context: context) {
        continuation.resume(with: $0)
      }
    }
    let first = try await stream.next()
    return ServiceResponse(
      headers: [.contentType: "application/json; charset=UTF-8"],
      body: .stream { writer in try await write(first, of: stream, call.method, to: &writer) }
    )
  }

  private func write(
    _ first: [[UInt8]],
    of stream: any ResponseStream,
    _ method: RPCMethod,
    to writer: inout any ServiceBodyWriter
  ) async throws {
    var part = RESTStream.opening
    var messages = first
    var isFirst = true
    while !messages.isEmpty {
      for message in messages {
        if !isFirst { part += RESTStream.separator }
        isFirst = false
        part += try transcoder.json(of: method, response: message)
      }
      try await writer.write(part)
      part.removeAll(keepingCapacity: true)
      do {
        messages = try await stream.next()
      } catch let error as ServiceError {
        // The status is out already; the array's last element has the error, like on Google's
        // servers.
        part += RESTStream.separator + RESTError.body(error, streaming: false)
        messages = []
      }
    }
    try await writer.write(part + RESTStream.closing)
  }
}

extension ResponseStream {
  /// The next part; empty at the end.
  fileprivate func next() async throws -> [[UInt8]] {
    try await withCheckedThrowingContinuation { continuation in
      next(maxBytes: 64 << 10) { continuation.resume(with: $0) }
    }
  }
}

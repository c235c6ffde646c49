import Access
import FirestoreModel
import FirestoreService
import FirestoreWire
import HTTPTypes
import Hummingbird
import NIOCore

/// Firestore's REST API, transcoded to the calls that gRPC makes.
///
///     *  /v1/projects/**        every route of google.firestore.v1
///     *  /v1beta1/projects/**   the same under its old name
///
/// Bodies are JSON whatever their content type says. Streaming methods answer one JSON array, a
/// part at a time and at the pace of the client's reading.
struct RESTFeature: HTTPFeature {
  let service: any RPCService
  let metrics: GatewayMetrics
  let bodyLimit: Int
  private let transcoder = RESTTranscoder()

  init(service: any RPCService, metrics: GatewayMetrics, bodyLimit: Int) {
    self.service = service
    self.metrics = metrics
    self.bodyLimit = bodyLimit
  }

  func addRoutes(to router: Router<GatewayRequestContext>) {
    for version in ["v1", "v1beta1"] {
      for method in [HTTPRequest.Method.get, .post, .patch, .put, .delete] {
        router.on("/\(version)/projects/**", method: method, use: handle)
      }
    }
  }

  @Sendable
  private func handle(_ request: Request, context: GatewayRequestContext) async throws -> Response {
    let start = ContinuousClock.now
    guard let body = try await body(of: request) else {
      return Response(status: .contentTooLarge)
    }
    let path = request.uri.path
    guard let method = try transcoder.route(method: request.method.rawValue, path: path) else {
      return try await administer(request, body, context.call(request))
    }
    do {
      guard
        let call = try transcoder.call(
          method: request.method.rawValue,
          path: path,
          query: request.uri.query,
          body: body
        )
      else { throw FirestoreError(.notFound, "The server has no route \(path).") }
      let response =
        method.shape == .serverStreaming
        ? try await stream(call, context.call(request))
        : try await unary(call, context.call(request))
      metrics.observe(CallName(method), .ok, since: start)
      return response
    } catch let error as FirestoreError {
      metrics.observe(CallName(method), error.code, since: start)
      return ErrorRendering.response(
        error,
        isStreaming: method.shape == .serverStreaming,
        logger: context.logger
      )
    }
  }

  /// Paths without documents are the administration API's.
  private func administer(
    _ request: Request,
    _ body: [UInt8],
    _ context: CallContext
  ) async throws -> Response {
    let path = request.uri.path
    let admin = AdminRequest(
      method: request.method.rawValue,
      path: path,
      query: request.uri.query,
      body: body
    )
    let answer = try await withCheckedThrowingContinuation { continuation in
      service.administer(admin, context: context) { continuation.resume(with: $0) }
    }
    guard let answer else {
      throw FirestoreError(.notFound, "The server has no route \(path).")
    }
    return .json(answer)
  }

  /// The request's body; nil if it is too large.
  private func body(of request: Request) async throws -> [UInt8]? {
    do {
      return Array(buffer: try await request.body.collect(upTo: bodyLimit))
    } catch is NIOTooManyBytesError {
      return nil
    }
  }

  private func unary(_ call: RESTCall, _ context: CallContext) async throws -> Response {
    let message = try await withCheckedThrowingContinuation { continuation in
      service.unary(call.method, request: call.request, context: context) {
        continuation.resume(with: $0)
      }
    }
    return .json(try transcoder.json(of: call.method, response: message))
  }

  /// Opens the stream and waits for its first part, so that an early error still has its status.
  private func stream(_ call: RESTCall, _ context: CallContext) async throws -> Response {
    let stream = try await withCheckedThrowingContinuation { continuation in
      service.stream(call.method, request: call.request, context: context) {
        continuation.resume(with: $0)
      }
    }
    let first = try await stream.next()
    return Response(
      status: .ok,
      headers: [.contentType: "application/json; charset=UTF-8"],
      body: ResponseBody { writer in
        try await write(first, of: stream, call.method, to: &writer)
        try await writer.finish(nil)
      }
    )
  }

  private func write(
    _ first: [[UInt8]],
    of stream: any ResponseStream,
    _ method: RPCMethod,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    var part = ByteBuffer(bytes: RESTStream.opening)
    var messages = first
    var isFirst = true
    while !messages.isEmpty {
      for message in messages {
        if !isFirst { part.writeBytes(RESTStream.separator) }
        isFirst = false
        part.writeBytes(try transcoder.json(of: method, response: message))
      }
      try await writer.write(part)
      part.clear()
      do {
        messages = try await stream.next()
      } catch let error as FirestoreError {
        // The status is out already; the array's last element tells, as Google's servers do.
        part.writeBytes(RESTStream.separator)
        part.writeBytes(RESTError.body(error, streaming: false))
        messages = []
      }
    }
    part.writeBytes(RESTStream.closing)
    try await writer.write(part)
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

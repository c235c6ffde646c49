import Access
import HTTPTypes
import ServiceModule

/// An HTTP request on its way to another node.
package struct ForwardedRequest: Sendable {
  package let method: String
  /// Path and query as they came.
  package let target: String
  package private(set) var headers: [(name: String, value: String)]
  package let body: [UInt8]
  /// Of the body that is sent on as it comes.
  package private(set) var length = Length.none
  /// Of the client.
  package let context: CallContext

  /// A request with its body; without what is the connection's, or says who passed it on.
  init(_ request: ServiceRequest, body: [UInt8]) {
    method = request.method.rawValue
    target = request.head.path ?? "/"
    headers = request.headers.filter { !Self.left.contains($0.name.canonicalName) }
      .map { ($0.name.canonicalName, $0.value) }
    self.body = body
    context = request.context
  }

  /// A request whose body is sent on as it comes; with the host for which it was made, of which signatures and links speak.
  ///
  /// Where this node's gateway admits origins, the other one is not asked to.
  package init(streaming request: ServiceRequest, decidesOrigins: Bool) {
    self.init(request, body: [])
    if !decidesOrigins { headers.removeAll { $0.name == "origin" } }
    if let host = request.head.authority { headers.append(("host", host)) }
    length = Self.length(of: request)
  }

  /// How long a body is.
  package enum Length: Sendable, Equatable {
    case none
    case known(Int64)
    case unknown
  }

  private static func length(of request: ServiceRequest) -> Length {
    // Whose answer may be its head alone, behind which nobody would let a body go.
    guard request.method != .get, request.method != .head else { return .none }
    let said = request.headers[.contentLength].flatMap { Int64($0) }
    if let said, said > 0 { return .known(said) }
    if request.headers[.transferEncoding] != nil { return .unknown }
    guard [.post, .put, .patch].contains(request.method) else { return .none }
    return request.isHTTP2 && said == nil ? .unknown : .known(0)
  }

  private static let left: Set<String> = [
    ForwardedCaller.fieldName, "connection", "content-length", "expect", "host", "keep-alive",
    "te", "trailer", "transfer-encoding", "upgrade",
  ]
}

/// What another node answers.
package struct ForwardedResponse: Sendable {
  private let status: Int
  private let headers: [(name: String, value: String)]
  private let body: any AsyncSequence<[UInt8], any Error> & Sendable

  /// An answer of those parts; its body is read at the client's pace.
  package init(
    status: Int,
    headers: [(name: String, value: String)],
    body: any AsyncSequence<[UInt8], any Error> & Sendable
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The answer to a browser's stream, to which this node adds again what each gateway adds.
  var response: ServiceResponse { response { Self.kept.contains($0.name.canonicalName) } }

  /// The whole answer of a service of which the node says what it says to its own clients; without what is the connection's,
  /// and what this node's gateway adds again.
  package var whole: ServiceResponse { response { !Self.own.contains($0.name.canonicalName) } }

  private func response(keeping isKept: (HTTPField) -> Bool) -> ServiceResponse {
    var fields = HTTPFields()
    for (name, value) in headers {
      guard let name = HTTPField.Name(name) else { continue }
      let field = HTTPField(name: name, value: value)
      if isKept(field) { fields.append(field) }
    }
    // These have no body, and no part of one.
    if status == 204 || status == 304 {
      return ServiceResponse(status: .init(code: status), headers: fields)
    }
    let parts = ServiceBody(body)
    return ServiceResponse(
      status: .init(code: status),
      headers: fields,
      body: .stream { writer in
        for try await part in parts { try await writer.write(part) }
      }
    )
  }

  private static let own: Set<String> = [
    "alt-svc", "connection", "date", "keep-alive", "server", "strict-transport-security", "trailer",
    "transfer-encoding", "x-request-id",
  ]

  private static let kept: Set<String> = [
    "cache-control", "content-type", "x-accel-buffering", "x-client-wire-protocol",
    "x-content-type-options", "x-http-session-id",
  ]
}

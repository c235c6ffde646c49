import BaseJSON
import BaseStatus

/// A REST request as the call it means.
package struct RESTCall: Sendable, Hashable {
  /// The method that the route belongs to.
  package let method: RPCMethod
  /// The request's protobuf bytes.
  package let request: [UInt8]
}

/// Between REST v1 and the API's protobuf messages.
///
/// A request becomes one JSON object (the body, then the path, then the query's parameters) and
/// that the bytes of the request message, so that both transports meet the same decoders.
package struct RESTTranscoder: Sendable {
  private enum Body {
    /// The request takes none.
    case none
    /// The body is the whole request but for what the path says.
    case request
    /// The body is that field of the request.
    case field(String)
  }

  /// A transcoder; it has no state.
  package init() {}

  /// The method that a request names; nil where there is none (404).
  ///
  /// - Parameters:
  ///   - method: the HTTP method, in capitals.
  ///   - path: the path as it came, not decoded, without the query.
  package func route(method: String, path: String) throws(ServiceError) -> RPCMethod? {
    try RESTRoute(method: method, path: path)?.method
  }

  /// The call that a request means; nil where no method has that path (404).
  ///
  /// - Parameters:
  ///   - method: the HTTP method, in capitals.
  ///   - path: the path as it came, not decoded, without the query.
  ///   - query: what follows the question mark, not decoded.
  /// - body: JSON, sent with any content type; may be empty.
  package func call(
    method: String,
    path: String,
    query: String?,
    body: [UInt8]
  ) throws(ServiceError) -> RESTCall? {
    guard let route = try RESTRoute(method: method, path: path) else { return nil }
    // Google's API lists the routes of streams too, and says that they are not for REST.
    if route.method.shape == .bidirectional {
      throw ServiceError(
        .unimplemented,
        "\(route.method.rawValue) is only available over gRPC and WebChannel, not over REST."
      )
    }
    let request = try request(of: route, query: try QueryParameters(query), body: body)
    return RESTCall(method: route.method, request: request)
  }

  private func request(
    of route: RESTRoute,
    query: QueryParameters,
    body: [UInt8]
  ) throws(ServiceError) -> [UInt8] {
    let message = "google.firestore.v1.\(route.method.rawValue)Request"
    var json = try object(body, Self.body(of: route.method))
    var taken = Set(route.bindings.keys.filter { $0.count == 1 }.flatMap { $0 })
    switch Self.body(of: route.method) {
    case .none: break
    case .request:
      if let parameter = query.parameters.first { throw QueryParameters.unknown(parameter.name) }
    case .field(let name): taken.insert(name)
    }
    try query.bind(to: &json, of: SchemaRegistry.shared.message(message), except: taken)
    for (path, value) in route.bindings where !json.set(.string(value), at: path[...]) {
      throw .invalidArgument("Invalid JSON payload received. Expected an object.")
    }
    return try JSONTranscoder().encode(json, as: message)
  }

  private func object(_ body: [UInt8], _ kind: Body) throws(ServiceError) -> JSONValue {
    let isEmpty = body.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let json = isEmpty ? JSONValue.object([]) : try JSONParser.parse(body)
    switch kind {
    case .request: return json
    case .field(let name): return .object([JSONValue.Member(name, json)])
    case .none:
      guard json == .object([]) else {
        throw .invalidArgument("Invalid JSON payload received. The request takes no body.")
      }
      return json
    }
  }

  private static func body(of method: RPCMethod) -> Body {
    switch method {
    case .getDocument, .listDocuments, .deleteDocument: .none
    case .createDocument, .updateDocument: .field("document")
    default: .request
    }
  }
}

/// The pieces between the messages of a streaming answer: one JSON array, `[{...}\n,\n{...}\n]`.
package enum RESTStream {
  /// Before the first message.
  package static let opening = Array("[".utf8)
  /// Between two messages.
  package static let separator = Array("\n,\n".utf8)
  /// After the last message.
  package static let closing = Array("\n]".utf8)
}

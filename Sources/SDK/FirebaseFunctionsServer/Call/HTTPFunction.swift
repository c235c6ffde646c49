import Foundation

/// A request to a function.
public struct HTTPFunctionRequest: Sendable {
  /// The HTTP method.
  public var method: String
  /// The path below the function's URL, as it came.
  public var path: String
  /// The query without its question mark, as it came.
  public var query: String
  /// The header fields in their order.
  public var headers: [(name: String, value: String)]
  /// The whole body.
  public var body: Data

  /// The first value of a header field, ignoring the case of its name.
  public func header(_ name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name.lowercased() == name }?.value
  }

  /// The body, decoded from JSON.
  public func json<T: Decodable>(as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: body)
  }
}

/// The response of a function.
public struct HTTPFunctionResponse: Sendable {
  /// A body.
  enum Body: Sendable {
    case bytes(Data)
    case stream(
      @Sendable (_ write: @escaping @Sendable (Data) async throws -> Void) async throws -> Void
    )
  }

  /// The HTTP status.
  public var status: Int
  /// The header fields in their order.
  public var headers: [(name: String, value: String)]
  var body: Body

  /// A response with a body.
  public init(
    status: Int = 200,
    headers: [(name: String, value: String)] = [],
    body: Data = Data()
  ) {
    self.status = status
    self.headers = headers
    self.body = .bytes(body)
  }

  /// A response whose body is written part by part.
  public init(
    status: Int = 200,
    headers: [(name: String, value: String)] = [],
    stream:
      @escaping @Sendable (_ write: @escaping @Sendable (Data) async throws -> Void) async throws ->
      Void
  ) {
    self.status = status
    self.headers = headers
    body = .stream(stream)
  }

  /// A response of plain text.
  public static func text(_ text: String, status: Int = 200) -> HTTPFunctionResponse {
    HTTPFunctionResponse(
      status: status,
      headers: [("Content-Type", "text/plain; charset=utf-8")],
      body: Data(text.utf8)
    )
  }

  /// A response of JSON.
  public static func json(
    _ value: some Encodable,
    status: Int = 200
  ) throws -> HTTPFunctionResponse {
    HTTPFunctionResponse(
      status: status,
      headers: [("Content-Type", "application/json; charset=utf-8")],
      body: try JSONEncoder().encode(value)
    )
  }
}

extension Function {
  /// A function that responds to HTTP requests.
  public static func onRequest(
    _ name: String,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (HTTPFunctionRequest) async throws -> HTTPFunctionResponse
  ) -> Function {
    Function(name, "httpsTrigger", options: options, respond: handler)
  }
}

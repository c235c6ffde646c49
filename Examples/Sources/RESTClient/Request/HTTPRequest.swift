import Foundation

/// A request ready for a transport: the URL is absolute and the body is bytes.
package struct HTTPRequest: Sendable {
  package var method: HTTPMethod
  package var url: URL
  package var headers: [String: String]
  package var body: Data?
  package var timeout: Duration
  package var isAuthorized: Bool
  package var isIdempotent: Bool

  package init(
    method: HTTPMethod,
    url: URL,
    headers: [String: String] = [:],
    body: Data? = nil,
    timeout: Duration = .seconds(10),
    isAuthorized: Bool = true,
    isIdempotent: Bool? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.isAuthorized = isAuthorized
    self.isIdempotent = isIdempotent ?? method.isIdempotent
  }

  /// Encodes an endpoint for a service that lives at `baseURL`.
  init<Response>(_ endpoint: Endpoint<Response>, baseURL: URL, timeout: Duration) throws {
    let url = try Self.url(of: endpoint.path, query: endpoint.query, below: baseURL)
    var headers = endpoint.headers
    headers["Accept"] = headers["Accept"] ?? "application/json"
    if let body = endpoint.body { headers["Content-Type"] = body.contentType }
    self.init(
      method: endpoint.method,
      url: url,
      headers: headers,
      body: try endpoint.body?.encoded(),
      timeout: timeout,
      isAuthorized: endpoint.isAuthorized,
      isIdempotent: endpoint.isIdempotent
    )
  }

  private static func url(
    of path: [String],
    query: [URLQueryItem],
    below baseURL: URL
  ) throws -> URL {
    guard var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: false),
      parts.host != nil
    else { throw RequestError(.invalidURL) }
    let escaped = path.map {
      $0.addingPercentEncoding(withAllowedCharacters: .urlUnreserved) ?? $0
    }
    let root = parts.percentEncodedPath.hasSuffix("/") ? "" : "/"
    parts.percentEncodedPath += root + escaped.joined(separator: "/")
    if !query.isEmpty { parts.percentEncodedQuery = escape(query) }
    guard let url = parts.url else { throw RequestError(.invalidURL) }
    return url
  }

  private static func escape(_ query: [URLQueryItem]) -> String {
    query.map { item in
      let value = item.value ?? ""
      return "\(item.name)="
        + (value.addingPercentEncoding(withAllowedCharacters: .urlUnreserved) ?? value)
    }
    .joined(separator: "&")
  }
}

import Foundation
import RESTClient

/// A reply as a test looks at it.
package struct RawReply: Sendable {
  package let status: Int
  package let headers: [String: String]
  package let text: String

  package var json: Any? {
    try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }
  package var object: [String: Any] { json as? [String: Any] ?? [:] }
  package var array: [[String: Any]] { json as? [[String: Any]] ?? [] }
  /// The text for people, from the shape that every error has.
  package var errorMessage: String? {
    (object["error"] as? [String: Any])?["message"] as? String
  }
}

/// Sends exactly what is given, as `curl` would.
package func raw(
  _ method: HTTPMethod,
  _ url: URL,
  _ path: String,
  token: String? = nil,
  headers: [String: String] = [:],
  body: String? = nil,
  timeout: Duration = .seconds(120)
) async throws -> RawReply {
  guard let target = URL(string: url.absoluteString + path) else { throw RequestError(.invalidURL) }
  var headers = headers
  if let token { headers["Authorization"] = "Bearer \(token)" }
  if body != nil, headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
  let reply = try await URLSessionTransport.shared.send(
    HTTPRequest(
      method: method,
      url: target,
      headers: headers,
      body: body.map { Data($0.utf8) },
      timeout: timeout
    )
  )
  return RawReply(
    status: reply.status,
    headers: reply.headers,
    text: String(decoding: reply.body, as: UTF8.self)
  )
}

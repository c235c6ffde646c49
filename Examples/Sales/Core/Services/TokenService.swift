import Foundation
import RESTClient

/// Exchanges a password or a refresh token for tokens.
package protocol TokenService: Sendable {
  func token(email: String, password: String) async throws(RequestError) -> Token
  func token(refreshing refreshToken: String) async throws(RequestError) -> Token
}

/// The provider's own: OAuth 2, with this app's client credentials.
package struct NetworkTokenService: TokenService {
  private let client: HTTPClient

  package init(client: HTTPClient) {
    self.client = client
  }

  package func token(email: String, password: String) async throws(RequestError) -> Token {
    try await client.send(
      .token([("grant_type", "password"), ("username", email), ("password", password)])
    )
  }

  package func token(refreshing refreshToken: String) async throws(RequestError) -> Token {
    try await client.send(
      .token([("grant_type", "refresh_token"), ("refresh_token", refreshToken)])
    )
  }
}

extension Endpoint where Response == Token {
  fileprivate static func token(_ fields: [(name: String, value: String)]) -> Endpoint {
    var endpoint = Endpoint(.post, "oauth", "token", body: .form(fields)).anonymous()
    let credentials = Data("siecola:matilde".utf8).base64EncodedString()
    endpoint.headers["Authorization"] = "Basic \(credentials)"
    return endpoint
  }
}

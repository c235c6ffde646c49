import Foundation
import RESTClient

/// The calls that tests make to a running sales provider.
package protocol ShopClient: Sendable {
  var url: URL { get }
}

/// The provider let somebody not in.
package struct LogInRefused: Error {
  let reply: RawReply
}

extension ShopClient {
  /// Asks for tokens with the fields of a form.
  package func token(
    _ fields: String,
    client: String = "siecola:matilde"
  ) async throws -> RawReply {
    try await raw(
      .post,
      url,
      "/oauth/token",
      headers: [
        "Authorization": "Basic \(Data(client.utf8).base64EncodedString())",
        "Content-Type": "application/x-www-form-urlencoded",
      ],
      body: fields
    )
  }

  package func logIn(_ email: String, _ password: String) async throws -> String {
    let reply = try await token("grant_type=password&username=\(email)&password=\(password)")
    guard let token = reply.object["access_token"] as? String else {
      throw LogInRefused(reply: reply)
    }
    return token
  }

  package func administrator() async throws -> String {
    try await logIn("matilde@siecola.com.br", "matilde")
  }

  /// Has the administrator create a user.
  package func signUp(
    _ email: String,
    role: String = "USER",
    registration: String? = nil
  ) async throws -> RawReply {
    let token = try await administrator()
    return try await signUp(email, role: role, registration: registration, by: token)
  }

  /// Creates a user with the caller's token; nil for a stranger.
  package func signUp(
    _ email: String,
    role: String = "USER",
    registration: String? = nil,
    by token: String?
  ) async throws -> RawReply {
    try await raw(
      .post,
      url,
      "/api/users",
      token: token,
      body: """
        {"email":"\(email)","password":"segredo",\
        "gcmRegId":\(registration.map { "\"\($0)\"" } ?? "null"),"lastLogin":null,\
        "lastGCMRegister":null,"role":"\(role)","enabled":true}
        """
    )
  }

  /// A new user's token.
  package func user(_ email: String) async throws -> String {
    _ = try await signUp(email)
    return try await logIn(email, "segredo")
  }

  package func place(_ email: String, token: String) async throws -> RawReply {
    try await raw(
      .post,
      url,
      "/api/orders",
      token: token,
      body: #"{"email":"\#(email)","freightPrice":1.5,"orderItems":[{"productId":7}]}"#
    )
  }

  package func change(_ order: Int, to status: String, token: String) async throws -> RawReply {
    let body = #"{"status":"\#(status)"}"#
    return try await raw(.put, url, "/api/orders/\(order)", token: token, body: body)
  }

  /// Has a device hear of the caller's orders, or by `.delete` no more.
  package func register(
    _ registration: String,
    token: String,
    _ method: HTTPMethod = .put
  ) async throws -> RawReply {
    try await raw(method, url, "/api/users/update_gcm_reg_id/\(registration)", token: token)
  }

  /// The registration that the provider has of a user.
  package func registration(of email: String, token: String) async throws -> String? {
    let user = try await raw(.get, url, "/api/users/byemail?email=\(email)", token: token)
    return user.object["gcmRegId"] as? String
  }
}

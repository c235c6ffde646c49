import RESTClient

/// Sign-up, sign-in and log-out.
package protocol AuthenticationService: Sendable {
  func signIn(email: String, password: String) async throws(RequestError) -> Session.Credentials
  func signUp(_ patient: NewPatient) async throws(RequestError)
  func logOut() async throws(RequestError)
}

/// The clinic's own.
package struct NetworkAuthenticationService: AuthenticationService {
  private let client: HTTPClient

  package init(client: HTTPClient) {
    self.client = client
  }

  package func signIn(
    email: String,
    password: String
  ) async throws(RequestError) -> Session.Credentials {
    let reply = try await client.send(.login(email: email, password: password))
    return Session.Credentials(token: reply.token, patientID: reply.id)
  }

  package func signUp(_ patient: NewPatient) async throws(RequestError) {
    try await client.send(.register(patient))
  }

  package func logOut() async throws(RequestError) {
    try await client.send(.logout)
  }
}

private struct LoginForm: Encodable {
  let email: String
  let senha: String
}

private struct LoginReply: Decodable {
  let id: String
  let token: String
}

extension Endpoint where Response == LoginReply {
  fileprivate static func login(email: String, password: String) -> Endpoint {
    Endpoint(.post, "auth", "login", body: .json(LoginForm(email: email, senha: password)))
      .anonymous()
  }
}

extension Endpoint where Response == Void {
  fileprivate static func register(_ patient: NewPatient) -> Endpoint {
    Endpoint(.post, "paciente", body: .json(patient)).anonymous()
  }

  fileprivate static var logout: Endpoint { Endpoint(.post, "auth", "logout") }
}

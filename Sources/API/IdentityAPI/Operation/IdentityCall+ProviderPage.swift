import Authentication
import BaseJSON
import BaseText
import FirestoreWire

// The beginning of a sign-in at a provider's page.

extension IdentityCall {
  /// `accounts:createAuthUri`: how an address signs in, or where a provider's sign-in begins.
  func createAuthUri() async throws -> JSONValue {
    let continueURI = try required("continueUri", else: "MISSING_CONTINUE_URI")
    if let providerID = message.text("providerId") {
      return try await beginProvider(providerID, continueURI)
    }
    guard WebAddress(continueURI) != nil else { throw AccountError(.invalidContinueURI) }
    let identifier = try required("identifier", else: "MISSING_IDENTIFIER")
    guard EmailAddress(identifier) != nil else { throw IdentityFailure.code("INVALID_IDENTIFIER") }
    var answer = AnswerBuilder(kind: "CreateAuthUriResponse")
    let found = try await accounts { accounts -> User?? in
      guard try !accounts.configuration().hidesAccounts else { return .none }
      return .some(try accounts.user(email: identifier))
    }
    if let found {
      answer.set("registered", .boolean(found != nil))
      if let user = found {
        answer.put("allProviders", user.providerIDs.map { JSONValue.string($0.string) })
        var methods = user.password != nil ? ["password"] : []
        if user.hasEmailLink { methods.append("emailLink") }
        methods += user.providers.map(\.providerID.string)
        answer.put("signinMethods", methods.map(JSONValue.string))
      }
    }
    answer.put("sessionId", message.text("sessionId") ?? envelope.context.requestID)
    return answer.json
  }

  private func beginProvider(_ id: String, _ continueURI: String) async throws -> JSONValue {
    let app = AppAddress(continueURI)
    if let app {
      try await service.check(app, of: project)
    } else {
      try await checkPage(continueURI)
    }
    let configuration = try await accounts { accounts in
      try Self.kind(of: id).flatMap { try accounts.provider($0, id) }
    }
    guard let configuration else {
      guard let app, service.environment.isDevelopment else {
        throw AccountError(.operationNotAllowed)
      }
      return inventedSignIn(id, app)
    }
    let begun = try await service.environment.providers.begin(
      configuration,
      continueURI: app == nil ? continueURI : handlerAddress,
      scope: message.text("oauthScope"),
      parameters: try customParameters(),
      leadingTo: app?.text,
      random: service.accounts.configuration.random
    )
    var answer = AnswerBuilder(kind: "CreateAuthUriResponse")
    answer.put("authUri", begun.authURI)
    answer.put("providerId", id)
    answer.put("sessionId", begun.sessionID)
    return answer.json
  }

  /// Refuses continue addresses that are not a page of the project's.
  private func checkPage(_ continueURI: String) async throws {
    guard let address = WebAddress(continueURI) else {
      throw AccountError(.invalidContinueURI, "continueUri must be a web address, or an app's own.")
    }
    if service.environment.isDevelopment { return }
    let own = WebAddress(service.accounts.origin)
    if own?.host == address.host, address.isSecure || own?.isSecure == false { return }
    guard try await service.origins(of: project, envelope).contains(address) else {
      throw AccountError(.unauthorizedDomain, "Domain not allowlisted by project")
    }
  }

  /// The page where a person of development chooses or invents an account of a provider that is not set up.
  private func inventedSignIn(_ id: String, _ app: AppAddress) -> JSONValue {
    let session = envelope.context.requestID
    let fields = [
      ("authType", "signInViaRedirect"), ("providerId", id), ("redirectUrl", app.text),
      ("apiKey", envelope.query.apiKey ?? envelope.apiKey ?? project.string), ("appName", "app"),
      ("eventId", session),
    ]
    var answer = AnswerBuilder(kind: "CreateAuthUriResponse")
    answer.put("authUri", "\(handlerAddress)?\(PercentEncoding.form(fields))")
    answer.put("providerId", id)
    answer.put("sessionId", session)
    return answer.json
  }

  /// The server's page to which providers lead back; development is where the client found it.
  var handlerAddress: String {
    let own = service.accounts.origin
    let asked = envelope.authority.flatMap { authority -> String? in
      let origin = "\(own.hasPrefix("https://") ? "https" : "http")://\(authority)"
      return service.environment.isDevelopment && WebAddress(origin) != nil ? origin : nil
    }
    return "\(asked ?? own)/__/auth/handler"
  }

  /// The texts of `customParameter`, which the provider's page receives.
  private func customParameters() throws -> [(name: String, value: String)] {
    guard case .object(let members)? = message.json("customParameter") else { return [] }
    guard members.count <= 20 else { throw IdentityFailure.invalid("Too many custom parameters.") }
    return try members.map { member in
      guard case .string(let value) = member.value, member.key.utf8.count <= 100,
        value.utf8.count <= 1_000
      else { throw IdentityFailure.invalid("A custom parameter must be a short string.") }
      return (member.key, value)
    }
  }
}

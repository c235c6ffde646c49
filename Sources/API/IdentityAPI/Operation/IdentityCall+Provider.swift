import Authentication
import FirestoreModel
import FirestoreWire

// Signing in with an identity provider.

extension IdentityCall {
  /// `accounts:signInWithIdp`.
  func signInWithIdp() async throws -> JSONValue {
    let requestURI = try required("requestUri", else: "MISSING_REQUEST_URI")
    // A provider's code makes the query as long as it likes.
    guard WebAddress(String(requestURI.prefix { $0 != "?" && $0 != "#" })) != nil else {
      throw IdentityFailure.code("INVALID_REQUEST_URI")
    }
    if message.text("pendingToken") != nil || message.text("pendingIdToken") != nil {
      throw IdentityFailure.code("OPERATION_NOT_ALLOWED", "Pending tokens are not supported.")
    }
    let credential = try credential(requestURI)
    let configuration = try await accounts { accounts in
      try Self.kind(of: credential.providerID).flatMap {
        try accounts.provider($0, credential.providerID)
      }
    }
    let profile = try await service.environment.providers.profile(
      credential,
      configuration,
      takesClaims: envelope.believesClaims
    )
    if credential.code != nil, let session = credential.sessionID.flatMap(ProviderSession.init) {
      try await accounts { try $0.finish(session) }
    }
    do {
      return try await sign(in: profile)
    } catch let error as AccountError where message.flag("returnIdpCredential") == true {
      // The client may still use the provider's answer: the error comes beside it.
      var answer = AnswerBuilder(kind: "VerifyAssertionResponse")
      put(profile, into: &answer)
      answer.put("errorMessage", error.message)
      return answer.json
    }
  }

  private func sign(in profile: ProviderProfile) async throws -> JSONValue {
    var answer = AnswerBuilder(kind: "VerifyAssertionResponse")
    put(profile, into: &answer)
    if let idToken = message.text("idToken") {
      let session = try await accounts { try $0.link(profile.identity, idToken: idToken) }
      putUser(session.user, into: &answer)
      session.put(into: &answer)
      return answer.json
    }
    let creates = message.flag("autoCreate") ?? true
    let result = try await accounts {
      try $0.signIn(profile.identity, creates: creates, from: origin)
    }
    switch result {
    case .outcome(let outcome, let isRecycled):
      answer.put("emailRecycled", isRecycled)
      putUser(outcome.user, into: &answer)
      answer.put("isNewUser", outcome.isNewUser)
      outcome.put(into: &answer)
    case .needsConfirmation(let providers, let uid):
      answer.put("localId", uid?.string)
      answer.set("needConfirmation", .bool(true))
      answer.put("verifiedProvider", providers.map { JSONValue.string($0.string) })
    }
    return answer.json
  }

  private func putUser(_ user: User, into answer: inout AnswerBuilder) {
    answer.put("localId", user.uid.string)
    answer.set("emailVerified", .bool(user.isEmailVerified))
  }

  private func put(_ profile: ProviderProfile, into answer: inout AnswerBuilder) {
    let linked = profile.identity.profile
    answer.put("providerId", linked.providerID.string)
    answer.put("federatedId", linked.federatedID)
    answer.put("email", linked.email)
    answer.put("displayName", linked.displayName)
    answer.put("fullName", linked.displayName)
    answer.put("firstName", profile.firstName)
    answer.put("lastName", profile.lastName)
    answer.put("photoUrl", linked.photoURL)
    answer.put("screenName", linked.screenName)
    answer.put("oauthIdToken", profile.idToken)
    answer.put("oauthAccessToken", profile.accessToken)
    answer.put("rawUserInfo", profile.rawUserInfo)
  }

  /// What the client brings: in the body's form, and in the address that the provider led back to.
  private func credential(_ requestURI: String) throws -> ProviderCredential {
    let address = requestURI.split(
      separator: "#",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let parts = address[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let sources = [
      try FormFields(message.given("postBody") ?? ""),
      try FormFields(parts.count > 1 ? parts[1] : ""),
      try FormFields(address.count > 1 ? address[1] : ""),
    ]
    func field(_ name: String) -> String? { sources.lazy.compactMap { $0[name] }.first }
    guard let providerID = field("providerId"), !["password", "phone"].contains(providerID) else {
      throw IdentityFailure.code(
        "INVALID_CREDENTIAL_OR_PROVIDER_ID",
        "Invalid IdP response/credential: \(parts[0])"
      )
    }
    if field("SAMLResponse") != nil {
      throw AccountError(.operationNotAllowed, "Sign-in by SAML is not supported by this server.")
    }
    if let error = field("error") {
      throw IdentityFailure.code(
        "INVALID_IDP_RESPONSE",
        "The provider answered \(error.prefix(80))."
      )
    }
    var credential = ProviderCredential(providerID: providerID)
    credential.idToken = field("id_token")
    credential.accessToken = field("access_token")
    credential.code = field("code")
    credential.state = field("state")
    credential.nonce = field("nonce")
    credential.sessionID = message.text("sessionId")
    credential.requestURI = Self.withoutCode(
      String(parts[0]),
      query: parts.count > 1 ? parts[1] : ""
    )
    return credential
  }

  /// The address as the provider was given it: what the provider and the client added is left out.
  private static func withoutCode(_ address: String, query: Substring) -> String {
    let added: Set<String> = [
      "code", "state", "providerId", "id_token", "access_token", "nonce", "scope", "authuser",
      "prompt", "session_state", "iss", "hd", "user",
    ]
    let kept = query.split(separator: "&").filter { part in
      !added.contains(String(part.prefix { $0 != "=" }))
    }
    return kept.isEmpty ? address : "\(address)?\(kept.joined(separator: "&"))"
  }

  static func kind(of id: String) -> ProviderConfiguration.Kind? {
    if id.hasPrefix("oidc.") { return .oidc }
    return id.hasPrefix("saml.") ? .saml : .known
  }

  /// `accounts:createAuthUri`: how an address signs in, or where a provider's sign-in begins.
  func createAuthUri() async throws -> JSONValue {
    let continueURI = try required("continueUri", else: "MISSING_CONTINUE_URI")
    guard WebAddress(continueURI) != nil else { throw AccountError(.invalidContinueURI) }
    if let providerID = message.text("providerId") {
      return try await beginProvider(providerID, continueURI)
    }
    let identifier = try required("identifier", else: "MISSING_IDENTIFIER")
    guard EmailAddress(identifier) != nil else { throw IdentityFailure.code("INVALID_IDENTIFIER") }
    var answer = AnswerBuilder(kind: "CreateAuthUriResponse")
    let found = try await accounts { accounts -> User?? in
      guard try !accounts.configuration().hidesAccounts else { return .none }
      return .some(try accounts.user(email: identifier))
    }
    if let found {
      answer.set("registered", .bool(found != nil))
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
    guard let host = WebAddress(continueURI)?.host else { throw AccountError(.invalidContinueURI) }
    let (configuration, domains) = try await accounts { accounts in
      (
        try Self.kind(of: id).flatMap { try accounts.provider($0, id) },
        try accounts.configuration().authorizedDomains(of: project.string)
      )
    }
    let own = WebAddress(service.accounts.origin)?.host
    guard
      service.environment.isDevelopment || host == own
        || domains.contains(where: { $0.lowercased() == host })
    else {
      throw AccountError(.unauthorizedDomain, "Domain not allowlisted by project")
    }
    guard let configuration else { throw AccountError(.operationNotAllowed) }
    let begun = try await service.environment.providers.begin(
      configuration,
      continueURI: continueURI,
      scope: message.text("oauthScope"),
      parameters: try customParameters(),
      random: service.accounts.configuration.random
    )
    var answer = AnswerBuilder(kind: "CreateAuthUriResponse")
    answer.put("authUri", begun.authURI)
    answer.put("providerId", id)
    answer.put("sessionId", begun.sessionID)
    return answer.json
  }

  /// The texts of `customParameter`, which the provider's page receives.
  private func customParameters() throws -> [(name: String, value: String)] {
    guard case .object(let members)? = message.json("customParameter") else { return [] }
    guard members.count <= 20 else { throw IdentityFailure.invalid("Too many custom parameters.") }
    return try members.map { member in
      guard case .string(let value) = member.value, member.name.utf8.count <= 100,
        value.utf8.count <= 1_000
      else { throw IdentityFailure.invalid("A custom parameter must be a short text.") }
      return (member.name, value)
    }
  }
}

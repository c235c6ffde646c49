import Authentication
import BaseJSON

// Signing in with an identity provider.

extension IdentityCall {
  /// `accounts:signInWithIdp`.
  func signInWithIdp() async throws -> JSONValue {
    let requestURI = try required("requestUri", else: "MISSING_REQUEST_URI")
    // A provider's code makes the query as long as it likes.
    let address = String(requestURI.prefix { $0 != "?" && $0 != "#" })
    guard WebAddress(address) != nil || service.appAddress(address) != nil else {
      throw IdentityFailure.code("INVALID_REQUEST_URI")
    }
    if let pending = try pendingToken() {
      let (profile, configuration) = try await service.environment.providers.profile(
        pendingToken: pending,
        project: project,
        configuration: self.configuration
      )
      return try await signIn(as: profile, configuration, wasRedeemed: true)
    }
    let credential = try credential(requestURI)
    let configuration = try await self.configuration(of: credential.providerID)
    let profile = try await service.environment.providers.profile(
      credential,
      configuration,
      takesClaims: envelope.believesClaims
    )
    if credential.code != nil, let session = credential.sessionID.flatMap(ProviderSession.init) {
      try await accounts { try $0.finish(session) }
    }
    return try await signIn(as: profile, configuration, wasRedeemed: credential.code != nil)
  }

  /// The provider as the project has it; clients of an app's own at Google are audiences too.
  private func configuration(of id: String) async throws -> ProviderConfiguration? {
    try await accounts { accounts in
      var found = try Self.kind(of: id).flatMap { try accounts.provider($0, id) }
      if id == KnownProvider.google.rawValue, found != nil {
        found?.audiences += try accounts.apps().compactMap(\.googleClientID)
      }
      return found
    }
  }

  /// The pending token, which clients send as a field or in the body's form.
  private func pendingToken() throws -> String? {
    try message.text("pendingToken") ?? message.text("pendingIdToken")
      ?? FormFields(message.given("postBody") ?? "")["pendingToken"]
  }

  /// Signs in or links, and adds a pending token wherever the client may need the provider's word again.
  private func signIn(
    as profile: ProviderProfile,
    _ configuration: ProviderConfiguration?,
    wasRedeemed: Bool
  ) async throws -> JSONValue {
    let returnsCredential = message.flag("returnIdpCredential") == true
    func pendingToken() throws -> String? {
      try service.environment.providers.pendingToken(profile, configuration, project: project)
    }
    do {
      var answer = try await sign(in: profile)
      if answer.needsConfirmation || (wasRedeemed && returnsCredential) {
        answer.builder.put("pendingToken", try pendingToken())
      }
      return answer.builder.json
    } catch let error as AccountError where returnsCredential {
      // The client may still use the provider's answer: the error comes beside it.
      var answer = AnswerBuilder(kind: "VerifyAssertionResponse")
      put(profile, into: &answer)
      answer.put("errorMessage", error.message)
      answer.put("pendingToken", try pendingToken())
      return answer.json
    }
  }

  private func sign(
    in profile: ProviderProfile
  ) async throws -> (builder: AnswerBuilder, needsConfirmation: Bool) {
    var answer = AnswerBuilder(kind: "VerifyAssertionResponse")
    put(profile, into: &answer)
    if let idToken = message.text("idToken") {
      let session = try await accounts { try $0.link(profile.identity, idToken: idToken) }
      putUser(session.user, into: &answer)
      session.put(into: &answer)
      return (answer, false)
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
      return (answer, false)
    case .needsConfirmation(let providers, let uid):
      answer.put("localId", uid?.string)
      answer.set("needConfirmation", .boolean(true))
      answer.put("verifiedProvider", providers.map { JSONValue.string($0.string) })
      return (answer, true)
    }
  }

  private func putUser(_ user: User, into answer: inout AnswerBuilder) {
    answer.put("localId", user.uid.string)
    answer.set("emailVerified", .boolean(user.isEmailVerified))
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

  /// Reads the client's credential: in the body's form, and in the address that the provider led
  /// back to.
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
      throw AccountError(.operationNotAllowed, ProviderConfiguration.noSAML)
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
    credential.user = field("user")
    credential.sessionID = message.text("sessionId")
    // The provider led to the handler, and the handler to the app.
    credential.requestURI =
      service.appAddress(String(parts[0])) != nil
      ? handlerAddress : Self.withoutCode(String(parts[0]), query: parts.count > 1 ? parts[1] : "")
    return credential
  }

  /// The address as sent to the provider, without the additions of the provider and the client.
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
}

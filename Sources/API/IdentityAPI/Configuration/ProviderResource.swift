import Authentication
import BaseJSON

/// The resources of one kind of identity provider.
enum ProviderResource: CaseIterable {
  case oidc
  case saml
  case known

  /// The kind that a collection's name means.
  init?(collection: String) {
    guard let found = Self.allCases.first(where: { $0.collection == collection }) else {
      return nil
    }
    self = found
  }

  var kind: ProviderConfiguration.Kind {
    switch self {
    case .oidc: .oidc
    case .saml: .saml
    case .known: .known
    }
  }

  var collection: String {
    switch self {
    case .oidc: "oauthIdpConfigs"
    case .saml: "inboundSamlConfigs"
    case .known: "defaultSupportedIdpConfigs"
    }
  }

  /// The parameter that names a new resource.
  var idParameter: String {
    switch self {
    case .oidc: "oauthIdpConfigId"
    case .saml: "inboundSamlConfigId"
    case .known: "idpId"
    }
  }

  /// The resource as the API shows it.
  ///
  /// - Parameter showsSecrets: True for back ends, as Google does; the console's administrators set
  ///   secrets and never see them.
  func json(
    _ provider: ProviderConfiguration,
    scope: AccountScope,
    showsSecrets: Bool
  ) -> JSONValue {
    var answer = AnswerBuilder()
    answer.put("name", "\(scope)/\(collection)/\(provider.id)")
    answer.put("displayName", provider.displayName)
    answer.put("enabled", provider.isEnabled)
    switch self {
    case .oidc:
      answer.put("clientId", provider.clientID)
      answer.put("issuer", provider.issuer)
      putSecret(of: provider, showsSecrets, into: &answer)
      var types = AnswerBuilder()
      types.put("idToken", provider.acceptsIDToken)
      types.put("code", provider.acceptsCode)
      if !types.members.isEmpty { answer.set("responseType", types.json) }
    case .known:
      answer.put("clientId", provider.clientID)
      putSecret(of: provider, showsSecrets, into: &answer)
      answer.put("additionalAudiences", provider.audiences.map(JSONValue.string))
      answer.put("tenant", provider.tenant)
      if let apple = provider.apple {
        var key = AnswerBuilder()
        key.put("teamId", apple.teamID)
        key.put("keyId", apple.keyID)
        answer.set("appleSignInConfig", .object(["codeFlowConfig": key.json]))
      }
    case .saml: putSAML(provider.saml ?? .init(), into: &answer)
    }
    return answer.json
  }

  private func putSecret(
    of provider: ProviderConfiguration,
    _ showsSecrets: Bool,
    into answer: inout AnswerBuilder
  ) {
    if showsSecrets {
      answer.put("clientSecret", provider.clientSecret)
    } else if provider.clientSecret != nil || provider.apple != nil {
      answer.set("hasSecret", .boolean(true))
    }
  }

  private func putSAML(_ saml: ProviderConfiguration.SAML, into answer: inout AnswerBuilder) {
    var idp = AnswerBuilder()
    idp.put("idpEntityId", saml.entityID)
    idp.put("ssoUrl", saml.signInURL)
    idp.put(
      "idpCertificates",
      saml.certificates.map { .object(["x509Certificate": .string($0)]) }
    )
    idp.put("signRequest", saml.signsRequests)
    var sp = AnswerBuilder()
    sp.put("spEntityId", saml.partyEntityID)
    sp.put("callbackUri", saml.callbackURL)
    answer.set("idpConfig", idp.json)
    answer.set("spConfig", sp.json)
  }

  /// Puts a change's fields into the provider.
  func apply(
    _ body: JSONValue,
    mask: UpdateMask?,
    to provider: inout ProviderConfiguration
  ) throws {
    var reader = try ChangeReader(body, mask: mask)
    reader.pass("name")
    try reader.text("displayName") { provider.displayName = $0 }
    try reader.flag("enabled") { provider.isEnabled = $0 }
    switch self {
    case .oidc:
      try reader.text("clientId") { provider.clientID = $0 }
      try reader.text("clientSecret") { provider.clientSecret = $0 }
      try reader.text("issuer") { provider.issuer = $0 }
      try reader.flag("responseType.idToken") { provider.acceptsIDToken = $0 }
      try reader.flag("responseType.code") { provider.acceptsCode = $0 }
    case .known:
      try reader.text("clientId") { provider.clientID = $0 }
      try reader.text("clientSecret") { provider.clientSecret = $0 }
      try reader.array("additionalAudiences") { elements in
        provider.audiences = try elements.map(Self.text)
      }
      try reader.text("tenant") { provider.tenant = $0 }
      try applyAppleKey(&reader, to: &provider)
    case .saml:
      throw AccountError(.operationNotAllowed, ProviderConfiguration.noSAML)
    }
    try reader.finish()
  }

  /// Puts a key's fields into the provider; a key without any of them is no key.
  private func applyAppleKey(
    _ reader: inout ChangeReader,
    to provider: inout ProviderConfiguration
  ) throws {
    var key = provider.apple ?? AppleKey()
    let path = "appleSignInConfig.codeFlowConfig"
    try reader.text("\(path).teamId") { key.teamID = $0 ?? "" }
    try reader.text("\(path).keyId") { key.keyID = $0 ?? "" }
    try reader.text("\(path).privateKey") { key.privateKey = $0 ?? "" }
    provider.apple = key == AppleKey() ? nil : key
  }

  /// Refuses a new provider that lacks what signing in needs.
  func checkComplete(_ provider: ProviderConfiguration) throws {
    switch self {
    case .oidc:
      guard provider.clientID != nil else { throw IdentityFailure.code("MISSING_OAUTH_CLIENT_ID") }
      guard provider.issuer != nil else { throw IdentityFailure.code("MISSING_ISSUER") }
    case .saml:
      throw AccountError(.operationNotAllowed, ProviderConfiguration.noSAML)
    case .known:
      guard provider.clientID != nil else { throw IdentityFailure.code("MISSING_OAUTH_CLIENT_ID") }
    }
  }

  private static func text(_ json: JSONValue?) throws -> String {
    guard case .string(let text)? = json else {
      throw IdentityFailure.invalid("Invalid value at 'idpConfig' (TYPE_STRING)")
    }
    return text
  }
}

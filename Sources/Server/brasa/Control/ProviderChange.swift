import Authentication
import BaseStatus

/// The settings of an identity provider that `brasa users methods` changes; nil leaves one as it is.
struct ProviderChange: Codable, Sendable, Equatable {
  var id: String
  var isOn: Bool
  var clientID: String?
  var issuer: String?
  var tenant: String?
  var teamID: String?
  var keyID: String?
  /// True if the input has a secret: the client's, or Apple's `.p8` file.
  var hasSecret = false

  init(id: String, isOn: Bool) {
    self.id = id
    self.isOn = isOn
  }

  /// The kind of provider that the id names.
  var kind: ProviderConfiguration.Kind {
    if id.hasPrefix("oidc.") { return .oidc }
    return id.hasPrefix("saml.") ? .saml : .known
  }

  /// Stores the change; adds the provider where the project has none of that id.
  func store(in project: ProjectAccounts, secret: String?) throws -> ProviderConfiguration {
    guard kind != .saml else {
      throw ServiceError.invalidArgument(ProviderConfiguration.noSAML)
    }
    guard try project.provider(kind, id) == nil else {
      return try project.updateProvider(kind, id) { try apply(to: &$0, secret) }
    }
    var provider = ProviderConfiguration(kind: kind, id: id)
    try apply(to: &provider, secret)
    try project.add(provider)
    return provider
  }

  private func apply(to provider: inout ProviderConfiguration, _ secret: String?) throws {
    provider.isEnabled = isOn
    if let clientID { provider.clientID = clientID }
    if let issuer { provider.issuer = issuer }
    if let tenant { provider.tenant = tenant }
    if teamID != nil || keyID != nil || id == KnownProvider.apple.rawValue && secret != nil {
      var key = provider.apple ?? AppleKey()
      key.teamID = teamID ?? key.teamID
      key.keyID = keyID ?? key.keyID
      key.privateKey = secret ?? key.privateKey
      provider.apple = key
    } else if let secret {
      provider.clientSecret = secret
    }
    if isOn, provider.clientID == nil {
      throw ServiceError.invalidArgument("\(id) needs the client's id: --client-id ID")
    }
    if isOn, kind == .oidc, provider.issuer == nil {
      throw ServiceError.invalidArgument("\(id) needs the provider's address: --issuer URL")
    }
  }
}

extension ProviderConfiguration {
  /// The provider as `brasa users methods` lists it, without its secret.
  var line: String {
    "\(id)  \(isEnabled ? "on" : "off")" + (clientID.map { "  client \($0)" } ?? "")
  }
}

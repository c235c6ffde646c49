import BaseText
import Foundation
import KeyValueStore

// The identity providers that a project is set up with.

extension ProjectAccounts {
  /// All providers of a kind, by id.
  package func providers(_ kind: ProviderConfiguration.Kind) throws -> [ProviderConfiguration] {
    try accounts.engine.read { snapshot in
      var found: [ProviderConfiguration] = []
      let prefix = AccountKey.prefix(.providerConfiguration, scope, Text(kind.rawValue))
      let cursor = try snapshot.cursor(over: KeyRange(prefix: prefix), reversed: false)
      while try cursor.next() {
        found.append(
          try JSONDecoder().decode(ProviderConfiguration.self, from: Data(cursor.value))
        )
      }
      return found
    }
  }

  /// The provider with that id; nil where there is none.
  package func provider(
    _ kind: ProviderConfiguration.Kind,
    _ id: String
  ) throws -> ProviderConfiguration? {
    try accounts.engine.read { snapshot in
      try snapshot.get(key(kind, id)).map {
        try JSONDecoder().decode(ProviderConfiguration.self, from: Data($0))
      }
    }
  }

  /// The client ID of sign-ins with Google; nil if they are not possible.
  package func googleClientID() throws -> String? {
    let google = try provider(.known, KnownProvider.google.rawValue)
    return google?.isEnabled == true ? google?.clientID : nil
  }

  /// Adds a provider; DUPLICATE_CONFIG_ID where there is one.
  package func add(_ provider: ProviderConfiguration) throws {
    try provider.check()
    let bytes = Array(try JSONEncoder().encode(provider))
    let key = key(provider.kind, provider.id)
    try accounts.engine.write { group in
      guard try group.get(key) == nil else { throw AccountError(.configurationExists) }
      try group.put(key, bytes)
    }
  }

  /// Changes a provider; CONFIGURATION_NOT_FOUND where there is none.
  package func updateProvider(
    _ kind: ProviderConfiguration.Kind,
    _ id: String,
    _ change: (inout ProviderConfiguration) throws -> Void
  ) throws -> ProviderConfiguration {
    let key = key(kind, id)
    return try accounts.engine.write { group in
      guard let stored = try group.get(key) else { throw AccountError(.configurationNotFound) }
      var provider = try JSONDecoder().decode(ProviderConfiguration.self, from: Data(stored))
      try change(&provider)
      try provider.check()
      try group.put(key, Array(try JSONEncoder().encode(provider)))
      return provider
    }
  }

  /// Removes a provider; CONFIGURATION_NOT_FOUND where there is none.
  package func deleteProvider(_ kind: ProviderConfiguration.Kind, _ id: String) throws {
    let key = key(kind, id)
    try accounts.engine.write { group in
      guard try group.get(key) != nil else { throw AccountError(.configurationNotFound) }
      try group.delete(key)
    }
  }

  private func key(_ kind: ProviderConfiguration.Kind, _ id: String) -> [UInt8] {
    AccountKey.prefix(.providerConfiguration, scope, Text(kind.rawValue), Text(id))
  }
}

extension ProviderConfiguration {
  /// Refuses ids of another kind and texts out of bounds.
  func check() throws(AccountError) {
    let hasPrefix =
      switch kind {
      case .known: !id.hasPrefix("oidc.") && !id.hasPrefix("saml.") && id.contains(".")
      case .oidc: id.hasPrefix("oidc.") && id.utf8.count > 5
      case .saml: id.hasPrefix("saml.") && id.utf8.count > 5
      }
    guard hasPrefix, id.utf8.count <= 128 else { throw AccountError(.invalidProviderID) }
    let texts = [displayName, clientID, clientSecret, issuer].compactMap(\.self) + audiences
    guard texts.allSatisfy({ $0.utf8.count <= 2_048 }), audiences.count <= 50,
      saml?.certificates.count ?? 0 <= 20
    else { throw AccountError(.invalidConfiguration) }
    if kind == .known { try checkKnown() }
    guard kind != .saml else { throw AccountError(.operationNotAllowed, Self.noSAML) }
    if let issuer, kind == .oidc, !issuer.hasPrefix("https://"), !issuer.hasPrefix("http://") {
      throw AccountError(.invalidConfiguration, "The issuer must be a web address.")
    }
  }

  /// Refuses providers without sign-in on this server, and settings that theirs does not have.
  private func checkKnown() throws(AccountError) {
    guard let known = KnownProvider(rawValue: id) else {
      throw AccountError(.operationNotAllowed, KnownProvider.refusal(of: id))
    }
    if let apple {
      guard known == .apple else {
        throw AccountError(.invalidConfiguration, "Only apple.com has a team, a key ID and a key.")
      }
      try apple.check()
    }
    if let tenant {
      guard known == .microsoft, MicrosoftTenant.isSupported(tenant) else {
        throw AccountError(
          .invalidConfiguration,
          "Only microsoft.com has a tenant: common, organizations, consumers or a tenant ID."
        )
      }
    }
  }
}

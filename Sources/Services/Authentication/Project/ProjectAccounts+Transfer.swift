import BaseText
import Foundation
import KeyValueStore

// A project's settings, apps and second factors from an export.

extension ProjectAccounts {
  /// Returns true if the project has settings of its own; asking makes none.
  package func hasConfiguration() throws -> Bool { try knownPasswordParameters() != nil }

  /// Takes over settings, all but the mail templates and those of the server's mode; returns false
  /// if the project already has them.
  package func take(_ imported: ProjectConfiguration) throws -> Bool {
    let known = try hasConfiguration() ? configuration() : nil
    func merged(_ old: ProjectConfiguration) -> ProjectConfiguration {
      var new = imported
      new.mail = old.mail
      new.hidesAccountsByDefault = old.hidesAccountsByDefault
      new.authorizesFirebaseHosting = old.authorizesFirebaseHosting
      return new
    }
    if let known, merged(known) == known { return false }
    try configure { $0 = merged($0) }
    return true
  }

  /// Takes a provider over that has no secrets: those that the project has for the same client stay; returns false
  /// where nothing changes.
  package func take(_ imported: ProviderConfiguration) throws -> Bool {
    var new = imported
    let old = try provider(new.kind, new.id)
    if let old, old.clientID == new.clientID {
      new.clientSecret = old.clientSecret
      new.apple = old.apple
    }
    guard new != old else { return false }
    try put(new)
    return true
  }

  /// Takes the secrets of a provider over; returns false where it has them already, CONFIGURATION_NOT_FOUND where the
  /// project has no such provider.
  package func takeSecrets(
    of kind: ProviderConfiguration.Kind,
    _ id: String,
    clientSecret: String?,
    apple: AppleKey?
  ) throws -> Bool {
    guard let old = try provider(kind, id) else { throw AccountError(.configurationNotFound) }
    guard (old.clientSecret, old.apple) != (clientSecret, apple) else { return false }
    _ = try updateProvider(kind, id) { provider in
      provider.clientSecret = clientSecret
      provider.apple = apple
    }
    return true
  }

  private func put(_ provider: ProviderConfiguration) throws {
    if try self.provider(provider.kind, provider.id) == nil { return try add(provider) }
    _ = try updateProvider(provider.kind, provider.id) { $0 = provider }
  }

  /// Takes an app over under its ID, so that installed copies with its file continue to work;
  /// returns false if the project has it already.
  ///
  /// DUPLICATE_CONFIG_ID where another app of the platform has its bundle id.
  package func take(_ app: RegisteredApp) throws -> Bool {
    try app.check()
    guard app.hasValidID else {
      throw AccountError(.invalidConfiguration, "\(app.id.prefix(100)) is not an app ID.")
    }
    let key = AccountKey.prefix(.app, scope, Text(app.id))
    let bytes = Array(try JSONEncoder().encode(app))
    let known = try apps()
    return try accounts.engine.write { group in
      if try group.get(key) == nil, known.count >= Self.maximumApps {
        throw AccountError(
          .invalidConfiguration,
          "The project already has \(Self.maximumApps) apps."
        )
      }
      let isTaken = try Self.apps(in: scope, group).contains {
        $0.id != app.id && $0.platform == app.platform && $0.bundleID == app.bundleID
          && app.bundleID != nil
      }
      guard !isTaken else {
        throw AccountError(.configurationExists, "An app with that bundle ID already exists.")
      }
      let old = try group.get(key).map {
        try JSONDecoder().decode(RegisteredApp.self, from: Data($0))
      }
      guard old != app else { return false }
      try group.put(key, bytes)
      return true
    }
  }

  private static func apps(
    in scope: AccountScope,
    _ reader: any KeyValueReader
  ) throws -> [RegisteredApp] {
    let range = KeyRange(prefix: AccountKey.prefix(.app, scope))
    let cursor = try reader.cursor(over: range, reversed: false)
    var found: [RegisteredApp] = []
    while try cursor.next() {
      found.append(try JSONDecoder().decode(RegisteredApp.self, from: Data(cursor.value)))
    }
    return found
  }

  /// Gives an account the second factors of an export in place of its own; returns false where it has them already,
  /// USER_NOT_FOUND where there is no such account.
  package func take(_ factors: [SecondFactor], of uid: Text) throws -> Bool {
    try Self.check(factors)
    return try write { users in
      let old = try users.user(uid)
      guard old.secondFactors.map(\.identity) != factors.map(\.identity) else { return false }
      return try users.change(uid) { user in
        user.secondFactors = factors.map { $0.keepingLastStep(of: old.secondFactors) }
        return true
      }
    }
  }

  private static func check(_ factors: [SecondFactor]) throws {
    guard factors.count <= maximumSecondFactors, Set(factors.map(\.id)).count == factors.count,
      factors.allSatisfy({ (1...128).contains($0.id.string.utf8.count) })
    else {
      throw AccountError(
        .invalidConfiguration,
        "An account can have at most \(maximumSecondFactors) second factors, each with its own ID."
      )
    }
    for factor in factors {
      _ = try factor.displayName.map { try bounded($0, "DISPLAY_NAME") }
      if case .totp(let secret, _) = factor.proof {
        guard (10...128).contains(secret.count) else {
          throw AccountError(.invalidConfiguration, "A TOTP secret must have 10 to 128 bytes.")
        }
      }
    }
  }
}

extension SecondFactor {
  /// The factor without the parts that change while codes are used.
  fileprivate var identity: SecondFactor {
    guard case .totp(let secret, _) = proof else { return self }
    var identity = self
    identity.proof = .totp(secret: secret, lastStep: 0)
    return identity
  }

  /// The factor whose codes are no older than those that were used of the same one: each is good once.
  fileprivate func keepingLastStep(of known: [SecondFactor]) -> SecondFactor {
    guard case .totp(let secret, let lastStep) = proof else { return self }
    var kept = self
    for case .totp(secret, let other) in known.map(\.proof) {
      kept.proof = .totp(secret: secret, lastStep: max(lastStep, other))
    }
    return kept
  }
}

extension RegisteredApp {
  /// True if the id has the form that this server gives: `1:NUMBER:PLATFORM:HEXADECIMAL`.
  fileprivate var hasValidID: Bool {
    let parts = id.split(separator: ":", omittingEmptySubsequences: false)
    return id.utf8.count <= 100 && parts.count == 4 && parts[0] == "1"
      && UInt64(parts[1]) != nil && parts[2] == platform.rawValue
      && !parts[3].isEmpty && parts[3].utf8.allSatisfy { Hexadecimal.digit($0) != nil }
  }
}

import Authentication
import BaseStatus
import Foundation
import ServiceModule

extension StorageTransfer {
  /// A project's settings of accounts and its sign-in providers, without their secrets: a line `{"configuration": {…}}`, then a
  /// line `{"provider": {…}}` each, as the store has them.
  static func settings(_ accounts: Accounts) -> StorageTransfer {
    StorageTransfer("settings") { scope, tell, item in
      let project = accounts.project(scope.database.project)
      var lines: [SettingsLine] = []
      if try project.hasConfiguration() {
        var configuration = try project.configuration()
        configuration.mail = MailTemplates()
        lines.append(SettingsLine(configuration: configuration))
      }
      var secret: [String] = []
      for kind in [ProviderConfiguration.Kind.known, .oidc] {
        for provider in try project.providers(kind) {
          if provider.hasSecrets { secret.append(provider.id) }
          lines.append(SettingsLine(provider: provider.withoutSecrets))
        }
      }
      for provider in try project.providers(.saml) {
        try tell(.omission("The sign-in provider \(provider.id): \(ProviderConfiguration.noSAML)"))
      }
      for line in lines {
        try item(StorageItem(file: "settings", bytes: Array(JSONEncoder.ofTransfers.encode(line))))
      }
      if !secret.isEmpty {
        let text = "The secrets of the sign-in providers \(secret.joined(separator: ", "))."
        try tell(.omission(text, secret: "provider-secrets"))
      }
      return count(lines.count)
    } import: { scope, next, tell in
      let project = accounts.project(scope.database.project)
      var tally = ImportTally()
      while let item = try next() {
        try tally.take(named: "A line of settings") {
          let line = try JSONDecoder().decode(SettingsLine.self, from: Data(item))
          return try line.store(in: project)
        }
      }
      for refusal in tally.refusals { try tell(.difference(refusal)) }
      return count(tally.stored, skipped: tally.skipped)
    }
  }

  private static func count(_ number: Int, skipped: Int = 0) -> StorageCount {
    StorageCount(number, "group of settings", plural: "groups of settings", skipped: skipped)
  }
}

/// The outcome of an import, item by item.
struct ImportTally {
  private(set) var stored = 0
  private(set) var skipped = 0
  private(set) var refusals: [String] = []

  /// Stores an item: the body returns false where it is there already.
  mutating func take(named name: String, _ body: () throws -> Bool) throws {
    var isNew = true
    if let refusal = try TransferRefusal.of(name, { isNew = try body() }) {
      refusals.append(refusal)
    } else if isNew {
      stored += 1
    } else {
      skipped += 1
    }
  }
}

extension JSONEncoder {
  /// Encodes lines of exports: the same values give the same bytes.
  static var ofTransfers: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension ProviderConfiguration {
  /// True if the provider has a client secret or a key.
  var hasSecrets: Bool { clientSecret != nil || apple != nil }

  /// The provider without its client secret and key.
  fileprivate var withoutSecrets: ProviderConfiguration {
    var copy = self
    copy.clientSecret = nil
    copy.apple = nil
    return copy
  }
}

/// A line of settings: one of its members is there.
private struct SettingsLine: Codable {
  var configuration: ProjectConfiguration?
  var provider: ProviderConfiguration?

  /// Stores the line; false where everything is there already.
  func store(in project: ProjectAccounts) throws -> Bool {
    if let configuration {
      for domain in configuration.authorizedDomains {
        guard WebAddress("https://\(domain)")?.host == domain else {
          throw AccountError(.invalidConfiguration, "\(domain.prefix(100)) is no domain.")
        }
      }
      return try project.take(configuration)
    }
    guard let provider else {
      throw ServiceError.invalidArgument(
        "The line contains neither a configuration nor a provider."
      )
    }
    guard !provider.hasSecrets else {
      throw ServiceError.invalidArgument("Secrets of providers need --with-secrets.")
    }
    return try TransferRefusal.naming(provider.id) { try project.take(provider) }
  }
}

extension TransferRefusal {
  /// Names the subject of a refusal.
  fileprivate static func naming<R>(_ name: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as AccountError {
      throw ServiceError(.invalidArgument, "\(name): \(error.message)", cause: error.cause)
    }
  }
}

import Authentication
import BaseJSON
import BaseStatus
import BaseText
import Foundation
import ServiceModule

extension StorageTransfer {
  /// The second factors of a project's accounts: a line an account that has some,
  /// `{"localId": "…", "factors": [{"mfaEnrollmentId", "displayName", "enrolledAt", "secret", "lastStep"}]}`.
  ///
  /// `secret` is that of time-based codes in base64url; a factor of messages has `phoneNumber` in its place.
  /// `enrolledAt` is in milliseconds since 1970. An import replaces the factors of the accounts that it names.
  static func secondFactors(_ accounts: Accounts) -> StorageTransfer {
    var transfer = StorageTransfer("second-factors") { scope, tell, item in
      var count = 0
      _ = try AccountTransfer.each(
        of: accounts.project(scope.database.project),
        progress: { try tell(.progress(done: $0, total: $1, unit: "account")) },
        { user in
          guard !user.secondFactors.isEmpty else { return }
          let line = FactorsLine(user)
          try item(StorageItem(file: "factors", bytes: Array(JSONEncoder.ofTransfers.encode(line))))
          count += 1
        }
      )
      return factors(count)
    } import: { scope, next, tell in
      let project = accounts.project(scope.database.project)
      var tally = ImportTally()
      while let item = try next() {
        let name = try? JSONValue(parsing: String(decoding: item, as: UTF8.self))["localId"]?.string
        try tally.take(named: name ?? "Second factors") {
          let line = try JSONDecoder().decode(FactorsLine.self, from: Data(item))
          return try project.take(try line.secondFactors, of: Text(line.localId))
        }
      }
      for refusal in tally.refusals { try tell(.difference(refusal)) }
      return factors(tally.stored, skipped: tally.skipped)
    }
    transfer.companion = "accounts"
    return transfer
  }

  private static func factors(_ number: Int, skipped: Int = 0) -> StorageCount {
    StorageCount(
      number,
      "account's second factors",
      plural: "accounts' second factors",
      skipped: skipped
    )
  }

  /// The secrets of a project's sign-in providers, a line each: `kind`, `id`, `clientSecret` and Apple's key `apple`, as the store
  /// has them.
  static func providerSecrets(_ accounts: Accounts) -> StorageTransfer {
    var transfer = StorageTransfer("provider-secrets") { scope, _, item in
      let project = accounts.project(scope.database.project)
      var count = 0
      for kind in [ProviderConfiguration.Kind.known, .oidc] {
        for provider in try project.providers(kind) where provider.hasSecrets {
          let line = ProviderSecretLine(
            kind: kind,
            id: provider.id,
            clientSecret: provider.clientSecret,
            apple: provider.apple
          )
          try item(StorageItem(file: "secrets", bytes: Array(JSONEncoder.ofTransfers.encode(line))))
          count += 1
        }
      }
      return secrets(count)
    } import: { scope, next, tell in
      let project = accounts.project(scope.database.project)
      var tally = ImportTally()
      while let item = try next() {
        let name = try? JSONValue(parsing: String(decoding: item, as: UTF8.self))["id"]?.string
        try tally.take(named: name ?? "A provider's secrets") {
          let line = try JSONDecoder().decode(ProviderSecretLine.self, from: Data(item))
          return try project.takeSecrets(
            of: line.kind,
            line.id,
            clientSecret: line.clientSecret,
            apple: line.apple
          )
        }
      }
      for refusal in tally.refusals { try tell(.difference(refusal)) }
      return secrets(tally.stored, skipped: tally.skipped)
    }
    transfer.companion = "settings"
    return transfer
  }

  private static func secrets(_ number: Int, skipped: Int = 0) -> StorageCount {
    StorageCount(number, "provider's secrets", plural: "providers' secrets", skipped: skipped)
  }
}

/// A provider's secrets in an export.
private struct ProviderSecretLine: Codable {
  let kind: ProviderConfiguration.Kind
  let id: String
  let clientSecret: String?
  let apple: AppleKey?
}

/// An account's second factors in an export.
private struct FactorsLine: Codable {
  struct Factor: Codable {
    let mfaEnrollmentId: String
    let displayName: String?
    let enrolledAt: Int64
    var secret: String?
    var lastStep: Int64?
    var phoneNumber: String?
  }

  let localId: String
  let factors: [Factor]

  init(_ user: User) {
    localId = user.uid.string
    factors = user.secondFactors.map { factor in
      var line = Factor(
        mfaEnrollmentId: factor.id.string,
        displayName: factor.displayName,
        enrolledAt: factor.enrolledAt
      )
      switch factor.proof {
      case .totp(let secret, let lastStep):
        line.secret = Base64.url(secret)
        line.lastStep = lastStep
      case .phone(let number): line.phoneNumber = number.string
      }
      return line
    }
  }

  /// The factors; INVALID_ARGUMENT where one has no proof.
  var secondFactors: [SecondFactor] {
    get throws {
      try factors.map { factor in
        SecondFactor(
          id: Text(factor.mfaEnrollmentId),
          displayName: factor.displayName,
          enrolledAt: factor.enrolledAt,
          proof: try Self.proof(of: factor)
        )
      }
    }
  }

  private static func proof(of factor: Factor) throws -> SecondFactor.Proof {
    if let secret = factor.secret.flatMap({ Base64.decode($0) }) {
      return .totp(secret: secret, lastStep: max(0, factor.lastStep ?? 0))
    }
    guard let number = factor.phoneNumber.flatMap({ PhoneNumber($0) }) else {
      throw ServiceError.invalidArgument("A second factor has neither a secret nor a number.")
    }
    return .phone(number)
  }
}

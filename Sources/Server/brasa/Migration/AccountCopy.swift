import BaseJSON
import Foundation

/// The copy of a project's accounts with their passwords, second factors and linked providers.
struct AccountCopy: Sendable {
  let source: SourceServer
  let target: MigrationTarget

  private static let pageSize = 1_000
  /// The members of an account that an import takes.
  private static let members: Set<String> = [
    "localId", "email", "displayName", "photoUrl", "phoneNumber", "passwordHash", "salt",
    "customAttributes", "initialEmail", "emailVerified", "disabled", "emailLinkSignin",
    "customAuth", "createdAt", "lastLoginAt", "validSince", "passwordUpdatedAt",
    "providerUserInfo", "mfaInfo",
  ]
  private static let providerMembers: Set<String> = [
    "providerId", "rawId", "email", "displayName", "photoUrl", "screenName", "phoneNumber",
  ]

  /// Copies all accounts; returns how many there were, and why some were dropped.
  func run() async throws -> (count: Int, drops: [String]) {
    let parameters = try await parameters()
    var count = 0
    var drops: [String] = []
    var page: [[UInt8]] = []
    func store() async throws {
      guard !page.isEmpty else { return }
      let request = AdministrationRequest.import(
        kind: EmulatorAccounts.kind,
        database: target.label
      )
      drops += try await target.perform(request, [parameters.compactBytes] + page).drops
      page = []
    }
    try await source.list(
      .identity,
      "/v1/projects/\(source.project)/accounts:batchGet?maxResults=\(Self.pageSize)",
      "users",
      tokenName: "nextPageToken"
    ) { user in
      count += 1
      page.append(Self.line(user).compactBytes)
      if page.count == Self.pageSize { try await store() }
    }
    try await store()
    return (count, drops)
  }

  /// The parameters of the project's hashes; an empty object where it has none.
  private func parameters() async throws -> JSONValue {
    let config = try await source.get(.identity, "/admin/v2/projects/\(source.project)/config")
    guard let hash = config?["signIn"]?["hashConfig"], let name = hash["algorithm"]?.string else {
      return .object(["hashAlgorithm": .string("SCRYPT")])
    }
    var members = [JSONValue.Member("hashAlgorithm", .string(name))]
    for key in ["signerKey", "saltSeparator", "rounds", "memoryCost"] {
      if let value = hash[key] { members.append(.init(key, value)) }
    }
    return .object(members)
  }

  private static func line(_ user: JSONValue) -> JSONValue {
    var kept: [JSONValue.Member] = []
    for member in user.members ?? [] where members.contains(member.key) {
      guard member.key == "providerUserInfo" else {
        // A password that the source does not show.
        if member.key == "passwordHash", (member.value.string ?? "").isEmpty { continue }
        kept.append(member)
        continue
      }
      let providers = (member.value.elements ?? [])
        .filter { !["password", "phone"].contains($0["providerId"]?.string ?? "") }
        .map { provider in
          JSONValue.object((provider.members ?? []).filter { providerMembers.contains($0.key) })
        }
      kept.append(.init(member.key, .array(providers)))
    }
    return .object(kept)
  }
}

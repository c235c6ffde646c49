import Access
import BaseJSON
import BaseStatus
import BaseText
import FunctionHost
import HTTPTypes
import ServiceModule

/// Secrets of functions as Secret Manager v1 has them, below `/v1/projects/{project}/secrets`.
///
///     GET, POST            (none)
///     GET, PATCH, DELETE   /{secret}
///     POST                 /{secret}:addVersion
///     GET, POST            /{secret}:getIamPolicy, :setIamPolicy
///     GET                  /{secret}/versions, /{secret}/versions/{version}
///     GET                  /{secret}/versions/{version}:access       the value, for owners
///     POST                 /{secret}/versions/{version}:destroy
struct SecretRoutes: FunctionsScoped {
  let environment: FunctionsAdminEnvironment

  private static let root = "/v1/projects/{project}/secrets"
  private static let one = root + "/{secret}"
  private static let version = one + "/versions/{version}"

  var routes: [HTTPRoute] { resources + values + policies }

  private var resources: [HTTPRoute] {
    [
      vaultRoute(.get, Self.root) { call, vault in
        let filter = try call.query("filter")
        let all = try vault.names(of: call.project).map {
          (name: $0, secret: try vault.secret($0, of: call.project))
        }
        let shown = try all.filter { try Self.matches($0.secret, filter) }
        return try call.page("secrets", of: shown.map { Self.json($0.secret, $0.name, call) })
      },
      vaultRoute(.post, Self.root) { call, vault in
        let body = try call.body()
        guard let name = try call.query("secretId"), !name.isEmpty else {
          throw ServiceError.invalidArgument("The secret has no name. Add secretId.")
        }
        call.request.context.actor?.note(subject: "create secret \(name)")
        try vault.create(name, labels: try Self.labels(body), of: call.project)
        return Self.json(try vault.secret(name, of: call.project), name, call)
      },
      vaultRoute(.get, Self.one) { call, vault in
        Self.json(try vault.secret(call.secret, of: call.project), call.secret, call)
      },
      vaultRoute(.patch, Self.one) { call, vault in
        guard try call.query("updateMask") == "labels" else {
          throw ServiceError.invalidArgument("Only labels can be changed: updateMask=labels.")
        }
        try vault.label(call.secret, try Self.labels(try call.body()), of: call.project)
        return Self.json(try vault.secret(call.secret, of: call.project), call.secret, call)
      },
      vaultRoute(.delete, Self.one) { call, vault in
        try vault.delete(call.secret, of: call.project)
        return .object([])
      },
    ]
  }

  private var values: [HTTPRoute] {
    [
      vaultRoute(.post, Self.one + ":addVersion") { call, vault in
        guard let text = try call.body()["payload"]?["data"]?.string,
          let bytes = Base64.decode(text), let value = String(validating: bytes, as: UTF8.self)
        else {
          throw ServiceError.invalidArgument("The payload's data must be text in Base64.")
        }
        let number = try vault.addVersion(value, to: call.secret, of: call.project)
        let secret = try vault.secret(call.secret, of: call.project)
        return Self.json(try SecretVault.version("\(number)", of: secret, call.secret), call)
      },
      vaultRoute(.get, Self.one + "/versions") { call, vault in
        let hidesDestroyed = try call.query("filter")?.contains("NOT state: DESTROYED") ?? false
        let all = try vault.secret(call.secret, of: call.project).versions.reversed()
          .filter { $0.isEnabled || !hidesDestroyed }
        return try call.page("versions", of: all.map { Self.json($0, call) })
      },
      vaultRoute(.get, Self.version) { call, vault in
        let secret = try vault.secret(call.secret, of: call.project)
        return Self.json(
          try SecretVault.version(call.parameter("version"), of: secret, call.secret),
          call
        )
      },
      vaultRoute(.get, Self.version + ":access", takes: .owner) { call, vault in
        let version = call.parameter("version")
        let value = try vault.value(call.secret, version: version, of: call.project)
        let secret = try vault.secret(call.secret, of: call.project)
        let number = try SecretVault.version(version, of: secret, call.secret).number
        return .object([
          "name": .string(call.versionName(number)),
          "payload": .object(["data": .string(Base64.standard(Array(value.utf8)))]),
        ])
      },
      vaultRoute(.post, Self.version + ":destroy") { call, vault in
        let version = call.parameter("version")
        try vault.destroy(call.secret, version: version, of: call.project)
        let secret = try vault.secret(call.secret, of: call.project)
        return Self.json(try SecretVault.version(version, of: secret, call.secret), call)
      },
    ]
  }

  /// Functions receive the secrets that their sources name, so there is nothing to grant.
  private var policies: [HTTPRoute] {
    [
      vaultRoute(.get, Self.one + ":getIamPolicy") { call, vault in
        _ = try vault.secret(call.secret, of: call.project)
        return Self.policy([])
      },
      vaultRoute(.post, Self.one + ":setIamPolicy") { call, vault in
        _ = try vault.secret(call.secret, of: call.project)
        let bindings = try call.body()["policy"]?["bindings"]?.elements ?? []
        let members = bindings.flatMap { $0["members"]?.elements ?? [] }.compactMap(\.string)
        guard members.allSatisfy({ $0.hasSuffix("gserviceaccount.com") }) else {
          throw ServiceError(
            .failedPrecondition,
            "Only functions can read secrets. Remove members that are not service accounts."
          )
        }
        return Self.policy(bindings)
      },
    ]
  }

  private static func policy(_ bindings: [JSONValue]) -> JSONValue {
    .object(["version": .integer(1), "etag": .string("BwAAAAAAAAA="), "bindings": .array(bindings)])
  }

  private func vaultRoute(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    takes role: AdministratorRole? = nil,
    _ answer: @escaping @Sendable (FunctionsCall, SecretVault) throws -> JSONValue
  ) -> HTTPRoute {
    route(method, pattern, takes: role) { call in
      try await environment.threads.run(on: .maintenance) { try answer(call, call.host.secrets) }
    }
  }

  // MARK: Forms

  private static func labels(_ body: JSONValue) throws(ServiceError) -> [String: String] {
    var labels: [String: String] = [:]
    for member in body["labels"]?.members ?? [] {
      guard let value = member.value.string, member.key.utf8.count <= 63, value.utf8.count <= 63
      else { throw .invalidArgument("A label must have a name and a value of up to 63 bytes.") }
      labels[member.key] = value
    }
    guard labels.count <= 64 else { throw .invalidArgument("A secret can have at most 64 labels.") }
    return labels
  }

  /// Returns true for the secrets of a filter of the form `labels.NAME=VALUE`.
  private static func matches(
    _ secret: FunctionSecret,
    _ filter: String?
  ) throws(ServiceError) -> Bool {
    guard let filter, !filter.isEmpty else { return true }
    let parts = filter.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].hasPrefix("labels.") else {
      throw .invalidArgument("A filter of secrets must have the form labels.NAME=VALUE.")
    }
    return secret.labels[String(parts[0].dropFirst(7))] == String(parts[1])
  }

  private static func json(
    _ secret: FunctionSecret,
    _ name: String,
    _ call: FunctionsCall
  ) -> JSONValue {
    let labels = secret.labels.sorted { $0.key < $1.key }
    return .object([
      "name": .string("projects/\(call.project)/secrets/\(name)"),
      "replication": .object(["automatic": .object([])]),
      "createTime": .string(FunctionForm.time(secret.created)),
      "labels": .object(labels.map { .init($0.key, .string($0.value)) }),
    ])
  }

  private static func json(
    _ version: FunctionSecret.Version,
    _ call: FunctionsCall
  ) -> JSONValue {
    .object([
      "name": .string(call.versionName(version.number)),
      "createTime": .string(FunctionForm.time(version.created)),
      "state": .string(version.isEnabled ? "ENABLED" : "DESTROYED"),
    ])
  }
}

extension FunctionsCall {
  fileprivate var secret: String { parameter("secret") }

  fileprivate func versionName(_ number: Int) -> String {
    "projects/\(project)/secrets/\(secret)/versions/\(number)"
  }
}

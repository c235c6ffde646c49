import Authentication
import BaseJSON
import BaseText
import HTTPTypes

// Resources below `/v2/projects/P`:
//
//     GET, PATCH                /config
//     GET, POST                 /oauthIdpConfigs, /inboundSamlConfigs, /defaultSupportedIdpConfigs
//     GET, PATCH, DELETE        the same with an id
//     *                         /tenants: refused by name

extension IdentityService {
  /// Answers a request for a resource of the project's configuration.
  func configuration(
    _ project: Text,
    _ segments: [String],
    _ envelope: IdentityEnvelope
  ) async throws -> IdentityAnswer {
    let accounts = accounts.project(project)
    switch (segments.first, segments.count) {
    case ("tenants"?, _):
      throw AccountError(.tenantsUnsupported, "Brasa does not support tenants.")
    case ("config"?, 1):
      let blocking = environment.blocking
      try await changeBlocking(of: project, envelope)
      let configuration = try await projectConfiguration(accounts, envelope)
      return .json(
        BlockingFunctionsJSON.add(
          try await blocking?.triggers(of: project.string) ?? [],
          to: configuration
        )
      )
    case (let collection?, 1...2):
      guard let resource = ProviderResource(collection: collection) else {
        throw IdentityFailure.notFound
      }
      return .json(
        try await provider(resource, segments.count == 2 ? segments[1] : nil, accounts, envelope)
      )
    default: throw IdentityFailure.notFound
    }
  }

  /// Has other functions decide where a change says so.
  private func changeBlocking(of project: Text, _ envelope: IdentityEnvelope) async throws {
    guard envelope.method == .patch else { return }
    let functions = environment.blocking
    let current = try await functions?.triggers(of: project.string) ?? []
    let uris = try BlockingFunctionsJSON.change(
      in: envelope.body,
      mask: UpdateMask(envelope),
      from: current
    )
    guard let uris else { return }
    guard let functions else {
      guard uris.isEmpty else {
        throw AccountError(
          .operationNotAllowed,
          "This server serves no functions. Start it with --functions."
        )
      }
      return
    }
    let wrong = try await functions.replaceTriggers(of: project.string, with: uris)
    guard let wrong else { return }
    throw IdentityFailure.invalid(
      "Invalid value at 'blockingFunctions.triggers.\(wrong).functionUri': no function for \(wrong) is deployed at that address."
    )
  }

  private func projectConfiguration(
    _ accounts: ProjectAccounts,
    _ envelope: IdentityEnvelope
  ) async throws -> JSONValue {
    switch envelope.method {
    case .get:
      let showsHashes = envelope.mayReadHashes
      let (configuration, hashes) = try await blocking {
        (try accounts.configuration(), showsHashes ? try accounts.knownPasswordParameters() : nil)
      }
      return ProjectConfigurationJSON.json(configuration, scope: accounts.scope, hashes: hashes)
    case .patch:
      let changed = try await blocking {
        try accounts.configure { configuration in
          try ProjectConfigurationJSON.apply(
            BlockingFunctionsJSON.rest(of: envelope.body),
            mask: UpdateMask(envelope),
            to: &configuration
          )
        }
      }
      return ProjectConfigurationJSON.json(changed, scope: accounts.scope)
    default: throw IdentityFailure.notFound
    }
  }

  private func provider(
    _ resource: ProviderResource,
    _ id: String?,
    _ accounts: ProjectAccounts,
    _ envelope: IdentityEnvelope
  ) async throws -> JSONValue {
    switch (envelope.method, id) {
    case (.get, nil): return try await providers(resource, accounts, envelope)
    case (.post, nil): return try await createProvider(resource, accounts, envelope)
    case (.get, let id?):
      let found = try await blocking { try accounts.provider(resource.kind, id) }
      guard let found else { throw AccountError(.configurationNotFound) }
      return resource.json(found, scope: accounts.scope, showsSecrets: envelope.mayReadHashes)
    case (.patch, let id?):
      let changed = try await blocking {
        try accounts.updateProvider(resource.kind, id) { provider in
          try resource.apply(envelope.body, mask: UpdateMask(envelope), to: &provider)
        }
      }
      return resource.json(
        changed,
        scope: accounts.scope,
        showsSecrets: envelope.mayReadHashes
      )
    case (.delete, let id?):
      try await blocking { try accounts.deleteProvider(resource.kind, id) }
      return .object([JSONValue.Member]())
    default: throw IdentityFailure.notFound
    }
  }

  private func createProvider(
    _ resource: ProviderResource,
    _ accounts: ProjectAccounts,
    _ envelope: IdentityEnvelope
  ) async throws -> JSONValue {
    guard let id = envelope.parameter(resource.idParameter), !id.isEmpty else {
      throw IdentityFailure.code("MISSING_PROVIDER_ID")
    }
    var provider = ProviderConfiguration(kind: resource.kind, id: id)
    try resource.apply(envelope.body, mask: nil, to: &provider)
    try resource.checkComplete(provider)
    let made = provider
    try await blocking {
      _ = try accounts.configuration()
      try accounts.add(made)
    }
    return resource.json(made, scope: accounts.scope, showsSecrets: envelope.mayReadHashes)
  }

  /// A page of providers; the token is the last id of the page before.
  private func providers(
    _ resource: ProviderResource,
    _ accounts: ProjectAccounts,
    _ envelope: IdentityEnvelope
  ) async throws -> JSONValue {
    let size = try envelope.number("pageSize", default: 20, in: 1...100)
    let after = Text(envelope.parameter("pageToken") ?? "")
    let all = try await blocking { try accounts.providers(resource.kind) }
    let rest = all.filter { after < Text($0.id) }
    let page = rest.prefix(size)
    var answer = AnswerBuilder()
    answer.put(
      resource.collection,
      page.map {
        resource.json($0, scope: accounts.scope, showsSecrets: envelope.mayReadHashes)
      }
    )
    answer.put("nextPageToken", rest.count > size ? page.last?.id : nil)
    return answer.json
  }
}

/// The fields that a change names; every field of the body when it names none.
struct UpdateMask: Sendable {
  private let paths: [String]

  /// The parameter `updateMask`, a comma list; nil without one.
  init?(_ envelope: IdentityEnvelope) {
    guard let text = envelope.parameter("updateMask"), !text.isEmpty else { return nil }
    paths = text.split(separator: ",").map { part in
      part.split(separator: ".").map { String(camelCase($0)) }.joined(separator: ".")
    }
  }

  /// Returns true if the mask covers a change of that field: it names the field, a part of it, or
  /// something that holds it.
  func names(_ path: String) -> Bool {
    paths.contains { $0 == path || $0.hasPrefix(path + ".") || path.hasPrefix($0 + ".") }
  }
}

/// `client_id` as `clientId`.
private func camelCase(_ name: Substring) -> String {
  let parts = name.split(separator: "_")
  guard let first = parts.first else { return String(name) }
  return parts.dropFirst().reduce(String(first)) {
    $0 + $1.prefix(1).uppercased() + $1.dropFirst()
  }
}

/// Walks the JSON of a change: each known field is read once, and remaining ones are unknown.
struct ChangeReader {
  private let values: [String: JSONValue]
  private let mask: UpdateMask?
  private var asked: Set<String> = []

  /// Flattens the body to paths; objects that are fields themselves are named by `whole`.
  init(_ body: JSONValue, mask: UpdateMask?, whole: Set<String> = []) throws {
    var values: [String: JSONValue] = [:]
    try Self.flatten(body, "", whole, into: &values)
    self.values = values
    self.mask = mask
  }

  private static func flatten(
    _ json: JSONValue,
    _ prefix: String,
    _ whole: Set<String>,
    into values: inout [String: JSONValue]
  ) throws {
    guard case .object(let members) = json else {
      throw IdentityFailure.invalid("Invalid JSON payload received. Expected an object.")
    }
    for member in members {
      let path = prefix + camelCase(Substring(member.key))
      if case .object = member.value, !whole.contains(path) {
        try flatten(member.value, path + ".", whole, into: &values)
      } else {
        values[path] = member.value
      }
    }
  }

  /// The requested change of the field: nil leaves it; null, or a field that only the mask names,
  /// clears.
  private mutating func value(_ path: String) -> JSONValue?? {
    asked.insert(path)
    if let mask, !mask.names(path) { return nil }
    guard let value = values[path] else {
      return mask == nil || !(mask?.names(path) ?? false) ? nil : .some(nil)
    }
    return .some(value == .null ? nil : value)
  }

  mutating func text(_ path: String, _ set: (String?) throws -> Void) throws {
    guard let value = value(path) else { return }
    switch value {
    case nil: try set(nil)
    case .string(let text)?: try set(text.isEmpty ? nil : text)
    default: throw invalid(path, "TYPE_STRING")
    }
  }

  mutating func flag(_ path: String, _ set: (Bool) -> Void) throws {
    guard let value = value(path) else { return }
    switch value {
    case nil: set(false)
    case .boolean(let flag)?: set(flag)
    default: throw invalid(path, "TYPE_BOOL")
    }
  }

  mutating func number(_ path: String, _ set: (Int?) -> Void) throws {
    guard let value = value(path) else { return }
    switch value {
    case nil: set(nil)
    case .number(let text)?, .string(let text)?:
      guard let number = Int(text) else { throw invalid(path, "TYPE_INT32") }
      set(number)
    default: throw invalid(path, "TYPE_INT32")
    }
  }

  mutating func array(_ path: String, _ set: ([JSONValue]) throws -> Void) throws {
    guard let value = value(path) else { return }
    switch value {
    case nil: try set([])
    case .array(let elements)?: try set(elements)
    default: throw invalid(path, "TYPE_MESSAGE")
    }
  }

  /// Passes over fields that the server gives and does not take.
  mutating func pass(_ paths: String...) { asked.formUnion(paths) }

  /// Refuses unsolicited requests.
  func finish() throws {
    guard let unknown = values.keys.filter({ !asked.contains($0) }).min() else { return }
    throw IdentityFailure.invalid(
      "Invalid JSON payload received. Unknown name \"\(unknown.prefix(100))\": Cannot find field."
    )
  }

  private func invalid(_ path: String, _ type: String) -> IdentityFailure {
    .invalid("Invalid value at '\(path)' (\(type))")
  }
}

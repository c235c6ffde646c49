import BaseJSON
import BaseStatus
import FirestoreWire
import Foundation
import FunctionHost

/// The two forms of a function's resource: `CloudFunction` of v1 and `Function` of v2.
enum FunctionForm: String, CaseIterable, Sendable {
  case v1, v2

  /// The label by which the CLI marks the codebase.
  private static let codebaseLabel = "firebase-functions-codebase"

  /// Returns true for the form that a function is listed in.
  func shows(_ function: DeployedFunction) -> Bool {
    function.endpoint.isSecondGeneration == (self == .v2)
  }

  private var environmentPath: ArraySlice<String> {
    self == .v1 ? ["environmentVariables"] : ["serviceConfig", "environmentVariables"]
  }

  private var secretsPath: ArraySlice<String> {
    self == .v1 ? ["secretEnvironmentVariables"] : ["serviceConfig", "secretEnvironmentVariables"]
  }

  // MARK: What clients send

  /// The name of the upload that a resource is to be deployed from; nil where it names none.
  func upload(in resource: JSONValue) -> String? {
    if self == .v1 {
      return resource["sourceUploadUrl"]?.string.flatMap(UploadRoutes.name(ofURL:))
    }
    let object = resource[["buildConfig", "source", "storageSource", "object"][...]]?.string
    return object.flatMap { $0.hasSuffix(".zip") ? String($0.dropLast(4)) : nil }
  }

  /// The function of a resource, as the host deploys it.
  func release(
    _ resource: JSONValue,
    _ name: String,
    _ region: String,
    _ project: String,
    codebase: String?
  ) throws(ServiceError) -> FunctionRelease {
    let labelled = resource["labels"]?[Self.codebaseLabel]?.string
    var release = FunctionRelease(
      project: project,
      codebase: codebase ?? labelled ?? "default",
      name: name,
      region: region,
      resource: kept(resource).compact
    )
    for member in resource[environmentPath]?.members ?? [] {
      guard let value = member.value.string, EnvironmentFile.isName(member.key) else {
        throw .invalidArgument(
          "The variable \(member.key.prefix(80)) needs a valid name and a string."
        )
      }
      // Each function has one of its own, which the host sets.
      if member.key != "EVENTARC_CLOUD_EVENT_SOURCE" { release.values[member.key] = value }
    }
    for entry in resource[secretsPath]?.elements ?? [] {
      if let key = entry["key"]?.string, let version = entry["version"]?.string {
        release.secretVersions[key] = version
      }
    }
    return release
  }

  /// A resource without what only the server says.
  private func kept(_ resource: JSONValue) -> JSONValue {
    let output: Set<String> = [
      "name", "state", "status", "updateTime", "url", "environment", "sourceUploadUrl",
      "sourceToken", "versionId", "buildId",
    ]
    return .object((resource.members ?? []).filter { !output.contains($0.key) })
  }

  /// A resource with the fields of a mask replaced by those of another one, which may have none of them.
  static func merged(
    _ resource: JSONValue,
    with change: JSONValue,
    mask: String?
  ) throws(ServiceError) -> JSONValue {
    guard let mask, !mask.isEmpty else { return change }
    var merged = resource
    let paths = mask.split(separator: ",")
    guard paths.count <= 200 else { throw .invalidArgument("The updateMask is too long.") }
    for text in paths {
      let path = text.split(separator: ".").map { camelCase($0) }
      guard (1...6).contains(path.count) else {
        throw .invalidArgument("The updateMask names \(text.prefix(80)), which is not a field.")
      }
      let value = change[path[...]]
      if value == nil, merged[path[...]] == nil { continue }
      guard merged.set(value ?? .null, at: path[...]) else {
        throw .invalidArgument("The updateMask names \(text.prefix(80)), which is not a field.")
      }
    }
    return merged
  }

  private static func camelCase(_ name: Substring) -> String {
    let words = name.split(separator: "_", omittingEmptySubsequences: false)
    return words.dropFirst().reduce(String(words[0])) {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
  }

  // MARK: What clients read

  /// The resource of a deployed function.
  ///
  /// - Parameter showsValues: False leaves out the values of the environment.
  func json(
    _ function: DeployedFunction,
    project: String,
    origin: String,
    showsValues: Bool
  ) throws -> JSONValue {
    let stored = try function.resource.map { try JSONParser.parse(Array($0.utf8)) }
    var resource = stored ?? described(function, project)
    let name = function.endpoint.name
    let path = "projects/\(project)/locations/\(function.region)/functions/\(name)"
    let url = JSONValue.string("\(origin)/\(project)/\(function.region)/\(name)")
    func put(_ value: JSONValue, _ path: String...) { _ = resource.set(value, at: path[...]) }
    put(.string(path), "name")
    put(.string(Self.time(function.updated)), "updateTime")
    if self == .v1 {
      put(.string("ACTIVE"), "status")
      if resource["httpsTrigger"] != nil { put(url, "httpsTrigger", "url") }
    } else {
      let service = "projects/\(project)/locations/\(function.region)/services/\(name)"
      put(.string("ACTIVE"), "state")
      put(.string("GEN_2"), "environment")
      put(url, "url")
      put(url, "serviceConfig", "uri")
      put(.string(service), "serviceConfig", "service")
    }
    return showsValues ? resource : Self.withoutValues(resource)
  }

  /// The members of both forms whose values are environments of the function or of its build.
  private static let environments: Set<String> = [
    "environmentVariables", "buildEnvironmentVariables",
  ]

  /// A resource with empty environments, wherever it has one: it may be of the other form, or hold what no form knows.
  private static func withoutValues(_ resource: JSONValue) -> JSONValue {
    guard let members = resource.members else { return resource }
    return .object(
      members.map { member in
        environments.contains(member.key)
          ? .init(member.key, .object([])) : .init(member.key, withoutValues(member.value))
      }
    )
  }

  /// The resource of a function that was deployed with its whole codebase.
  private func described(_ function: DeployedFunction, _ project: String) -> JSONValue {
    let endpoint = function.endpoint
    var labels: [JSONValue.Member] = []
    if function.codebase != "default" {
      labels.append(.init(Self.codebaseLabel, .string(function.codebase)))
    }
    if let label = Self.label(of: endpoint.trigger) {
      labels.append(.init(label.name, .string(label.value)))
    }
    var members: [JSONValue.Member] = labels.isEmpty ? [] : [.init("labels", .object(labels))]
    if self == .v2 {
      members += [
        .init(
          "buildConfig",
          .object([
            "runtime": .string("python3"), "entryPoint": .string(endpoint.entryPoint),
            "source": .object([]),
          ])
        ),
        .init("serviceConfig", .object(limits(function, project))),
      ]
      if case .event(let event) = endpoint.trigger {
        members.append(.init("eventTrigger", Self.trigger(event, region: function.region)))
      }
      return .object(members)
    }
    members += [
      .init("entryPoint", .string(endpoint.entryPoint)), .init("runtime", .string("python3")),
    ]
    members += limits(function, project)
    if case .event(let event) = endpoint.trigger {
      members.append(.init("eventTrigger", Self.firstGenerationTrigger(event)))
    } else {
      members.append(.init("httpsTrigger", .object([])))
    }
    return .object(members)
  }

  private static func label(
    of trigger: FunctionEndpoint.Trigger
  ) -> (name: String, value: String)? {
    switch trigger {
    case .http, .event: nil
    case .callable: ("deployment-callable", "true")
    case .schedule: ("deployment-scheduled", "true")
    case .taskQueue: ("deployment-taskqueue", "true")
    case .blocking(let type, _):
      (
        "deployment-blocking",
        type.hasSuffix("beforeCreate") ? "before-create" : "before-sign-in"
      )
    }
  }

  private func limits(_ function: DeployedFunction, _ project: String) -> [JSONValue.Member] {
    let endpoint = function.endpoint
    var members: [JSONValue.Member] = [
      .init("ingressSettings", .string("ALLOW_ALL")),
      .init(
        "environmentVariables",
        .object(
          function.values.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) }
        )
      ),
    ]
    let secrets = endpoint.secrets.sorted { $0.key < $1.key }.map { key, secret in
      JSONValue.object([
        "key": .string(key), "projectId": .string(project), "secret": .string(secret),
        "version": .string("latest"),
      ])
    }
    if !secrets.isEmpty {
      members.append(.init("secretEnvironmentVariables", .array(secrets)))
    }
    if self == .v1 {
      return members + [
        .init("availableMemoryMb", .integer(endpoint.memoryMegabytes)),
        .init("timeout", .string("\(endpoint.timeoutSeconds)s")),
        .init("minInstances", .integer(endpoint.minInstances)),
        .init("maxInstances", .integer(endpoint.maxInstances)),
      ]
    }
    return members + [
      .init("availableMemory", .string("\(endpoint.memoryMegabytes)Mi")),
      .init("timeoutSeconds", .integer(endpoint.timeoutSeconds)),
      .init("minInstanceCount", .integer(endpoint.minInstances)),
      .init("maxInstanceCount", .integer(endpoint.maxInstances)),
      .init("maxInstanceRequestConcurrency", .integer(endpoint.concurrency)),
      .init("availableCpu", .string("1")),
    ]
  }

  private static func trigger(_ event: FunctionEndpoint.EventTrigger, region: String) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("triggerRegion", .string(region)), .init("eventType", .string(event.eventType)),
    ]
    let plain = event.filters.filter { $0.key != "topic" }
    let filters =
      plain.sorted { $0.key < $1.key }.map { filter($0.key, $0.value, operator: nil) }
      + event.pathPatterns.sorted { $0.key < $1.key }.map {
        filter($0.key, $0.value, operator: "match-path-pattern")
      }
    members.append(.init("eventFilters", .array(filters)))
    if let topic = event.filters["topic"] { members.append(.init("pubsubTopic", .string(topic))) }
    if let channel = event.channel { members.append(.init("channel", .string(channel))) }
    let policy = event.retries ? "RETRY_POLICY_RETRY" : "RETRY_POLICY_DO_NOT_RETRY"
    members.append(.init("retryPolicy", .string(policy)))
    return .object(members)
  }

  private static func firstGenerationTrigger(
    _ event: FunctionEndpoint.EventTrigger
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("eventType", .string(event.eventType)),
      .init("resource", .string(event.filters["resource"] ?? "")),
    ]
    if event.retries {
      members.append(.init("failurePolicy", .object(["retry": .object([])])))
    }
    return .object(members)
  }

  private static func filter(
    _ attribute: String,
    _ value: String,
    operator name: String?
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("attribute", .string(attribute)), .init("value", .string(value)),
    ]
    if let name { members.append(.init("operator", .string(name))) }
    return .object(members)
  }

  static func time(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: seconds).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    )
  }
}

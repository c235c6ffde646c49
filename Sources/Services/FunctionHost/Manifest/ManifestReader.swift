import BaseJSON
import BaseStatus

/// Reads a manifest that foreign code wrote, and refuses everything that is not one.
package struct ManifestReader {
  /// The most functions of a codebase.
  package static let mostEndpoints = 200
  /// The longest manifest.
  package static let longestText = 4 << 20
  /// The region of functions that name none.
  package static let defaultRegion = "us-central1"

  private let values: [String: String]

  /// Reads a manifest, with these values for its parameters; throws INVALID_ARGUMENT that names the field.
  package static func read(
    _ document: JSONValue,
    values: [String: String]
  ) throws(ServiceError) -> FunctionManifest {
    guard document["specVersion"]?.string == "v1alpha1" else {
      throw .invalidArgument(
        "The manifest's specVersion is not v1alpha1. Update the firebase-functions package of the source."
      )
    }
    var manifest = FunctionManifest()
    for entry in document["params"]?.elements ?? [] {
      manifest.parameters.append(try parameter(entry))
    }
    var values = values
    for parameter in manifest.parameters where values[parameter.name] == nil {
      values[parameter.name] = parameter.fallback
    }
    let reader = ManifestReader(values: values)
    let endpoints = document["endpoints"]?.members ?? []
    guard endpoints.count <= mostEndpoints else {
      throw .invalidArgument(
        "A codebase can have at most \(mostEndpoints) functions, and this one has \(endpoints.count). Split it."
      )
    }
    for member in endpoints where member.value["omit"]?.boolean != true {
      manifest.endpoints.append(try reader.endpoint(member.key, member.value))
    }
    guard Set(manifest.endpoints.map(\.name)).count == manifest.endpoints.count else {
      throw .invalidArgument("The manifest has two functions with the same name.")
    }
    return manifest
  }

  private static func parameter(_ entry: JSONValue) throws(ServiceError) -> FunctionParameter {
    guard let name = entry["name"]?.string, EnvironmentFile.isName(name) else {
      throw .invalidArgument("The name of a parameter in the manifest is not valid.")
    }
    var fallback: String?
    switch entry["default"] {
    case .string(let text)?: fallback = text
    case .number(let digits)?: fallback = digits
    case .boolean(let flag)?: fallback = flag ? "true" : "false"
    case .array?, .object?: fallback = entry["default"]?.compact
    case .null?, nil: fallback = nil
    }
    if let text = fallback, text.contains("{{") { fallback = nil }
    return FunctionParameter(
      name: name,
      isSecret: entry["type"]?.string == "secret",
      fallback: fallback
    )
  }

  /// Returns true if a text is a function's name: one that URLs, folders and logs can carry.
  package static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...63).contains(bytes.count), let first = bytes.first, isLetter(first) else {
      return false
    }
    return bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == 45 || $0 == 95 }
  }

  /// Returns true if a text is a region's name, such as `southamerica-east1`.
  package static func isRegion(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...40).contains(bytes.count), bytes.contains(45) else { return false }
    return bytes.allSatisfy { (97...122).contains($0) || isDigit($0) || $0 == 45 }
  }

  private static func isEntryPoint(_ text: String) -> Bool {
    (1...200).contains(text.utf8.count)
      && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 46 || $0 == 95 || $0 == 45 }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (65...90).contains(byte) || (97...122).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  // MARK: One endpoint

  private func endpoint(
    _ name: String,
    _ value: JSONValue
  ) throws(ServiceError) -> FunctionEndpoint {
    guard Self.isName(name) else {
      throw .invalidArgument(
        "\"\(name.prefix(80))\" is not a valid function name. Use at most 63 letters, digits, - and _, beginning with a letter."
      )
    }
    let entryPoint = value["entryPoint"]?.string ?? name
    guard Self.isEntryPoint(entryPoint) else {
      throw .invalidArgument("The entryPoint of \(name) is not a valid name.")
    }
    let isSecond = value["platform"]?.string != "gcfv1"
    let trigger = try trigger(of: name, value)
    let longest = if case .event = trigger { 540 } else { 3_600 }
    let most = try number(value["maxInstances"], of: name, "maxInstances", 0...3_000) ?? 0
    let least = try number(value["minInstances"], of: name, "minInstances", 0...1_000) ?? 0
    return FunctionEndpoint(
      name: name,
      entryPoint: entryPoint,
      regions: try regions(of: name, value["region"]),
      isSecondGeneration: isSecond,
      trigger: trigger,
      isPrivate: Self.isPrivate(value["httpsTrigger"]?["invoker"]),
      memoryMegabytes: try number(
        value["availableMemoryMb"],
        of: name,
        "availableMemoryMb",
        16...32_768
      ) ?? 256,
      timeoutSeconds: try number(value["timeoutSeconds"], of: name, "timeoutSeconds", 1...longest)
        ?? 60,
      minInstances: least,
      maxInstances: most == 0 ? 100 : most,
      concurrency: try number(value["concurrency"], of: name, "concurrency", 1...1_000)
        ?? (isSecond ? 80 : 1),
      secrets: try secrets(of: name, value["secretEnvironmentVariables"]),
      variables: try texts(value["environmentVariables"], of: name, "environmentVariables")
    )
  }

  /// True for a list of callers of a function that is not public.
  private static func isPrivate(_ invoker: JSONValue?) -> Bool {
    let names = invoker?.elements?.compactMap(\.string) ?? [invoker?.string].compactMap(\.self)
    return !names.isEmpty && !names.contains("public")
  }

  private func regions(of name: String, _ value: JSONValue?) throws(ServiceError) -> [String] {
    var regions: [String] = []
    switch value {
    case .array(let elements)?:
      for element in elements { regions.append(try text(element, of: name, "region")) }
    case .string?: regions = [try text(value, of: name, "region")]
    default: break
    }
    if regions.isEmpty { return [Self.defaultRegion] }
    guard regions.count <= 50, regions.allSatisfy(Self.isRegion) else {
      throw .invalidArgument("A region of \(name) is not valid. Use a name such as us-central1.")
    }
    return regions
  }

  private func secrets(
    of name: String,
    _ value: JSONValue?
  ) throws(ServiceError) -> [String: String] {
    var secrets: [String: String] = [:]
    for entry in value?.elements ?? [] {
      guard let key = entry["key"]?.string, EnvironmentFile.isName(key) else {
        throw .invalidArgument("The key of a secret of \(name) is not valid.")
      }
      let secret = entry["secret"]?.string ?? key
      guard EnvironmentFile.isName(secret) else {
        throw .invalidArgument("The name of the secret for \(key) in \(name) is not valid.")
      }
      secrets[key] = secret
    }
    return secrets
  }

  private func trigger(
    of name: String,
    _ value: JSONValue
  ) throws(ServiceError) -> FunctionEndpoint.Trigger {
    var found: [FunctionEndpoint.Trigger] = []
    if value["httpsTrigger"]?.members != nil { found.append(.http) }
    if value["callableTrigger"]?.members != nil { found.append(.callable) }
    if let event = value["eventTrigger"], event.members != nil {
      found.append(.event(try eventTrigger(of: name, event)))
    }
    if let schedule = value["scheduleTrigger"], schedule.members != nil {
      let zone = schedule["timeZone"]?.string
      found.append(
        .schedule(
          FunctionEndpoint.ScheduleTrigger(
            schedule: try text(schedule["schedule"], of: name, "schedule"),
            timeZone: zone?.isEmpty == false ? zone : nil,
            retry: schedule["retryConfig"]
          )
        )
      )
    }
    if let queue = value["taskQueueTrigger"], queue.members != nil {
      found.append(.taskQueue(retry: queue["retryConfig"], rateLimits: queue["rateLimits"]))
    }
    if let blocking = value["blockingTrigger"], blocking.members != nil {
      let type = try text(blocking["eventType"], of: name, "eventType")
      found.append(.blocking(eventType: type, options: blocking["options"]))
    }
    guard found.count == 1, let trigger = found.first else {
      throw .invalidArgument(
        "\(name) has \(found.count) triggers in the manifest; a function has exactly one."
      )
    }
    return trigger
  }

  private func eventTrigger(
    of name: String,
    _ value: JSONValue
  ) throws(ServiceError) -> FunctionEndpoint.EventTrigger {
    var trigger = FunctionEndpoint.EventTrigger(
      eventType: try text(value["eventType"], of: name, "eventType")
    )
    trigger.filters = try texts(value["eventFilters"], of: name, "eventFilters")
    trigger.pathPatterns = try texts(
      value["eventFilterPathPatterns"],
      of: name,
      "eventFilterPathPatterns"
    )
    trigger.channel = value["channel"]?.string
    trigger.retries = value["retry"]?.boolean ?? false
    return trigger
  }

  // MARK: Values

  private func texts(
    _ value: JSONValue?,
    of name: String,
    _ field: String
  ) throws(ServiceError) -> [String: String] {
    var texts: [String: String] = [:]
    for member in value?.members ?? [] {
      texts[member.key] = try text(member.value, of: name, field)
    }
    return texts
  }

  private func text(
    _ value: JSONValue?,
    of name: String,
    _ field: String
  ) throws(ServiceError) -> String {
    guard let text = value?.string, text.utf8.count <= 2_000, !text.utf8.contains(0) else {
      throw .invalidArgument("The \(field) of \(name) must be a string of at most 2,000 bytes.")
    }
    return try resolved(text, of: name, field)
  }

  private func number(
    _ value: JSONValue?,
    of name: String,
    _ field: String,
    _ range: ClosedRange<Int>
  ) throws(ServiceError) -> Int? {
    let number: Int?
    switch value {
    case nil, .null?: return nil
    case .string(let text)?: number = Int(try resolved(text, of: name, field))
    default: number = value?.integer.flatMap { Int(exactly: $0) }
    }
    guard let number, range.contains(number) else {
      throw .invalidArgument(
        "The \(field) of \(name) must be between \(range.lowerBound) and \(range.upperBound)."
      )
    }
    return number
  }

  /// Replaces `{{ params.NAME }}` by the parameter's value.
  private func resolved(
    _ text: String,
    of name: String,
    _ field: String
  ) throws(ServiceError) -> String {
    var result = ""
    var rest = text[...]
    while let open = rest.firstRange(of: "{{") {
      guard let close = rest[open.upperBound...].firstRange(of: "}}") else { break }
      let inside = rest[open.upperBound..<close.lowerBound].filter { $0 != " " }
      guard inside.hasPrefix("params."), let value = values[String(inside.dropFirst(7))] else {
        throw .invalidArgument(
          "The \(field) of \(name) is \(text), and that parameter has no value: add it to .env."
        )
      }
      result += rest[..<open.lowerBound] + value
      rest = rest[close.upperBound...]
    }
    return result + rest
  }
}

import BaseJSON
import BaseStatus
import ConfigTemplates
import FirestoreModel
import FirestoreWire
import HTTPTypes
import ServiceModule

/// The template API: decodes, makes one call of the service and encodes.
///
/// Calls block.
struct TemplateManagement {
  let templates: ConfigTemplates

  func get(_ call: TemplateCall) throws -> ServiceResponse {
    if let number = try call.number("versionNumber", "version_number"), number > 0 {
      let (template, version) = try templates.version(number, of: call.id)
      return Self.response(template, version, call.id)
    }
    guard let served = try templates.load(call.id) else {
      return Self.response(.object([]), call.id.etag(0))
    }
    return Self.response(served.template, served.version, call.id)
  }

  func put(_ call: TemplateCall) throws -> ServiceResponse {
    let precondition = try precondition(call)
    let template = try ConfigTemplate(json: try call.body())
    if try call.flag("validateOnly", "validate_only") {
      try templates.validate(template, of: call.id, precondition)
      return Self.response(template.json, call.id.etag(0))
    }
    let served = try templates.publish(template, of: call.id, precondition, by: call.publisher)
    return Self.response(served.template, served.version, call.id)
  }

  private func precondition(_ call: TemplateCall) throws(ServiceError) -> TemplatePrecondition {
    guard var etag = call.request.headers[.ifMatch]?[...], !etag.isEmpty else {
      throw .invalidArgument(
        "If-Match is missing. Send the etag of the version to replace, or \"*\"."
      )
    }
    if etag == "*" { return .none }
    if etag.hasPrefix("W/") { etag = etag.dropFirst(2) }
    if etag.count >= 2, etag.first == "\"", etag.last == "\"" { etag = etag.dropFirst().dropLast() }
    return .etag(String(etag))
  }

  /// The number is in the body or, as the Firebase CLI has it, in the URL.
  func rollBack(_ call: TemplateCall) throws -> ServiceResponse {
    let member = try call.body()["versionNumber"]
    let inBody = member?.integer ?? member?.string.flatMap(Int64.init)
    guard let number = try inBody ?? call.number("versionNumber", "version_number"), number > 0
    else { throw ServiceError.invalidArgument("versionNumber is missing.") }
    let served = try templates.rollBack(call.id, to: number, by: call.publisher)
    return Self.response(served.template, served.version, call.id)
  }

  /// The page's token is the number of its first version.
  func listVersions(_ call: TemplateCall) throws -> ServiceResponse {
    let size = Int(try call.number("pageSize", "page_size") ?? 0)
    guard size <= TemplateLimits.versions else {
      throw ServiceError.invalidArgument("pageSize must be at most \(TemplateLimits.versions).")
    }
    let count = size == 0 ? 10 : size
    let ends = [
      try call.number("endVersionNumber", "end_version_number"),
      try call.number("pageToken", "page_token"),
    ]
    let bound = ends.compactMap(\.self).filter { $0 > 0 }.min() ?? .max
    let (start, end) = (try time("startTime", of: call), try time("endTime", of: call))
    let kept = try templates.versions(of: call.id, atMost: bound, count: .max).filter {
      (start.map { [time = $0.updateTime] in $0 <= time } ?? true)
        && (end.map { [time = $0.updateTime] in time < $0 } ?? true)
    }
    let next = kept.dropFirst(count).first.map { JSONValue.string("\($0.number)") }
    return .json(
      JSONValue.members([
        ("versions", .array(kept.prefix(count).map(\.json))), ("nextPageToken", next),
      ])
    )
  }

  private func time(_ name: String, of call: TemplateCall) throws(ServiceError) -> Int64? {
    guard let text = call.parameter(name, name == "startTime" ? "start_time" : "end_time") else {
      return nil
    }
    guard let instant = TimestampText.parse(text) else {
      throw .invalidArgument(
        "Invalid value at '\(name)': \"\(text.prefix(40))\" is not a valid time."
      )
    }
    return instant.microseconds
  }

  func downloadDefaults(_ call: TemplateCall) throws -> ServiceResponse {
    let name = call.parameter("format", "format") ?? ""
    guard let format = DefaultsFile(rawValue: name.uppercased()) else {
      throw ServiceError.invalidArgument("format must be JSON, XML or PLIST.")
    }
    let values = (try templates.load(call.id))?.template.defaults ?? []
    return ServiceResponse(
      headers: [.contentType: format.contentType],
      body: .bytes(Array(format.text(of: values).utf8))
    )
  }

  func serverTemplate(_ call: TemplateCall) throws -> ServiceResponse {
    guard call.id.namespace == .server else {
      throw ServiceError(.notFound, "Back ends can read only the namespace \"firebase-server\".")
    }
    guard let served = try templates.load(call.id) else {
      return Self.response(.object([]), call.id.etag(0))
    }
    return Self.response(
      served.serverJSON(version: served.version.json),
      call.id.etag(served.version.number)
    )
  }

  // MARK: Encoding

  static func response(
    _ template: ConfigTemplate,
    _ version: TemplateVersion,
    _ id: TemplateID
  ) -> ServiceResponse {
    let members = template.json.members ?? []
    return response(
      .object(members + [.init("version", version.json)]),
      id.etag(version.number)
    )
  }

  static func response(_ json: JSONValue, _ etag: String) -> ServiceResponse {
    var response = ServiceResponse.json(json)
    response.headers[.eTag] = etag
    return response
  }
}

extension ServiceResponse {
  /// A JSON response.
  static func json(_ json: JSONValue) -> ServiceResponse { .json(Array(json.compact.utf8)) }
}

extension TemplateVersion {
  /// The version as the API has it.
  package var json: JSONValue {
    let instant = Timestamp(microseconds: updateTime)
    return json(time: TimestampText.format(seconds: instant.seconds, nanos: instant.nanos))
  }
}

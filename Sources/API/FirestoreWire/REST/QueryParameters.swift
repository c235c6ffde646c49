import BaseJSON
import BaseStatus
import BaseText

/// The parameters behind a URL's question mark, decoded, in their order.
package struct QueryParameters: Sendable {
  /// The parameters of Google's front end, for every method; they change nothing here.
  private static let system: Set<String> = [
    "$.xgafv", "$alt", "$callback", "$fields", "$key", "$prettyPrint", "$quotaUser",
    "$userProject", "access_token", "alt", "callback", "fields", "key", "oauth_token", "pp",
    "prettyPrint", "quotaUser", "uploadType", "upload_protocol", "userProject",
  ]

  /// Without the system parameters.
  package let parameters: [(name: String, value: String)]
  /// The system parameter `key`, by which a client names its project; nil without one.
  package let apiKey: String?

  /// Reads a raw query; nil and empty have no parameters.
  package init(_ query: String?) throws(ServiceError) {
    var parameters: [(name: String, value: String)] = []
    var apiKey: String?
    for part in (query ?? "").split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = halves.count > 1 ? halves[1] : ""
      guard let name = PercentEncoding.decode(halves[0], plusIsSpace: true),
        let value = PercentEncoding.decode(value, plusIsSpace: true)
      else { throw .invalidArgument("The URL's query has a malformed escape: \"\(part)\".") }
      if name == "key" || name == "$key" { apiKey = value }
      if !Self.system.contains(name) { parameters.append((name: name, value: value)) }
    }
    self.parameters = parameters
    self.apiKey = apiKey
  }

  /// Returns the error for a parameter that no field takes.
  static func unknown(_ name: String) -> ServiceError {
    ServiceError.badRequest(
      "Invalid JSON payload received. Unknown name \"\(name)\": Cannot bind query parameter. "
        + "Field '\(name)' could not be found in request message.",
      field: ""
    )
  }

  /// Sets the parameters as fields of a message's JSON; the named fields are the path's or the
  /// body's and cannot be set.
  func bind(
    to json: inout JSONValue,
    of message: MessageSchema,
    except taken: Set<String>
  ) throws(ServiceError) {
    for (name, value) in parameters {
      let path = try Self.resolve(name, in: message, except: taken)
      let converted = try Self.convert(value, path, name)
      let names = path.map(\.name)
      let isSet =
        path.last?.isRepeated == true
        ? json.append(converted, at: names[...]) : json.set(converted, at: names[...])
      if !isSet { throw Self.unknown(name) }
    }
  }

  private static func resolve(
    _ name: String,
    in message: MessageSchema,
    except taken: Set<String>
  ) throws(ServiceError) -> [MessageSchema.Field] {
    var path: [MessageSchema.Field] = []
    var schema: MessageSchema? = message
    for part in name.split(separator: ".", omittingEmptySubsequences: false) {
      guard let field = schema?[String(part)] else { throw unknown(name) }
      path.append(field)
      schema = nil
      if case .message(let type) = field.kind, WellKnownJSON(type) == nil, !field.isRepeated {
        schema = SchemaRegistry.shared.message(type)
      }
    }
    // A message or a map cannot be written in a query.
    guard schema == nil, path.last?.isMap == false, !taken.contains(path[0].name)
    else { throw unknown(name) }
    return path
  }

  private static func convert(
    _ value: String,
    _ path: [MessageSchema.Field],
    _ name: String
  ) throws(ServiceError) -> JSONValue {
    guard case .bool? = path.last?.kind else { return .string(value) }
    switch value {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default:
      throw ServiceError.badRequest(
        "Invalid value at '\(path.map(\.name).joined(separator: "."))' (TYPE_BOOL), \"\(value)\"",
        field: name
      )
    }
  }
}

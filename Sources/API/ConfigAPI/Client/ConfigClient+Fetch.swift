import BaseJSON
import BaseStatus
import ConfigTemplates
import FirestoreWire

extension ConfigClient {
  /// Properties and signals that are read of a request; the others are ignored.
  private static let maximumProperties = 500
  /// Characters of one of them.
  private static let maximumLength = 2_000

  /// Reads the body of a fetch; members of other names are ignored, as Google's service does.
  init(fetch body: JSONValue, userAgent: String?) throws(ServiceError) {
    self.init()
    appID = try Self.text("app_id", of: body)
    installationID = try Self.text("app_instance_id", of: body)
    appVersion = try Self.text("app_version", of: body)
    appBuild = try Self.text("app_build", of: body)
    country = try Self.text("country_code", of: body)
    language = try Self.text("language_code", of: body)
    userProperties = try Self.texts("analytics_user_properties", of: body)
    customSignals = try Self.texts("custom_signals", of: body)
    if let text = try Self.text("first_open_time", of: body), !text.isEmpty {
      guard let instant = TimestampText.parse(text) else {
        throw .invalidArgument(
          "Invalid value at 'first_open_time': \"\(text)\" is not a valid time."
        )
      }
      firstOpenTime = instant.microseconds
    }
    self.userAgent = userAgent
  }

  private static func text(_ name: String, of body: JSONValue) throws(ServiceError) -> String? {
    switch body[name] {
    case .string(let text)?: return try checked(text, name)
    case .number(let digits)?: return digits
    case nil, .null?: return nil
    default: throw .invalidArgument("Invalid value at '\(name)': a string is expected.")
    }
  }

  private static func checked(_ text: String, _ name: String) throws(ServiceError) -> String {
    guard text.utf8.count <= maximumLength else {
      throw .invalidArgument("Invalid value at '\(name.prefix(100))': it is too long.")
    }
    return text
  }

  /// The members of an object as texts; an object may also be sent as a text of it.
  private static func texts(
    _ name: String,
    of body: JSONValue
  ) throws(ServiceError) -> [String: String] {
    var object = body[name]
    if case .string(let text)? = object, !text.isEmpty { object = try JSONValue(parsing: text) }
    guard let members = object?.members, members.count <= maximumProperties else {
      if object?.members == nil { return [:] }
      throw .invalidArgument("Invalid value at '\(name)': it has too many members.")
    }
    var texts: [String: String] = [:]
    for member in members {
      switch member.value {
      case .string(let text): texts[member.key] = try checked(text, member.key)
      case .number(let digits): texts[member.key] = digits
      case .boolean(let flag): texts[member.key] = flag ? "true" : "false"
      case .null: break
      case .array, .object:
        throw .invalidArgument("Invalid value at '\(name)': values must be strings or numbers.")
      }
    }
    return texts
  }
}

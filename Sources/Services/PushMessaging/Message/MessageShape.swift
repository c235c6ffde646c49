import BaseJSON

/// The fields that an object of the API has, by their names in snake case.
struct MessageShape: Sendable {
  /// The type of a field.
  indirect enum Field: Sendable {
    case string
    case boolean
    case integer
    case number
    /// Seconds with an `s` behind them.
    case duration
    case strings
    case durations
    /// Names to texts.
    case texts
    /// Any object.
    case object
    case shape(MessageShape)
    /// One of these words, in upper or lower case.
    case choice([String])
  }

  let fields: [String: Field]

  /// Checks an object and gives it back with its names in snake case; INVALID_ARGUMENT names the field.
  func read(_ json: JSONValue, at path: String) throws(MessagingError) -> JSONValue {
    guard let members = json.members else { throw Self.wrong(json, at: path, "an object") }
    var result: [JSONValue.Member] = []
    for member in members {
      guard let (name, field) = field(named: member.key) else {
        let message =
          "Invalid JSON payload received. Unknown name \"\(member.key.prefix(100))\" at '\(path)': "
          + "Cannot find field."
        throw .invalid(path, message)
      }
      guard member.value != .null else { continue }
      guard !result.contains(where: { $0.key == name }) else {
        throw .invalid(
          path,
          "Invalid JSON payload received. '\(path).\(name)' is set more than once."
        )
      }
      let value = try Self.read(member.value, field, at: "\(path).\(name)")
      result.append(.init(name, value))
    }
    return .object(result)
  }

  private func field(named name: String) -> (String, Field)? {
    if let field = fields[name] { return (name, field) }
    let snake = String(
      name.flatMap { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }
    )
    return fields[snake].map { (snake, $0) }
  }

  private static func read(
    _ json: JSONValue,
    _ field: Field,
    at path: String
  ) throws(MessagingError) -> JSONValue {
    switch field {
    case .string:
      guard json.string != nil else { throw wrong(json, at: path, "TYPE_STRING") }
    case .boolean:
      guard json.boolean != nil else { throw wrong(json, at: path, "TYPE_BOOL") }
    case .integer:
      guard json.integer ?? json.string.flatMap({ Int64($0) }) != nil else {
        throw wrong(json, at: path, "TYPE_INT32")
      }
    case .number:
      guard case .number = json else { throw wrong(json, at: path, "TYPE_DOUBLE") }
    case .duration:
      guard let text = json.string, seconds(text) != nil else {
        throw wrong(json, at: path, "type.googleapis.com/google.protobuf.Duration", .timeToLive)
      }
    case .strings: try readEach(json, .string, at: path)
    case .durations: try readEach(json, .duration, at: path)
    case .texts:
      guard let members = json.members else { throw wrong(json, at: path, "a map") }
      for (index, member) in members.enumerated() {
        guard member.value.string != nil else {
          throw wrong(member.value, at: "\(path)[\(index)].value", "TYPE_STRING")
        }
      }
    case .object:
      guard json.members != nil else { throw wrong(json, at: path, "an object") }
    case .shape(let shape): return try shape.read(json, at: path)
    case .choice(let words):
      guard let word = json.string?.uppercased(), words.contains(word) else {
        throw wrong(json, at: path, "one of \(words.joined(separator: ", "))")
      }
      return .string(word)
    }
    return json
  }

  private static func readEach(
    _ json: JSONValue,
    _ field: Field,
    at path: String
  ) throws(MessagingError) {
    guard let elements = json.elements else { throw wrong(json, at: path, "a list") }
    for (index, element) in elements.enumerated() {
      _ = try read(element, field, at: "\(path)[\(index)]")
    }
  }

  private static func wrong(
    _ json: JSONValue,
    at path: String,
    _ expected: String,
    _ kind: MessagingError.Kind = .other
  ) -> MessagingError {
    .invalid(path, "Invalid value at '\(path)' (\(expected)), \(json.compact.prefix(100))", kind)
  }

  /// The seconds of a duration such as `3.5s`; nil for a text that is none.
  static func seconds(_ text: String) -> Double? {
    guard text.hasSuffix("s"), let seconds = Double(text.dropLast()), seconds.isFinite else {
      return nil
    }
    return seconds
  }
}

extension MessageShape {
  private static let options = MessageShape(fields: ["analytics_label": .string])

  private static let lights = MessageShape(fields: [
    "color": .shape(
      MessageShape(fields: ["red": .number, "green": .number, "blue": .number, "alpha": .number])
    ),
    "light_on_duration": .duration, "light_off_duration": .duration,
  ])

  private static let androidNotification = MessageShape(fields: [
    "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string,
    "tag": .string, "click_action": .string, "body_loc_key": .string, "body_loc_args": .strings,
    "title_loc_key": .string, "title_loc_args": .strings, "channel_id": .string,
    "ticker": .string, "sticky": .boolean, "event_time": .string, "local_only": .boolean,
    "notification_priority": .choice(
      ["UNSPECIFIED", "MIN", "LOW", "DEFAULT", "HIGH", "MAX"].map { "PRIORITY_\($0)" }
    ),
    "default_sound": .boolean, "default_vibrate_timings": .boolean,
    "default_light_settings": .boolean, "vibrate_timings": .durations,
    "visibility": .choice(["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
    "notification_count": .integer, "light_settings": .shape(lights), "image": .string,
    "proxy": .choice(["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
    "bypass_proxy_notification": .boolean,
  ])

  private static let android = MessageShape(fields: [
    "collapse_key": .string, "priority": .choice(["NORMAL", "HIGH"]), "ttl": .duration,
    "restricted_package_name": .string, "data": .texts, "direct_boot_ok": .boolean,
    "bandwidth_constrained_ok": .boolean, "restricted_satellite_ok": .boolean,
    "fcm_options": .shape(options), "notification": .shape(androidNotification),
  ])

  private static let apns = MessageShape(fields: [
    "headers": .texts, "payload": .object, "live_activity_token": .string,
    "fcm_options": .shape(
      MessageShape(fields: ["analytics_label": .string, "image": .string])
    ),
  ])

  private static let webPush = MessageShape(fields: [
    "headers": .texts, "data": .texts, "notification": .object,
    "fcm_options": .shape(MessageShape(fields: ["analytics_label": .string, "link": .string])),
  ])

  /// The message of `messages:send`.
  static let message = MessageShape(fields: [
    "name": .string, "data": .texts,
    "notification": .shape(
      MessageShape(fields: ["title": .string, "body": .string, "image": .string])
    ),
    "android": .shape(android), "apns": .shape(apns), "webpush": .shape(webPush),
    "fcm_options": .shape(options), "token": .string, "topic": .string, "condition": .string,
    "fid": .string,
  ])
}

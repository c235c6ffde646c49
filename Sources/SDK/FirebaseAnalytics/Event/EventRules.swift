import FirebaseCore

/// The limits of events and properties, and their enforcement: data beyond them is dropped or
/// shortened, and the log says so.
enum EventRules {
  /// Characters of names, values and ids, and how many there may be.
  private enum Limit {
    static let eventName = 40
    static let parameters = 25
    static let value = 100
    static let items = 200
    static let itemParameters = 27
    static let propertyName = 24
    static let propertyValue = 36
    static let userID = 256
  }

  private static let reservedPrefixes = ["firebase_", "google_", "ga_"]

  /// Events that only the SDK itself logs.
  private static let reservedEvents: Set<String> = [
    "ad_activeview", "ad_click", "ad_exposure", "ad_query", "ad_reward", "adunit_exposure",
    "app_background", "app_clear_data", "app_exception", "app_remove", "app_store_refund",
    "app_store_subscription_cancel", "app_store_subscription_convert",
    "app_store_subscription_renew", "app_update", "app_upgrade", "dynamic_link_app_open",
    "dynamic_link_app_update", "dynamic_link_first_open", "error", "first_open", "first_visit",
    "in_app_purchase", "notification_dismiss", "notification_foreground", "notification_open",
    "notification_receive", "notification_send", "os_update", "session_start", "user_engagement",
  ]

  private static let reservedProperties: Set<String> = [
    "first_open_time", "last_deep_link_referrer", "user_id", "first_open_after_install",
    "first_visit_time",
  ]

  /// Returns true if an app may log an event of that name.
  static func isEventName(_ name: String) -> Bool {
    isName(name, limit: Limit.eventName) && !reservedEvents.contains(name)
  }

  /// Returns true if an app may set a property of that name.
  static func isPropertyName(_ name: String) -> Bool {
    isName(name, limit: Limit.propertyName) && !reservedProperties.contains(name)
  }

  /// The value of a property, cut to the allowed length.
  static func propertyValue(_ value: String) -> String { cut(value, Limit.propertyValue) }

  /// A user's ID, cut to the allowed length; nil if it is empty.
  static func userID(_ id: String?) -> String? {
    id.flatMap { $0.isEmpty ? nil : cut($0, Limit.userID) }
  }

  /// The parameters of an event as they are sent.
  static func parameters(_ given: [String: Any], of event: String) -> [String: EventValue] {
    var result: [String: EventValue] = [:]
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      guard isName(name, limit: Limit.eventName) else {
        log("The parameter \"\(name)\" of \(event) has an invalid name and is dropped.")
        continue
      }
      guard let value = self.value(value, name) else {
        log("The parameter \"\(name)\" of \(event) has a value of a wrong type and is dropped.")
        continue
      }
      guard result.count < Limit.parameters else {
        log("\(event) has more than \(Limit.parameters) parameters: \"\(name)\" is dropped.")
        continue
      }
      result[name] = value
    }
    return result
  }

  /// The parameters of an event with those that all events have, as far as the limit lets them.
  static func merged(
    _ parameters: [String: EventValue],
    defaults: [String: EventValue]
  ) -> [String: EventValue] {
    var result = parameters
    for (name, value) in defaults.sorted(by: { $0.key < $1.key })
    where result[name] == nil && result.count < Limit.parameters {
      result[name] = value
    }
    return result
  }

  private static func value(_ value: Any, _ name: String) -> EventValue? {
    if let value = EventValue(value) { return shortened(value, name) }
    guard let items = value as? [[String: Any]], name == AnalyticsParameterItems else { return nil }
    if items.count > Limit.items { log("Only \(Limit.items) items are kept.") }
    return .items(items.prefix(Limit.items).map(item))
  }

  private static func item(_ given: [String: Any]) -> [String: EventValue] {
    var result: [String: EventValue] = [:]
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      guard isName(name, limit: Limit.eventName), let value = EventValue(value),
        result.count < Limit.itemParameters
      else {
        log("The member \"\(name)\" of an item is dropped.")
        continue
      }
      result[name] = shortened(value, name)
    }
    return result
  }

  private static func shortened(_ value: EventValue, _ name: String) -> EventValue {
    guard case .string(let text) = value, text.unicodeScalars.count > Limit.value else {
      return value
    }
    log("The value of \"\(name)\" is cut to \(Limit.value) characters.")
    return .string(cut(text, Limit.value))
  }

  /// A text of at most so many Unicode scalars, as the server counts, without a part of a character at its end.
  private static func cut(_ text: String, _ limit: Int) -> String {
    guard text.unicodeScalars.count > limit else { return text }
    var left = limit
    return String(
      text.prefix { character in
        left -= character.unicodeScalars.count
        return left >= 0
      }
    )
  }

  /// Letters, digits and `_` of ASCII behind a letter, and no reserved prefix.
  private static func isName(_ name: String, limit: Int) -> Bool {
    guard let first = name.utf8.first, isLetter(first), name.utf8.count <= limit else {
      return false
    }
    return name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
      && !reservedPrefixes.contains { name.hasPrefix($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  static func log(_ text: String) {
    FirebaseLog.write(.warning, "FirebaseAnalytics", "I-ACS013000", text)
  }
}

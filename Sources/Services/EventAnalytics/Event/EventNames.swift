/// The names that events, parameters and user properties may have.
package enum EventNames {
  /// Characters of the names of events and parameters.
  package static let length = 40
  /// Characters of the names of user properties.
  package static let propertyLength = 24

  /// The prefixes that no app's names may have.
  static let reservedPrefixes = ["firebase_", "google_", "ga_"]

  /// Events that only the SDK itself logs.
  package static let reservedEvents: Set<String> = [
    "ad_activeview", "ad_click", "ad_exposure", "ad_impression", "ad_query", "ad_reward",
    "adunit_exposure", "app_background", "app_clear_data", "app_exception", "app_remove",
    "app_store_refund", "app_store_subscription_cancel", "app_store_subscription_convert",
    "app_store_subscription_renew", "app_update", "app_upgrade", "dynamic_link_app_open",
    "dynamic_link_app_update", "dynamic_link_first_open", "error", "first_open", "first_visit",
    "in_app_purchase", "notification_dismiss", "notification_foreground", "notification_open",
    "notification_receive", "notification_send", "os_update", "session_start", "user_engagement",
  ]

  /// Events of which those of one `transaction_id` are one.
  static let purchases: Set<String> = ["purchase", "in_app_purchase"]

  static let reservedProperties: Set<String> = [
    "first_open_time", "first_visit_time", "last_deep_link_referrer", "user_id",
    "first_open_after_install",
  ]

  /// Parameters that the SDK sets, which do not count as the app's.
  static let systemParameters: Set<String> = [
    "ga_session_id", "ga_session_number", "firebase_screen", "firebase_screen_class",
    "firebase_screen_id", "firebase_previous_screen", "firebase_previous_class",
    "firebase_previous_id", "firebase_conversion", "firebase_error", "firebase_error_value",
    "firebase_event_origin", "engagement_time_msec", "session_engaged",
  ]

  /// Returns the fault of a name; nil for a valid one.
  static func problem(
    with name: String,
    atMost length: Int,
    _ what: String
  ) -> (code: DropCode, description: String)? {
    let shown = name.prefix(60)
    guard let first = name.utf8.first else {
      return (.valueRequired, "\(what) has no name.")
    }
    guard name.utf8.count <= length else {
      return (
        .nameInvalid,
        "\(what) has invalid name [\(shown)]. Names have at most \(length) characters."
      )
    }
    guard isLetter(first) else {
      return (
        .nameInvalid,
        "\(what) has invalid name [\(shown)]. Names must start with an alphabetic character."
      )
    }
    guard name.utf8.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }) else {
      return (
        .nameInvalid,
        "\(what) has invalid name [\(shown)]. Names must only contain alphanumeric characters and underscores."
      )
    }
    return nil
  }

  /// Returns the reason why an app may not use a name; nil where it may.
  static func reservation(
    of name: String,
    in reserved: Set<String>,
    _ what: String
  ) -> (code: DropCode, description: String)? {
    if reserved.contains(name) {
      return (.nameReserved, "\(what) has name [\(name)], which is reserved.")
    }
    guard let prefix = reservedPrefixes.first(where: name.hasPrefix) else { return nil }
    return (.nameReserved, "\(what) has name [\(name)], which has the reserved prefix \(prefix).")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}

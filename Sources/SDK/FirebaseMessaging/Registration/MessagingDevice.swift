import FirebaseCore
import Foundation

/// The facts about the device and the app in a registration.
struct MessagingDevice: Sendable {
  var platform: String
  var appVersion: String?
  var language: String?
  var timeZone: String

  /// The device that the program runs on.
  static var current: MessagingDevice {
    #if os(Linux)
    let platform = "linux"
    #else
    let platform = "apple"
    #endif
    return MessagingDevice(
      platform: platform,
      appVersion: Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String,
      language: DeviceLocale.current.language,
      timeZone: TimeZone.current.identifier
    )
  }

  /// The members of every registration.
  var appMembers: [String: Any] {
    var members: [String: Any] = ["time_zone": timeZone]
    members["app_version"] = appVersion
    members["language"] = language
    return members
  }

  /// The members of a registration for the direct stream.
  var directMembers: [String: Any] {
    var members = appMembers
    members["platform"] = platform
    return members
  }
}

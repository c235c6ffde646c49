import FirebaseCore
import Foundation

/// What is told of the device and the app with each fetch, for conditions to look at.
package struct ConfigDevice: Sendable {
  package var country: String?
  package var language: String?
  package var timeZone: String
  package var platformVersion: String
  package var appVersion: String?
  package var appBuild: String?

  /// A device of those properties.
  package init(
    country: String?,
    language: String?,
    timeZone: String,
    platformVersion: String,
    appVersion: String?,
    appBuild: String?
  ) {
    self.country = country
    self.language = language
    self.timeZone = timeZone
    self.platformVersion = platformVersion
    self.appVersion = appVersion
    self.appBuild = appBuild
  }

  /// The device that the program runs on.
  package static var current: ConfigDevice {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    let locale = DeviceLocale.current
    let members = Bundle.main.infoDictionary ?? [:]
    return ConfigDevice(
      country: locale.country,
      language: locale.language,
      timeZone: TimeZone.current.identifier,
      platformVersion: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)",
      appVersion: members["CFBundleShortVersionString"] as? String,
      appBuild: members["CFBundleVersion"] as? String
    )
  }
}

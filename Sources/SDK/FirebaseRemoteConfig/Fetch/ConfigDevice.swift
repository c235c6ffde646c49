import FirebaseCore
import Foundation

/// The facts about the device and the app in each fetch, which the server's conditions may use.
package struct ConfigDevice: Sendable {
  /// Two capital letters, such as `BR`; nil where the system does not say.
  package var country: String?
  /// A language tag, such as `pt-BR`; nil where the system does not say.
  package var language: String?
  /// The time zone's identifier, such as `America/Sao_Paulo`.
  package var timeZone: String
  /// The version of the operating system, such as `18.1.0`.
  package var platformVersion: String
  /// The app's version, `CFBundleShortVersionString`; nil for programs without a bundle.
  package var appVersion: String?
  /// The app's build number, `CFBundleVersion`; nil for programs without a bundle.
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

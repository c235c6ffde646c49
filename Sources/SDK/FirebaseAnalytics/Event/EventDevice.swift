import FirebaseCore
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The device and the app that events come from.
struct EventDevice: Codable, Sendable, Hashable {
  var platform: String?
  var model: String?
  var osVersion: String?
  var appVersion: String?
  var language: String?
  var country: String?
  var timeZoneOffsetSeconds: Int?

  /// The device that the program runs on.
  static func current(at time: Date) -> EventDevice {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    let locale = DeviceLocale.current
    let members = Bundle.main.infoDictionary ?? [:]
    return EventDevice(
      platform: platformName,
      model: machine,
      osVersion: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)",
      appVersion: members["CFBundleShortVersionString"] as? String,
      language: locale.language,
      country: locale.country,
      timeZoneOffsetSeconds: TimeZone.current.secondsFromGMT(for: time)
    )
  }

  private static var platformName: String {
    #if os(iOS)
    "IOS"
    #elseif os(macOS)
    "MACOS"
    #elseif os(tvOS)
    "TVOS"
    #elseif os(watchOS)
    "WATCHOS"
    #elseif os(visionOS)
    "VISIONOS"
    #else
    "LINUX"
    #endif
  }

  /// The model's name as the kernel has it, such as `iPhone17,2` or `x86_64`.
  private static var machine: String? {
    var names = utsname()
    guard uname(&names) == 0 else { return nil }
    return withUnsafeBytes(of: &names.machine) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

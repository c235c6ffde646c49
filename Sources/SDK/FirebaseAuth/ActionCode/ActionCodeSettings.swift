import Foundation
import Locking

/// The settings for the link of an email and the page behind it.
public final class ActionCodeSettings: NSObject, Sendable {
  private struct Members: Sendable {
    var url: URL?
    var handlesInApp = false
    var iOSBundleID: String?
    var androidPackageName: String?
    var androidMinimumVersion: String?
    var androidInstallIfNotAvailable = false
    var linkDomain: String?
  }

  private let members = Lock(Members(iOSBundleID: Bundle.main.bundleIdentifier))

  /// Settings without a link yet.
  public override init() {}

  /// The page on which the person continues after the link's action.
  public var url: URL? {
    get { members.withLock { $0.url } }
    set { members.withLock { $0.url = newValue } }
  }

  /// True if the app itself uses the link's code, instead of the server's page.
  public var handleCodeInApp: Bool {
    get { members.withLock { $0.handlesInApp } }
    set { members.withLock { $0.handlesInApp = newValue } }
  }

  /// The iOS app that opens the link; this app unless set.
  public var iOSBundleID: String? {
    get { members.withLock { $0.iOSBundleID } }
    set { members.withLock { $0.iOSBundleID = newValue } }
  }

  /// Names the iOS app that opens the link.
  public func setIOSBundleID(_ bundleID: String) { iOSBundleID = bundleID }

  /// The domain of the link.
  public var linkDomain: String? {
    get { members.withLock { $0.linkDomain } }
    set { members.withLock { $0.linkDomain = newValue } }
  }

  /// The Android app that opens the link.
  public var androidPackageName: String? { members.withLock { $0.androidPackageName } }
  /// The oldest version of the Android app that can open the link.
  public var androidMinimumVersion: String? { members.withLock { $0.androidMinimumVersion } }
  /// True if the Android app should be installed on devices that lack it.
  public var androidInstallIfNotAvailable: Bool {
    members.withLock { $0.androidInstallIfNotAvailable }
  }

  /// Names the Android app that opens the link.
  public func setAndroidPackageName(
    _ androidPackageName: String,
    installIfNotAvailable: Bool,
    minimumVersion: String?
  ) {
    members.withLock {
      $0.androidPackageName = androidPackageName
      $0.androidInstallIfNotAvailable = installIfNotAvailable
      $0.androidMinimumVersion = minimumVersion
    }
  }

  /// The members of a request.
  var fields: [String: AuthField?] {
    let members = members.withLock { $0 }
    let installs = members.androidInstallIfNotAvailable
    return [
      "continueUrl": .optional(members.url?.absoluteString),
      "canHandleCodeInApp": .flag(members.handlesInApp),
      "iOSBundleId": .optional(members.iOSBundleID),
      "androidPackageName": .optional(members.androidPackageName),
      "androidMinimumVersion": .optional(members.androidMinimumVersion),
      "androidInstallApp": members.androidPackageName.map { _ in .flag(installs) },
      "linkDomain": .optional(members.linkDomain),
    ]
  }
}

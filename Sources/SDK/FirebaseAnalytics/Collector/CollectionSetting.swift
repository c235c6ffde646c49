import Foundation

/// The settings for collection in an app's property list.
struct CollectionSetting: Sendable {
  /// Collect unless code says otherwise.
  var isEnabled: Bool
  /// Never collect, even if code enables it.
  var isDeactivated: Bool
  /// Log screens as they appear, if the platform reports them.
  var reportsScreens: Bool

  /// The settings in the program's own property list.
  static var current: CollectionSetting { CollectionSetting(Bundle.main.infoDictionary ?? [:]) }

  init(_ members: [String: Any]) {
    isEnabled = members["FIREBASE_ANALYTICS_COLLECTION_ENABLED"] as? Bool ?? true
    isDeactivated = members["FIREBASE_ANALYTICS_COLLECTION_DEACTIVATED"] as? Bool ?? false
    reportsScreens = members["FirebaseAutomaticScreenReportingEnabled"] as? Bool ?? true
  }
}

import FirebaseRemoteConfig
import Foundation
import Observation

/// The features that an administrator turns on and off without a new version of the app.
@MainActor @Observable
package final class FeatureFlags {
  /// True if products can be deleted from the list; true until the server says otherwise.
  package private(set) var canDelete: Bool
  @ObservationIgnored private let config: RemoteConfig
  private static let deleteKey = "delete_list_view"

  package init(_ config: RemoteConfig, fetchInterval: TimeInterval) {
    self.config = config
    let settings = RemoteConfigSettings()
    settings.minimumFetchInterval = fetchInterval
    config.configSettings = settings
    config.setDefaults([Self.deleteKey: NSNumber(value: true)])
    canDelete = config.configValue(forKey: Self.deleteKey).boolValue
  }

  /// Asks the server, if it was not asked within the interval, and uses what it says from now on.
  ///
  /// Without a connection the flags are as they were.
  package func refresh() async {
    do {
      _ = try await config.fetchAndActivate()
    } catch {
      // The next start asks again.
    }
    canDelete = config.configValue(forKey: Self.deleteKey).boolValue
  }
}

import FirebaseCore
import Foundation

extension Analytics: AppUserPropertiesSource {
  /// The properties of the default app's user; other apps log no events.
  package static func userProperties(of app: FirebaseApp) -> AppUserProperties {
    guard app === FirebaseApp.app() else { return AppUserProperties() }
    return EventCollector.collector(of: app).userProperties
  }
}

extension EventCollector {
  /// The user properties that other products may see: empty for a user without consent, and while
  /// collection is off.
  package var userProperties: AppUserProperties {
    update { editor, _ in
      let (context, settings) = (editor.contents.context, editor.contents.settings)
      guard !context.isAnonymous, isEnabled(settings) else { return AppUserProperties() }
      return AppUserProperties(
        context.properties.compactMapValues(\.value),
        firstOpenTime: settings.firstOpenMicros.map {
          Date(timeIntervalSince1970: Double($0) / 1_000_000)
        }
      )
    } ?? AppUserProperties()
  }
}

import Foundation

/// The properties of an app's user that the product for events knows, as other products see them.
package struct AppUserProperties: Sendable, Equatable {
  /// The values that the app set, by the names of their properties.
  package var values: [String: String]
  /// The time at which the app was opened for the first time; nil if it is not known.
  package var firstOpenTime: Date?

  /// Properties of an otherwise unknown user.
  package init(_ values: [String: String] = [:], firstOpenTime: Date? = nil) {
    self.values = values
    self.firstOpenTime = firstOpenTime
  }
}

/// The product for events, found by its class's name so that others need not be linked with it.
package protocol AppUserPropertiesSource: AnyObject {
  /// Returns the known properties of an app's user, as far as the user consents to it.
  static func userProperties(of app: FirebaseApp) -> AppUserProperties
}

extension FirebaseApp {
  /// The known properties of the user; none if the program logs no events.
  package var userProperties: AppUserProperties {
    let source =
      NSClassFromString("FirebaseAnalytics.Analytics") as? any AppUserPropertiesSource.Type
    return source?.userProperties(of: self) ?? AppUserProperties()
  }
}

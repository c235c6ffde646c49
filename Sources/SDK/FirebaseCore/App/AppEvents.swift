import Foundation

/// The product for events as other products use it, found by its class's name so that they need not be linked with it.
package protocol AppEventsTarget: AnyObject {
  /// Logs an event of the SDK's own for an app, as far as its user consents to it.
  static func log(_ name: String, _ parameters: [String: String], of app: FirebaseApp)
}

extension FirebaseApp {
  /// Logs an event of the SDK's own; nothing where the program logs no events.
  package func logEvent(_ name: String, _ parameters: [String: String]) {
    let target = NSClassFromString("FirebaseAnalytics.Analytics") as? any AppEventsTarget.Type
    target?.log(name, parameters, of: self)
  }
}

import FirebaseCore

extension Analytics: AppEventsTarget {
  /// Logs an event of another product of the SDK; only the default app logs events.
  package static func log(_ name: String, _ parameters: [String: String], of app: FirebaseApp) {
    guard app === FirebaseApp.app() else { return }
    let collector = EventCollector.collector(of: app)
    collector.logAutomatic(name, EventRules.parameters(parameters, of: name))
  }
}

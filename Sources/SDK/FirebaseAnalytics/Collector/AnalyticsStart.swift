import FirebaseCore
import Foundation

/// Begins to log with the default app, which finds it by its name.
final class AnalyticsStart: NSObject, StartingProduct {
  static func start(with app: FirebaseApp) { _ = EventCollector.collector(of: app) }
}

import Foundation

/// A product that begins to work with the default app, without being called.
package protocol StartingProduct: AnyObject {
  /// The default app was configured.
  static func start(with app: FirebaseApp)
}

/// The products that may begin with the default app.
///
/// They are found by the names of their classes: this module knows none of them, and a program has those that it links.
enum StartingProducts {
  private static let classes = ["FirebaseAnalytics.AnalyticsStart"]

  static func start(with app: FirebaseApp) {
    for name in classes {
      (NSClassFromString(name) as? any StartingProduct.Type)?.start(with: app)
    }
  }
}

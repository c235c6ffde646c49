import FirebaseAnalytics

/// The events of people's actions, for the reports.
package struct ProductEvents: Sendable {
  /// A product was opened.
  package func didSelect(_ product: Product) {
    Analytics.logEvent(
      AnalyticsEventSelectItem,
      parameters: [AnalyticsParameterItemID: product.code]
    )
  }

  /// The form of a new product was opened.
  package func didBeginProduct() { Analytics.logEvent("new_item", parameters: nil) }

  /// Somebody asked for a product to be deleted.
  package func didAttemptDelete(_ product: Product) {
    Analytics.logEvent(
      "attempt_delete_product",
      parameters: [AnalyticsParameterItemID: product.code]
    )
  }
}

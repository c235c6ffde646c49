import Firebase

/// Chapter 11: events.
///
/// UI apart: the views in which these lines are.
enum Chapter11 {
  // 11.3: in `EditProductView.init`
  static func productWasOpened(_ product: Chapter10.Product) {
    Analytics.logEvent(
      FirebaseAnalytics.AnalyticsEventSelectItem,
      parameters: [
        AnalyticsParameterItemID: product.code
      ]
    )
  }

  // In `AddNewProductView.onAppear`
  static func formAppeared() {
    Analytics.logEvent("new_item", parameters: nil)
  }

  // In `ContentView.deleteProduct`
  static func productIsDeleted(_ productToDelete: Chapter10.Product) {
    Analytics.logEvent(
      "attempt_delete_product",
      parameters: [
        AnalyticsParameterItemID: productToDelete.code
      ]
    )
  }
}

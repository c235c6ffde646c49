#if canImport(StoreKit)
import FirebaseCore
import Foundation
import StoreKit

extension Analytics {
  /// Logs a purchase in the App Store, as `in_app_purchase`.
  ///
  /// Unfinished transactions are delivered again; the server counts each once.
  public static func logTransaction(_ transaction: Transaction) {
    var params: [String: EventValue] = [
      "product_id": .string(transaction.productID),
      "transaction_id": .string(String(transaction.id)),
      "quantity": .int(Int64(transaction.purchasedQuantity)),
      "subscription": .int(transaction.productType == .autoRenewable ? 1 : 0),
    ]
    if let price = transaction.price {
      params["value"] = .double(NSDecimalNumber(decimal: price).doubleValue)
    }
    if let currency = transaction.currency { params["currency"] = .string(currency.identifier) }
    FirebaseApp.app().map(EventCollector.collector)?.logAutomatic("in_app_purchase", params)
  }
}
#endif

import Foundation

/// A push of the sales provider, as a device gets it.
package struct OrderPush: Equatable, Sendable {
  package let messageID: String
  package let title: String
  package let body: String
  /// The update that it carries; nil if that cannot be read.
  package let update: OrderUpdate?

  private static let idKey = "gcm.message_id"
  private static let orderKey = "gcm.notification.orderInfo"
  /// The same from a function, whose API keeps data of one's own apart from the notification.
  private static let dataKey = "orderInfo"

  /// Reads a message; nil where it is about no order.
  package init?(_ userInfo: [AnyHashable: Any]) {
    guard let id = userInfo[Self.idKey],
      let text = userInfo[Self.orderKey] ?? userInfo[Self.dataKey]
    else { return nil }
    let alert = (userInfo["aps"] as? [String: Any])?["alert"] as? [String: Any]
    messageID = "\(id)"
    title = alert?["title"] as? String ?? ""
    body = alert?["body"] as? String ?? ""
    let info = try? JSONDecoder().decode(OrderInfo.self, from: Data("\(text)".utf8))
    update = info?.update(messageID)
  }
}

/// The order's part of the message: JSON text.
///
/// The book's sender says `orderID` and the message in its log `orderId`; both are read.
private struct OrderInfo: Decodable {
  let infoReason: String
  let orderID: Int64?
  let orderId: Int64?
  let userEmail: String
  let newOrderStatus: String

  func update(_ messageID: String) -> OrderUpdate? {
    (orderID ?? orderId).map {
      OrderUpdate(
        messageID: messageID,
        reason: infoReason,
        orderID: $0,
        status: newOrderStatus,
        email: userEmail
      )
    }
  }
}

import Logging

/// What became of an order, for the device of the person whose it is.
package struct OrderNotice: Sendable, Equatable {
  package let order: Int64
  package let email: String
  /// Why the person hears of it.
  package let reason: String
  /// The order's status from now on.
  package let status: String
  /// The registration that the person's app told (`gcmRegId`); nil where none did.
  package let registration: String?
}

/// Tells people's devices what happens to their orders.
package protocol Notifier: Sendable {
  /// Called once for each order, after it is stored; what fails is the notifier's to log.
  func orderWasPlaced(_ notice: OrderNotice) async
}

/// Writes the notice to the log, where no messaging service is configured.
package struct LogNotifier: Notifier {
  private let logger = Logger(label: "sales.notifier")

  package init() {}

  package func orderWasPlaced(_ notice: OrderNotice) async {
    logger.info(
      "order placed",
      metadata: ["order": "\(notice.order)", "email": "\(notice.email)"]
    )
  }
}

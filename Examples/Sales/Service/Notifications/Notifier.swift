import Logging

/// The news about an order, for the device of the person who ordered.
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

/// The outcome of a notice.
package enum NoticeOutcome: Sendable, Equatable {
  /// The messaging service has it, by this id, which the device gets too.
  case sent(messageID: String)
  /// No device receives it: there is none, or the service does not respond.
  case notSent
  /// The registration is none, or none any more.
  case unregistered
}

/// Tells people's devices what happens to their orders.
package protocol Notifier: Sendable {
  /// Called once for each change of an order, after it is stored; what fails is the notifier's to log.
  func orderDidChange(_ notice: OrderNotice) async -> NoticeOutcome
}

/// Writes the notice to the log, where no messaging service is configured.
package struct LogNotifier: Notifier {
  private let logger = Logger(label: "sales.notifier")

  package init() {}

  package func orderDidChange(_ notice: OrderNotice) async -> NoticeOutcome {
    logger.info(
      "order changed",
      metadata: [
        "order": "\(notice.order)", "email": "\(notice.email)", "status": "\(notice.status)",
      ]
    )
    return .notSent
  }
}

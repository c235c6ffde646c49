import Logging

/// Tells people's devices what happens to their orders.
package protocol Notifier: Sendable {
  /// Called once for each order, after it is stored.
  func orderWasPlaced(id: Int64, email: String) async
}

/// Writes the message to the log, until there is a messaging service to send it through.
package struct LogNotifier: Notifier {
  private let logger = Logger(label: "sales.notifier")

  package init() {}

  package func orderWasPlaced(id: Int64, email: String) async {
    logger.info("order placed", metadata: ["order": "\(id)", "email": "\(email)"])
  }
}

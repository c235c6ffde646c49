import Foundation
import Logging
import RESTClient

/// Pushes notices to devices through a messaging service of Firebase's legacy form, as Brasa is.
package struct MessageNotifier: Notifier {
  private let client: HTTPClient
  private let serverKey: String
  private let logger = Logger(label: "sales.notifier")

  /// Sends through the service at `url` with a server key.
  ///
  /// - Parameter timeout: The time that the response to an order may wait for the service.
  package init(url: URL, serverKey: String, timeout: Duration = .seconds(3)) {
    client = HTTPClient(baseURL: url, timeout: timeout)
    self.serverKey = serverKey
  }

  /// Makes a notifier from `SALES_MESSAGES_URL` and `SALES_MESSAGES_KEY`; nil without both.
  package init?(environment: [String: String]) {
    guard let url = environment["SALES_MESSAGES_URL"].flatMap(URL.init(string:)),
      let key = environment["SALES_MESSAGES_KEY"], !key.isEmpty
    else { return nil }
    self.init(url: url, serverKey: key)
  }

  package func orderDidChange(_ notice: OrderNotice) async -> NoticeOutcome {
    let order: Logger.Metadata = ["order": "\(notice.order)"]
    guard let registration = notice.registration, !registration.isEmpty else {
      logger.info("no device is told of the order", metadata: order)
      return .notSent
    }
    do {
      let result = try await send(Push(notice, registration))
      if let id = result?.message_id {
        logger.info("a device is told: \(id)", metadata: order)
        return .sent(messageID: id)
      }
      let error = result?.error ?? "no answer"
      logger.warning("a device was not told: \(error)", metadata: order)
      return Self.endings.contains(error) ? .unregistered : .notSent
    } catch {
      logger.warning("a device was not told: \(error)", metadata: order)
      return .notSent
    }
  }

  /// The errors of the service for a registration that does not exist any more.
  private static let endings: Set<String> = ["NotRegistered", "InvalidRegistration"]

  private func send(_ push: Push) async throws -> PushReply.Result? {
    var call = Endpoint<PushReply>(.post, "fcm", "send", body: .json(push))
    call.headers["Authorization"] = "key=\(serverKey)"
    return try await client.send(call).results.first
  }
}

/// The request of the book: a notification whose `orderInfo` fills the app's screen.
private struct Push: Encodable {
  struct Notification: Encodable {
    let title = "Provedor de Mensagens"
    let body = "Status do pedido"
    let orderInfo: OrderInfo
  }

  struct OrderInfo: Encodable {
    let infoReason: String
    let orderID: Int64
    let userEmail: String
    let newOrderStatus: String
  }

  private enum CodingKeys: String, CodingKey {
    case to, priority, notification
    case isContentAvailable = "content_available"
  }

  let to: String
  let priority = "high"
  let isContentAvailable = true
  let notification: Notification

  init(_ notice: OrderNotice, _ registration: String) {
    to = registration
    notification = Notification(
      orderInfo: OrderInfo(
        infoReason: notice.reason,
        orderID: notice.order,
        userEmail: notice.email,
        newOrderStatus: notice.status
      )
    )
  }
}

private struct PushReply: Decodable {
  struct Result: Decodable {
    let message_id: String?
    let error: String?
  }

  let results: [Result]
}

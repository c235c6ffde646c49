import FirebaseFunctionsServer
import Foundation

/// Tells a customer's device when the status of an order changes.
///
/// An order is a document `orders/{order}` with `email` and `status`; `devices/{email}` has the device's `token`.
@main struct OrderStatusFunctions {
  private struct Order: Codable, Sendable {
    var email: String
    var status: String?
  }

  static func main() async throws {
    try await FunctionServer([
      .onDocumentUpdated("notify", "orders/{order}", as: Order.self) { event in
        guard let order = event.after, let status = order.status, status != event.before?.status,
          let number = event.params["order"].flatMap({ Int64($0) })
        else { return }
        let server = try ServerAPI()
        guard let device = try await Device.find(of: order.email, server) else {
          print("no device of", order.email)
          return
        }
        let push = OrderPush(orderID: number, userEmail: order.email, newOrderStatus: status)
        do {
          let sent = try await server.call(
            "POST",
            "/v1/projects/\(server.project)/messages:send",
            body: try MessageRequest(push, to: device.token),
            as: SentMessage.self
          )
          print("told a device:", sent.name)
        } catch let refusal as ServerAPI.Refusal where refusal.status == 404 {
          // The app was removed, or gave its token up.
          try await device.forget(server)
        }
      }
    ]).run()
  }
}

/// The part of a message that the app shows.
private struct OrderPush: Codable, Sendable {
  var infoReason = "Status de pedido"
  var orderID: Int64
  var userEmail: String
  var newOrderStatus: String
}

private struct SentMessage: Decodable, Sendable { let name: String }

/// A message to one device.
private struct MessageRequest: Encodable, Sendable {
  struct Message: Encodable, Sendable {
    struct Notification: Encodable, Sendable {
      let title = "Provedor de Mensagens"
      let body = "Status do pedido"
    }

    let token: String
    let notification = Notification()
    let data: [String: String]
    let android = ["priority": "high"]
  }

  let message: Message

  init(_ push: OrderPush, to token: String) throws {
    let order = String(decoding: try JSONEncoder().encode(push), as: UTF8.self)
    message = Message(token: token, data: ["orderInfo": order])
  }
}

/// The device of a customer: a document with its token.
private struct Device: Sendable {
  private struct Document: Decodable {
    struct Fields: Decodable {
      struct Text: Decodable { let stringValue: String }

      let token: Text
    }

    let fields: Fields
  }

  private struct Nothing: Decodable {}

  let token: String
  private let path: String

  static func find(of email: String, _ server: ServerAPI) async throws -> Device? {
    let name = email.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? email
    let path = "/v1/projects/\(server.project)/databases/(default)/documents/devices/\(name)"
    do {
      let document = try await server.call("GET", path, as: Document.self)
      return Device(token: document.fields.token.stringValue, path: path)
    } catch let refusal as ServerAPI.Refusal where refusal.status == 404 {
      return nil
    }
  }

  func forget(_ server: ServerAPI) async throws {
    _ = try await server.call("DELETE", path, as: Nothing.self)
  }
}

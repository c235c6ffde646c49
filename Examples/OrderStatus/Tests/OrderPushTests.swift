import Foundation
import OrderStatusCore
import Testing

/// Messages as devices get them.
struct OrderPushTests {
  private static func message(_ info: Any?, id: Any = "0:17") -> [AnyHashable: Any] {
    var message: [AnyHashable: Any] = [
      "gcm.message_id": id,
      "aps": ["alert": ["title": "Provedor de Mensagens", "body": "Status do pedido"]],
    ]
    message["gcm.notification.orderInfo"] = info
    return message
  }

  @Test func `the message of the book's log is read`() throws {
    let info =
      #"{"newOrderStatus": "Novo pedido", "orderId": 3, "userEmail": "matilde@siecola.com.br", "#
      + #""infoReason": "Status de pedido"}"#
    let push = try #require(OrderPush(Self.message(info, id: 1_603_214_613_006_763)))
    #expect(push.title == "Provedor de Mensagens" && push.body == "Status do pedido")
    #expect(push.messageID == "1603214613006763" && push.update?.orderID == 3)
    #expect(push.update?.status == "Novo pedido" && push.update?.reason == "Status de pedido")
    #expect(push.update?.email == "matilde@siecola.com.br")
  }

  @Test func `a message of a function is read`() throws {
    var message = Self.message(nil)
    message["orderInfo"] =
      #"{"infoReason":"Status de pedido","orderID":3,"userEmail":"a@b.c","newOrderStatus":"APPROVED"}"#
    let push = try #require(OrderPush(message))
    #expect(push.update?.orderID == 3 && push.update?.status == "APPROVED")
  }

  @Test(arguments: [
    "", "{", "[]", #"{"infoReason":"r","userEmail":"a@b.c","newOrderStatus":"s"}"#,
    #"{"infoReason":"r","orderID":"3","userEmail":"a@b.c","newOrderStatus":"s"}"#,
    #"{"infoReason":"r","orderID":1e30,"userEmail":"a@b.c","newOrderStatus":"s"}"#,
  ])
  func `an order that cannot be read is known by the message's id alone`(info: String) throws {
    let push = try #require(OrderPush(Self.message(info)))
    #expect(push.messageID == "0:17" && push.update == nil)
  }

  @Test func `other messages are none of the app's`() {
    #expect(OrderPush([:]) == nil)
    #expect(OrderPush(Self.message(nil)) == nil)
    #expect(OrderPush(["gcm.notification.orderInfo": "{}"]) == nil)
  }
}

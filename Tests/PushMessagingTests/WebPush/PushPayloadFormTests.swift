import BaseJSON
import Testing

@testable import PushMessaging

@Suite struct PushPayloadFormTests {
  @Test func `a topic has 32 characters that a header may have, the same for the same key`() {
    let topic = WebPushTopic.text(of: "orders of João, Nº 7")
    #expect(topic.utf8.count == 32)
    #expect(topic.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    #expect(topic == WebPushTopic.text(of: "orders of João, Nº 7"))
    #expect(topic != WebPushTopic.text(of: "orders of João, Nº 8"))
    // SHA-256 of "abc" begins with ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c (FIPS 180-4).
    #expect(WebPushTopic.text(of: "abc") == "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qc")
  }

  @Test func `a notification with a link is declarative beside FCM's members`() throws {
    let payload = try JSONValue(
      parsing: """
        {"from":"1","notification":{"title":"New order","body":"Table 4"},
        "fcmOptions":{"link":"https://shop.example/orders/4"},"fcmMessageId":"m1"}
        """
    )
    let form = DeclarativePush.adding(to: payload)
    #expect(form["web_push"]?.integer == 8_030)
    #expect(form["mutable"]?.boolean == true)
    #expect(form["notification"]?["navigate"]?.string == "https://shop.example/orders/4")
    #expect(form["notification"]?["title"]?.string == "New order")
    #expect(form["notification"]?["body"]?.string == "Table 4")
    #expect(form["fcmMessageId"]?.string == "m1")
    #expect(form.hasUniqueMembers)
    #expect(DeclarativePush.adding(to: form) == form)
  }

  @Test func `a payload that leaves the form no room stays as it is`() throws {
    let link = #""fcmOptions":{"link":"https://shop.example/"}"#
    var forms = 0
    for size in 3_700..<3_900 {
      let body = String(repeating: "x", count: size)
      let text = #"{"notification":{"title":"T","body":"\#(body)"},\#(link)}"#
      let payload = try JSONValue(parsing: text)
      let made = DeclarativePush.adding(to: payload)
      #expect(made.compactBytes.count <= WebPushEncryption.maximumContent)
      if made != payload { forms += 1 }
    }
    #expect(forms > 0 && forms < 200)
  }

  @Test(arguments: [
    #"{"data":{"a":"1"},"fcmOptions":{"link":"https://shop.example/"}}"#,
    #"{"notification":{"body":"no title"},"fcmOptions":{"link":"https://shop.example/"}}"#,
    #"{"notification":{"title":"no link"}}"#,
    #"{"notification":{"title":"x"},"fcmOptions":{"link":"javascript:alert(1)"}}"#,
    #"{"notification":"text","fcmOptions":{"link":"https://shop.example/"}}"#,
    #"["a list"]"#,
  ])
  func `what the form can't say stays as it is`(_ text: String) throws {
    let payload = try JSONValue(parsing: text)
    #expect(DeclarativePush.adding(to: payload) == payload)
  }
}

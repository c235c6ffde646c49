import Foundation
import Testing

@testable import FirebaseMessaging

/// Tests of the messages on the stream, and of the values made from them.
struct WireTests {
  @Test func `lines come whole, however the bytes were cut`() throws {
    let text = "{\"a\": 1}\n\n{\"é\": 2}\nrest"
    let bytes = Data(text.utf8)
    for size in 1...bytes.count {
      var splitter = LineSplitter()
      var lines: [String] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        let part = bytes[start..<min(start + size, bytes.count)]
        lines += try splitter.take(part).map { String(decoding: $0, as: UTF8.self) }
      }
      #expect(lines == ["{\"a\": 1}", "{\"é\": 2}"])
      let last = try splitter.take(Data("\n".utf8))
      #expect(last == [Data("rest".utf8)])
    }
  }

  @Test func `a line without an end is refused`() {
    #expect(throws: LineSplitter.TooLong.self) {
      var splitter = LineSplitter()
      for _ in 0..<5 { _ = try splitter.take(Data(repeating: 0x61, count: 64 << 10)) }
    }
  }

  @Test(arguments: [
    #"{"connected": {"pingSeconds": 55}, "news": 1}"#, #"{"connected": {}, "deleted": false}"#,
  ])
  func `a stream begins`(line: String) {
    #expect(StreamLine(Data(line.utf8)) == .connected(hasDropped: false, acknowledged: nil))
  }

  @Test(arguments: [#""17""#, "17"])
  func `a stream begins where the server says`(acknowledged: String) {
    let line = #"{"connected": {"pingSeconds": 55, "acknowledged": \#(acknowledged)}}"#
    #expect(StreamLine(Data(line.utf8)) == .connected(hasDropped: false, acknowledged: 17))
  }

  @Test(arguments: [
    "", "{", "[]", "1", "{}", #"{"sequence": "1"}"#, #"{"message": {}, "sequence": "1"}"#,
    #"{"message": {"fcmMessageId": "a"}}"#, #"{"message": {"fcmMessageId": "a"}, "sequence": "x"}"#,
    #"{"later": {"sequence": 1}}"#,
  ])
  func `lines that mean nothing are passed over`(line: String) {
    #expect(StreamLine(Data(line.utf8)) == nil)
  }

  @Test func `lost messages are told of`() {
    let line = Data(#"{"connected": {"pingSeconds": 55}, "deleted": true}"#.utf8)
    #expect(StreamLine(line) == .connected(hasDropped: true, acknowledged: nil))
  }

  @Test func `a message is as Apple's clients get it`() throws {
    let line = """
      {"sequence": "18", "messageId": "0:17", "timeToLive": 60, "message": {"from": "shop",
       "fcmMessageId": "0:17", "priority": "high", "collapse_key": "k", "content_available": true,
       "notification": {"title": "Provedor de Mensagens", "body": "Status do pedido", "badge": "3",
        "sound": "default", "click_action": "OPEN", "title_loc_args": "[\\"a\\"]",
        "image": "https://x/y.png", "orderInfo": "{\\"orderID\\":7}", "list": [1, {"a": true}]},
       "data": {"k1": "v1", "title": "data's own"}}}
      """
    guard case .message(let message, let sequence) = StreamLine(Data(line.utf8)) else {
      Issue.record("no message")
      return
    }
    #expect(sequence == 18 && message.messageID == "0:17" && message.from == "shop")
    #expect(message.title == "Provedor de Mensagens" && message.body == "Status do pedido")
    #expect(message.data == ["k1": "v1", "title": "data's own"])
    var received = message
    received.senderID = "19283323559"
    let info = received.userInfo
    #expect(info["google.c.sender.id"] as? String == "19283323559")
    #expect(info["google.c.a.e"] as? String == "1" && message.userInfo["google.c.sender.id"] == nil)
    #expect(info["gcm.message_id"] as? String == "0:17" && info["from"] as? String == "shop")
    #expect(info["k1"] as? String == "v1" && info["title"] as? String == "data's own")
    #expect(info["gcm.notification.orderInfo"] as? String == "{\"orderID\":7}")
    #expect(info["gcm.notification.list"] as? String == "[1,{\"a\":true}]")
    #expect((info["fcm_options"] as? [String: String])?["image"] == "https://x/y.png")
    let aps = try #require(info["aps"] as? [String: Any])
    #expect(aps["badge"] as? Int == 3 && aps["sound"] as? String == "default")
    #expect(aps["category"] as? String == "OPEN" && aps["content-available"] as? Int == 1)
    #expect(aps["mutable-content"] == nil)
    let alert = try #require(aps["alert"] as? [String: Any])
    #expect(alert["title"] as? String == "Provedor de Mensagens")
    #expect(alert["title-loc-args"] as? [String] == ["a"])
  }

  @Test func `data cannot pass for the message's own members`() {
    let names = ["gcm.message_id", "aps", "google.c.a.e", "google.c.sender.id"]
    let forged = Dictionary(uniqueKeysWithValues: names.map { ($0, "forged") })
    let json: [String: Any] = ["data": forged]
    let info = RemoteMessage(id: "0:1", json: json)?.userInfo
    #expect(info?["google.c.a.e"] == nil && info?["google.c.sender.id"] == nil)
    #expect(info?["gcm.message_id"] as? String == "0:1" && info?["aps"] is [String: Any])
  }

  @Test func `pings become rarer while all is quiet, and more frequent when it is not`() {
    var pings = PingSchedule()
    var seconds: [Int] = []
    for _ in 0..<12 {
      if pings.pingWasAnswered() { seconds.append(pings.seconds) }
    }
    #expect(seconds == [110, 220, 440, 540])
    for seconds in [270, 135] {
      pings.streamBroke()
      #expect(pings.seconds == seconds)
      let isRenewed = pings.pingWasAnswered()
      #expect(!isRenewed)
    }
    for _ in 0..<5 { pings.streamBroke() }
    #expect(pings.seconds == 55)
  }

  @Test func `receipts that could not be told come before newer ones, within the limit`() {
    var receipts = Receipts()
    for number in 0..<60 { receipts.note("a\(number)", sequence: Int64(number)) }
    let older = receipts.take()
    #expect(receipts.isEmpty)
    for number in 0..<60 { receipts.note("b\(number)", sequence: nil) }
    receipts.restore(older)
    #expect(receipts.sequence == 59 && receipts.received.count == 100)
    #expect(receipts.received.first == "a20" && receipts.received.last == "b59")
    for number in 0..<200 { receipts.note("c\(number)", sequence: 1) }
    #expect(receipts.received.count == 100 && receipts.sequence == 59)
  }

  @Test func `the last five hundred messages are known`() throws {
    var state = MessagingState()
    for number in 0..<600 {
      let isNew = state.note("m\(number)")
      #expect(isNew)
    }
    let (isKnown, isForgotten) = (!state.note("m100"), state.note("m99"))
    #expect(isKnown && isForgotten)
    #expect(MessagingState(decoding: try state.encoded()) == state)
    #expect(MessagingState(decoding: Data("{".utf8)) == MessagingState())
  }

  @Test(arguments: ["news", "/topics/news", "a-_.~%9", String(repeating: "x", count: 900)])
  func `topics have names`(name: String) throws {
    #expect(try TopicName.checked(name).hasPrefix("/") == false)
  }

  @Test func `names with the prefix of old are noted in the log`() {
    let text = "Format '/topics/news' is deprecated. Only 'news' should be used."
    #expect(TopicName.warning(for: "/topics/news") == text)
    #expect(TopicName.warning(for: "news") == nil)
  }

  @Test(arguments: ["", "/topics/", "a b", "notícias", "a/b", String(repeating: "x", count: 901)])
  func `other texts are none`(name: String) {
    let error = #expect(throws: MessagingError.self) { try TopicName.checked(name) }
    #expect(error?.code == .invalidTopicName)
  }
}

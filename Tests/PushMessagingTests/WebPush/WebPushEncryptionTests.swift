import BaseText
import Crypto
import Testing

@testable import PushMessaging

@Suite struct WebPushEncryptionTests {
  /// The example of RFC 8291, section 5 and appendix A.
  private enum Example {
    static let content = "When I grow up, I want to be a watermelon"
    static let senderKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    static let receiverKey = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    static let p256dh =
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let auth = "BTBZMqHH6r4Tts7J_aSIgg"
    static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
    static let body =
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmY"
      + "WAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexS"
      + "gSxsj_Qulcy4a-fN"
  }

  @Test func `the example of RFC 8291 comes out byte for byte`() throws {
    let encryption = try WebPushEncryption(
      salt: bytes(Example.salt),
      privateKey: P256.KeyAgreement.PrivateKey(rawRepresentation: bytes(Example.senderKey))
    )
    let keys = try #require(WebPushKeys(p256dh: Example.p256dh, auth: Example.auth))
    let body = try encryption.body(Array(Example.content.utf8), for: keys)
    #expect(Base64.url(body) == Example.body)
  }

  @Test func `the example of RFC 8291 opens with the receiver's key`() throws {
    let receiver = try #require(
      WebPushReceiver(privateKey: bytes(Example.receiverKey), secret: bytes(Example.auth))
    )
    #expect(Base64.url(receiver.keys.publicKey) == Example.p256dh)
    let content = try receiver.content(of: bytes(Example.body))
    #expect(String(decoding: content, as: UTF8.self) == Example.content)
  }

  @Test func `the largest content makes a body of 4096 bytes, and one byte more is refused`() throws
  {
    let receiver = WebPushReceiver()
    let content = [UInt8](repeating: 0x20, count: WebPushEncryption.maximumContent)
    let body = try WebPushEncryption().body(content, for: receiver.keys)
    #expect(body.count == 4_096)
    #expect(try receiver.content(of: body) == content)
    #expect(throws: WebPushEncryption.Problem.contentTooLarge) {
      try WebPushEncryption().body(content + [0], for: receiver.keys)
    }
  }

  @Test func `a message opens for its receiver alone`() throws {
    let receiver = WebPushReceiver()
    let body = try WebPushEncryption().body(Array("hello".utf8), for: receiver.keys)
    #expect(throws: WebPushReceiver.Problem.unauthentic) { try WebPushReceiver().content(of: body) }
    let other = try #require(
      WebPushReceiver(privateKey: receiver.privateBytes, secret: [UInt8](repeating: 0, count: 16))
    )
    #expect(throws: WebPushReceiver.Problem.unauthentic) { try other.content(of: body) }
    let kept = try #require(
      WebPushReceiver(privateKey: receiver.privateBytes, secret: receiver.keys.secret)
    )
    #expect(try kept.content(of: body) == Array("hello".utf8))
  }

  @Test func `no two bodies of one content are alike`() throws {
    let receiver = WebPushReceiver()
    let bodies = try (0..<4).map { _ in try WebPushEncryption().body([1, 2], for: receiver.keys) }
    #expect(Set(bodies).count == 4)
    #expect(Set(bodies.map { Array($0[..<16]) }).count == 4)
    #expect(Set(bodies.map { Array($0[21..<86]) }).count == 4)
  }

  @Test func `bodies that are no messages are refused whatever they are`() throws {
    let receiver = WebPushReceiver()
    let body = try WebPushEncryption().body(Array("hello".utf8), for: receiver.keys)
    var random = SystemRandomNumberGenerator()
    for length in 0..<body.count {
      #expect(throws: WebPushReceiver.Problem.self) {
        try receiver.content(of: Array(body[..<length]))
      }
      let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(throws: WebPushReceiver.Problem.self) { try receiver.content(of: noise) }
    }
    var offCurve = body
    offCurve[40] ^= 1
    #expect(throws: WebPushReceiver.Problem.malformed) { try receiver.content(of: offCurve) }
  }

  @Test(arguments: [
    ("", Example.auth), (Example.p256dh, ""), (Example.p256dh, "BTBZMqHH6r4Tts7J"),
    (String(Example.p256dh.dropLast(2)), Example.auth), ("?" + Example.p256dh, Example.auth),
    ("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw8", ""),
    (String(repeating: "A", count: 87), Example.auth),
    (String(repeating: "A", count: 100_000), Example.auth),
  ])
  func `keys that no browser gives out are refused`(_ p256dh: String, _ auth: String) {
    #expect(WebPushKeys(p256dh: p256dh, auth: auth) == nil)
  }

  @Test func `keys are read with padding and in the other alphabet too`() throws {
    let plain = try #require(WebPushKeys(p256dh: Example.p256dh, auth: Example.auth))
    let padded = WebPushKeys(
      p256dh: Base64.standard(plain.publicKey),
      auth: Base64.standard(plain.secret)
    )
    #expect(padded == plain)
  }
}

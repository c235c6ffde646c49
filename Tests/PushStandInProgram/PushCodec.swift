import BaseJSON
import BaseText
import PushMessaging

/// The encoder and the receiver of Web Push by commands, so that others' implementations can be set against them.
enum PushCodec {
  private struct Malformed: Error {}

  static func answer(_ command: JSONValue) throws -> JSONValue {
    switch command["command"]?.string {
    case "encrypt": try encrypt(command)
    case "receiver": receiver(WebPushReceiver())
    case "decrypt": try decrypt(command)
    case "vapid": try vapid(command)
    default: throw Malformed()
    }
  }

  private static func encrypt(_ command: JSONValue) throws -> JSONValue {
    guard
      let keys = WebPushKeys(
        p256dh: command["p256dh"]?.string ?? "",
        auth: command["auth"]?.string ?? ""
      )
    else { throw Malformed() }
    let body = try WebPushEncryption().body(try bytes(command, "content"), for: keys)
    return .object([.init("body", .string(Base64.url(body)))])
  }

  private static func receiver(_ receiver: WebPushReceiver) -> JSONValue {
    .object([
      .init("private", .string(Base64.url(receiver.privateBytes))),
      .init("p256dh", .string(Base64.url(receiver.keys.publicKey))),
      .init("auth", .string(Base64.url(receiver.keys.secret))),
    ])
  }

  private static func decrypt(_ command: JSONValue) throws -> JSONValue {
    let secret = try bytes(command, "auth")
    guard let receiver = WebPushReceiver(privateKey: try bytes(command, "private"), secret: secret)
    else { throw Malformed() }
    let content = try receiver.content(of: try bytes(command, "body"))
    return .object([.init("content", .string(Base64.url(content)))])
  }

  private static func vapid(_ command: JSONValue) throws -> JSONValue {
    let pair = VAPIDPair(newFor: command["subject"]?.string ?? "")
    let header = try pair.authorization(
      origin: command["origin"]?.string ?? "",
      expiry: Int(command["expiry"]?.integer ?? 0)
    )
    return .object([.init("authorization", .string(header))])
  }

  private static func bytes(_ command: JSONValue, _ name: String) throws -> [UInt8] {
    guard let bytes = Base64.decode((command[name]?.string ?? "").utf8) else { throw Malformed() }
    return bytes
  }
}

import AsyncHTTPClient
import BaseText
import Crypto
import NIOCore
import PushMessaging

/// One message for one device of Apple's: the request that it becomes.
struct APNsDelivery: Sendable {
  /// The reason why a parcel makes no request.
  struct Refusal: Error {
    let outcome: PushOutcome
  }

  let token: String
  let environment: PushAddress.Environment
  let key: APNsKey
  private let bundle: String
  private let parcel: PushParcel
  private let body: ByteBuffer

  /// Reads the parcel's address and credentials and checks them, and the size, which Apple would
  /// refuse.
  init(_ parcel: PushParcel) throws(Refusal) {
    guard case .apns(let token, let environment, let bundle) = parcel.address,
      !token.isEmpty, token.utf8.count <= 200,
      token.utf8.allSatisfy({ Hexadecimal.digit($0) != nil })
    else { throw Refusal(outcome: .refused(reason: "the address is not a device token")) }
    guard case .apns(let key) = parcel.credentials else {
      throw Refusal(outcome: .unauthorized(reason: "the project has no APNs key"))
    }
    self.token = token
    self.environment = environment
    self.bundle = bundle
    self.key = key
    self.parcel = parcel
    body = ByteBuffer(bytes: parcel.payload.compactBytes)
    let limit = parcel.headers["apns-push-type"] == "voip" ? 5_120 : 4_096
    guard body.readableBytes <= limit else {
      throw Refusal(outcome: .refused(reason: "PayloadTooLarge"))
    }
  }

  /// The request to the service at `origin` at the instant `now`, in seconds since 1970.
  func request(origin: String, authorization: String, now: Int) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: "\(origin)/3/device/\(token)")
    request.method = .POST
    request.headers.add(name: "authorization", value: authorization)
    for (name, value) in headers(now: now) { request.headers.add(name: name, value: value) }
    request.body = .bytes(body)
    return request
  }

  /// Apple's headers, without the authorization.
  func headers(now: Int) -> [(name: String, value: String)] {
    let said = parcel.headers
    let type = said["apns-push-type"] ?? (isSilent ? "background" : "alert")
    var headers = [
      ("apns-topic", said["apns-topic"] ?? bundle + Self.topicSuffix(type)),
      ("apns-push-type", type),
      ("apns-priority", said["apns-priority"] ?? priority(of: type)),
      ("apns-expiration", expiration(now: now)), ("apns-id", said["apns-id"] ?? identifier),
    ]
    if let collapse = said["apns-collapse-id"] ?? parcel.collapseKey.map(Self.collapseID) {
      headers.append(("apns-collapse-id", collapse))
    }
    return headers
  }

  /// Returns the suffix that Apple wants behind the bundle id for pushes of a type.
  private static func topicSuffix(_ type: String) -> String {
    switch type {
    case "complication": ".complication"
    case "fileprovider": ".pushkit.fileprovider"
    case "liveactivity": ".push-type.liveactivity"
    case "location": ".location-query"
    case "pushtotalk": ".voip-ptt"
    case "voip": ".voip"
    case "widgets": ".push-type.widgets"
    default: ""
    }
  }

  /// A push without anything to show: Apple wants those marked as such.
  private var isSilent: Bool {
    guard let aps = parcel.payload["aps"], aps["content-available"] != nil else { return false }
    return aps["alert"] == nil && aps["badge"] == nil && aps["sound"] == nil
  }

  private func priority(of type: String) -> String {
    type == "background" || parcel.priority == .normal ? "5" : "10"
  }

  /// 0 asks for one attempt: a message that can't be delivered at once is not kept.
  private func expiration(now: Int) -> String {
    let left = parcel.timeToLive.components.seconds
    return left <= 0 ? "0" : "\(Int64(now) + left)"
  }

  /// The same UUID at every attempt, another for each device.
  private var identifier: String {
    var bytes = Array(SHA256.hash(data: Array("\(parcel.messageID) \(token)".utf8)).prefix(16))
    // Version 8 and the variant of RFC 9562.
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = Hexadecimal.text(bytes)
    // From the end on, so that the earlier places stay where they are.
    for place in [20, 16, 12, 8] {
      text.insert("-", at: text.utf8.index(text.startIndex, offsetBy: place))
    }
    return text
  }

  /// The key itself where Apple takes it, else its hash: 64 bytes at most.
  private static func collapseID(_ key: String) -> String {
    let isPlain = key.utf8.count <= 64 && key.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    return isPlain ? key : Hexadecimal.text(SHA256.hash(data: Array(key.utf8)))
  }
}

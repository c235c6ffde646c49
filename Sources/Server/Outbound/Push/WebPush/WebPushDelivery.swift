import AsyncHTTPClient
import NIOCore
import PushMessaging

/// One message for one subscription: the request of RFC 8030 that it becomes.
struct WebPushDelivery: Sendable {
  /// The reason why a parcel makes no request.
  struct Refusal: Error {
    let outcome: PushOutcome
  }

  let url: FetchURL
  let pair: VAPIDPair
  private let keys: WebPushKeys
  private let parcel: PushParcel

  /// Reads the parcel's address and credentials, and checks them.
  init(_ parcel: PushParcel) throws(Refusal) {
    guard case .webPush(let endpoint, let p256dh, let auth, let vapidKey) = parcel.address,
      let url = FetchURL(endpoint), let keys = WebPushKeys(publicKey: p256dh, secret: auth)
    else { throw Refusal(outcome: .refused(reason: "the address is not a Web Push subscription")) }
    guard case .vapid(let pair) = parcel.credentials else {
      throw Refusal(outcome: .unauthorized(reason: "the project has no VAPID key"))
    }
    if let vapidKey, vapidKey != pair.publicKey {
      let reason = "the subscription belongs to another VAPID key"
      throw Refusal(outcome: .unauthorized(reason: reason))
    }
    self.url = url
    self.pair = pair
    self.keys = keys
    self.parcel = parcel
  }

  /// The request, newly encrypted.
  func request(authorization: String) throws -> HTTPClientRequest {
    let content = DeclarativePush.adding(to: parcel.payload).compactBytes
    var request = HTTPClientRequest(url: url.text)
    request.method = .POST
    for (name, value) in headers(authorization) { request.headers.add(name: name, value: value) }
    do {
      request.body = .bytes(ByteBuffer(bytes: try WebPushEncryption().body(content, for: keys)))
    } catch WebPushEncryption.Problem.contentTooLarge {
      throw Refusal(outcome: .refused(reason: "the payload is larger than 3993 bytes"))
    }
    return request
  }

  private func headers(_ authorization: String) -> [(String, String)] {
    var headers = [
      ("authorization", authorization), ("content-encoding", "aes128gcm"),
      ("content-type", "application/octet-stream"),
      ("ttl", "\(max(0, parcel.timeToLive.components.seconds))"), ("urgency", urgency),
    ]
    if let key = parcel.collapseKey { headers.append(("topic", WebPushTopic.text(of: key))) }
    return headers
  }

  /// The urgency that the message itself names, or that its priority means.
  private var urgency: String {
    let said = parcel.headers["urgency"]?.lowercased() ?? ""
    if ["very-low", "low", "normal", "high"].contains(said) { return said }
    return parcel.priority == .high ? "high" : "normal"
  }
}

import BaseText
import KeyValueStore

/// An app on a device that gets messages.
package struct Registration: Sendable, Equatable {
  /// The cause and the time of a registration's end.
  package struct Gone: Sendable, Equatable {
    /// The cause, such as `unregistered`, `replaced`, `stale`, or a push service's text.
    package let reason: String
    /// The time since which it gets nothing, in microseconds since 1970.
    package let at: Int64
  }

  /// The app's description of itself.
  package struct Details: Sendable, Equatable {
    /// The client's name for its platform; else `web`, `ios`, `direct` or `imported`.
    package var platform = ""
    /// The app's own version, such as `1.4.2`; empty where the app does not tell it.
    package var appVersion = ""
    /// The language of the device, as the app sends it; empty if it does not.
    package var language = ""
    /// The time zone's identifier, such as `America/Sao_Paulo`; empty if it is unknown.
    package var timeZone = ""

    /// Nothing said.
    package init() {}
  }

  /// The id of the project that made it.
  package let project: Text
  /// A number that no other registration of the store has; it stays when the token changes.
  package let number: Int64
  /// The id of the app's installation.
  package let installation: String
  /// The app's id in Google's form, such as `1:42:ios:ab`.
  package let appID: String
  /// The address that the app gave last.
  package var address: PushAddress
  /// The app's description of itself, replaced with every renewal.
  package var details: Details
  /// The user, where a verified token named one.
  package var uid: String?
  var tokenHash: [UInt8]
  /// The time of the first registration, in microseconds since 1970.
  package let created: Int64
  /// When the app last sent its address: a push service's report about an earlier time is about
  /// another one.
  package var renewed: Int64
  /// The day of the app's last other call; 0 if there was none.
  var lastCall: Int64 = 0
  /// The end of the registration; nil while it is live.
  package var gone: Gone?

  init(
    project: Text,
    number: Int64,
    installation: String,
    appID: String,
    address: PushAddress,
    details: Details,
    uid: String?,
    tokenHash: [UInt8],
    now: Int64
  ) {
    self.project = project
    self.number = number
    self.installation = installation
    self.appID = appID
    self.address = address
    self.details = details
    self.uid = uid
    self.tokenHash = tokenHash
    created = now
    renewed = now
    gone = nil
  }

  init(decoding value: some Collection<UInt8>, project: Text, number: Int64) throws {
    var reader = try RecordReader(Array(value))
    var (installation, appID, uid) = ("", "", String?.none)
    var (address, details): (PushAddress?, Details) = (nil, Details())
    var (tokenHash, created, renewed): ([UInt8], Int64, Int64) = ([], 0, 0)
    var (reason, at): (String?, Int64) = (nil, 0)
    while let field = try reader.next() {
      switch field.tag {
      case 1: installation = try field.string()
      case 2: appID = try field.string()
      case 3: address = try PushAddress(decoding: field.raw)
      case 4: details.platform = try field.string()
      case 5: details.appVersion = try field.string()
      case 6: details.language = try field.string()
      case 7: details.timeZone = try field.string()
      case 8: uid = try field.string()
      case 9: tokenHash = field.raw
      case 10: created = try field.number()
      case 11: renewed = try field.number()
      case 12: reason = try field.string()
      case 13: at = try field.number()
      case 14: lastCall = try field.number()
      default: break
      }
    }
    guard let address else { throw RecordReader.corrupt("no registration") }
    self.project = project
    self.number = number
    self.installation = installation
    self.appID = appID
    self.address = address
    self.details = details
    self.uid = uid
    self.tokenHash = tokenHash
    self.created = created
    self.renewed = renewed
    gone = reason.map { Gone(reason: $0, at: at) }
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, installation)
    writer.put(2, appID)
    writer.put(3, bytes: address.encoded)
    writer.put(4, details.platform)
    writer.put(5, details.appVersion)
    writer.put(6, details.language)
    writer.put(7, details.timeZone)
    writer.put(8, uid)
    writer.put(9, bytes: tokenHash)
    writer.put(10, created)
    writer.put(11, renewed)
    writer.put(12, gone?.reason)
    writer.put(13, gone?.at)
    writer.put(14, lastCall)
    return writer.bytes
  }

  /// The time of the app's last sign of life.
  package var heard: Int64 { max(renewed, lastCall) }

  static func read(
    _ project: Text,
    _ number: Int64,
    _ reader: any KeyValueReader
  ) throws -> Registration? {
    try reader.get(MessagingKey(.registration, project, number).bytes).map {
      try Registration(decoding: $0, project: project, number: number)
    }
  }
}

extension PushAddress {
  /// A record: 1 APNs token, 2 environment, 3 bundle; 4 endpoint, 5 public key, 6 secret, 7 VAPID key; neither is direct.
  var encoded: [UInt8] {
    var writer = RecordWriter()
    switch self {
    case .apns(let token, let environment, let bundle):
      writer.put(1, token)
      writer.put(2, environment.rawValue)
      writer.put(3, bundle)
    case .webPush(let endpoint, let p256dh, let auth, let vapidKey):
      writer.put(4, endpoint)
      writer.put(5, bytes: p256dh)
      writer.put(6, bytes: auth)
      writer.put(7, bytes: vapidKey)
    case .direct: break
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws {
    var reader = try RecordReader(bytes)
    var (token, environment, bundle) = (String?.none, Environment.production, "")
    var (endpoint, p256dh, auth) = (String?.none, [UInt8](), [UInt8]())
    var vapidKey: [UInt8]?
    while let field = try reader.next() {
      switch field.tag {
      case 1: token = try field.string()
      case 2: environment = Environment(rawValue: try field.string()) ?? .production
      case 3: bundle = try field.string()
      case 4: endpoint = try field.string()
      case 5: p256dh = field.raw
      case 6: auth = field.raw
      case 7: vapidKey = field.raw
      default: break
      }
    }
    if let token {
      self = .apns(token: token, environment: environment, bundle: bundle)
    } else if let endpoint {
      self = .webPush(endpoint: endpoint, p256dh: p256dh, auth: auth, vapidKey: vapidKey)
    } else {
      self = .direct
    }
  }
}

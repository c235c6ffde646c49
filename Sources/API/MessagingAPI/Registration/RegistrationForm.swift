import BaseJSON
import BaseText
import PushMessaging

/// The address of an app, and its details, in a body.
struct RegistrationForm {
  let address: PushAddress
  let details: Registration.Details

  /// Bytes of an endpoint's URL.
  private static let endpointLimit = 1_000

  /// Reads one of the forms `web`, `ios` and `direct`; INVALID_ARGUMENT names the field.
  init(_ json: JSONValue) throws(MessagingError) {
    let forms = ["web", "ios", "direct"].filter { json[$0]?.members != nil }
    guard forms.count == 1, let name = forms.first, let form = json[name] else {
      throw .invalid("", "One of web, ios and direct is expected.")
    }
    address =
      switch name {
      case "web": try Self.web(form)
      case "ios": try Self.apple(form)
      default: .direct
      }
    var details = Registration.Details()
    details.platform = try Self.detail(form["platform"]?.string ?? name, "platform")
    details.appVersion = try Self.detail(form["app_version"]?.string, "app_version")
    details.language = try Self.detail(form["language"]?.string, "language")
    details.timeZone = try Self.detail(form["time_zone"]?.string, "time_zone")
    self.details = details
  }

  private static func detail(
    _ text: String?,
    _ field: String
  ) throws(MessagingError) -> String {
    guard let text else { return "" }
    guard text.utf8.count <= 100 else { throw .invalid(field, "\(field) is too long.") }
    return text
  }

  private static func web(_ form: JSONValue) throws(MessagingError) -> PushAddress {
    guard let endpoint = form["endpoint"]?.string, endpoint.utf8.count <= endpointLimit,
      endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://")
    else { throw .invalid("web.endpoint", "The endpoint is not the URL of a push service.") }
    let vapidKey = form.present("applicationPubKey").flatMap { $0 == .string("") ? nil : $0 }
    return .webPush(
      endpoint: endpoint,
      p256dh: try point(form["p256dh"]?.string, "web.p256dh"),
      auth: try bytes(form["auth"]?.string, 16, "web.auth"),
      vapidKey: try vapidKey.map { key throws(MessagingError) in
        try point(key.string, "web.applicationPubKey")
      }
    )
  }

  /// A public key, as base64url of an uncompressed point; INVALID_ARGUMENT names the field.
  static func point(
    _ text: String?,
    _ field: String
  ) throws(MessagingError) -> [UInt8] {
    let point = try bytes(text, 65, field)
    guard point.first == 4 else { throw .invalid(field, "\(field) is not a point on P-256.") }
    return point
  }

  private static func bytes(
    _ text: String?,
    _ count: Int,
    _ field: String
  ) throws(MessagingError) -> [UInt8] {
    guard let text, text.utf8.count <= 200, let bytes = Base64.decode(text),
      bytes.count == count
    else { throw .invalid(field, "\(field) is not base64url of \(count) bytes.") }
    return bytes
  }

  private static func apple(_ form: JSONValue) throws(MessagingError) -> PushAddress {
    let token = (form["apns_token"] ?? form["apnsToken"])?.string?.lowercased() ?? ""
    guard PushAddress.isDeviceToken(token) else {
      throw .invalid("ios.apns_token", "apns_token is not a device token.")
    }
    let bundle = (form["bundle_id"] ?? form["bundleId"])?.string ?? ""
    guard !bundle.isEmpty, bundle.utf8.count <= 255 else {
      throw .invalid("ios.bundle_id", "bundle_id is missing.")
    }
    let environment = (form["apns_environment"] ?? form["apnsEnvironment"])?.string
    return .apns(
      token: token,
      environment: environment == "SANDBOX" ? .sandbox : .production,
      bundle: bundle
    )
  }
}

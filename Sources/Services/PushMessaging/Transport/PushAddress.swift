/// The address of a registration's messages.
package enum PushAddress: Sendable, Hashable {
  /// Apple's two services, each with device tokens of its own.
  package enum Environment: String, Sendable, Hashable {
    case production
    case sandbox
  }

  /// An app on a device of Apple's; the token is lower-case hexadecimal.
  case apns(token: String, environment: Environment, bundle: String)
  /// A subscription of RFC 8030: a browser, or an app with UnifiedPush.
  ///
  /// The endpoint is a client's text: which hosts may be called is the transport's to check. Keys are bytes: the
  /// client's public key (65 bytes), its secret (16 bytes), and the public key of the VAPID pair that the subscription
  /// was made for where it is not the project's.
  case webPush(endpoint: String, p256dh: [UInt8], auth: [UInt8], vapidKey: [UInt8]?)
  /// A client that connects to us.
  case direct
}

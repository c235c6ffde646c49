import BaseJSON
import BaseText

/// One message for one registration on its way to a transport.
package struct PushParcel: Sendable {
  /// The urgency with which a device is to show a message.
  package enum Priority: UInt8, Sendable, CaseIterable {
    case high = 0
    case normal = 1
  }

  /// The message's ID, the same at every attempt: devices drop messages that they have seen.
  package let messageID: String
  /// The project that sends.
  package let sender: Text
  /// The address of the registration, of the transport's own case.
  package let address: PushAddress
  /// The project's credentials for the push service; `none` where the address needs none.
  package let credentials: PushCredentials
  /// The payload for the device, with the platform's members of the message merged in: for APNs the
  /// whole payload with `aps`, for the others the JSON that Firebase's clients of the web take.
  package let payload: JSONValue
  /// The message's values of the platform's own header fields, as `apns-push-type`; lower-case
  /// names.
  ///
  /// Without those that follow from the other properties: `apns-priority`, `apns-expiration`, `apns-collapse-id`, `ttl`,
  /// `urgency` (unless it is `very-low` or `low`) and `topic`. `apns-topic` is there where the message names one; else it
  /// is the address's bundle.
  package let headers: [String: String]
  /// A newer message of the same key takes the place of one that waits; transports cut it to what they take.
  package let collapseKey: String?
  /// The delivery's priority, which transports translate to the push service's own.
  package let priority: Priority
  /// The rest of the message's life: 0 is now or never.
  package let timeToLive: Duration
  /// 1 at the first time.
  package let attempt: Int

  /// A parcel of those parts.
  package init(
    messageID: String,
    sender: Text,
    address: PushAddress,
    credentials: PushCredentials,
    payload: JSONValue,
    headers: [String: String] = [:],
    collapseKey: String? = nil,
    priority: Priority = .normal,
    timeToLive: Duration,
    attempt: Int = 1
  ) {
    self.messageID = messageID
    self.sender = sender
    self.address = address
    self.credentials = credentials
    self.payload = payload
    self.headers = headers
    self.collapseKey = collapseKey
    self.priority = priority
    self.timeToLive = timeToLive
    self.attempt = attempt
  }
}

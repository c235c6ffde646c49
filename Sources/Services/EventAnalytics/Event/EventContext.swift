/// The common context of a batch's events: the app and the device that it runs on.
///
/// Texts are empty where the app does not say.
package struct EventContext: Sendable, Hashable {
  /// The app's id at Firebase, such as `1:123:ios:abc`.
  package var appID = ""
  /// Upper-case: `IOS`, `ANDROID`, `WEB`.
  package var platform = ""
  /// The device's model, such as `iPhone15,2`.
  package var model = ""
  /// The version of the operating system.
  package var osVersion = ""
  /// The version that the app's users see.
  package var appVersion = ""
  /// The device's language tag, as the app sends it.
  package var language = ""
  /// Two letters, upper-case.
  package var country = ""
  /// Seconds east of UTC; 0 where the app does not say.
  package var timeZoneOffsetSeconds: Int64 = 0

  /// A context of which nothing is known.
  package init() {}

  static let texts: [WritableKeyPath<EventContext, String> & Sendable] = [
    \.appID, \.platform, \.model, \.osVersion, \.appVersion, \.language, \.country,
  ]

  var encoded: [UInt8] {
    var writer = ByteWriter()
    for text in Self.texts { writer.text(self[keyPath: text]) }
    writer.signed(timeZoneOffsetSeconds)
    return writer.bytes
  }

  init(from reader: inout ByteReader) throws {
    for text in Self.texts { self[keyPath: text] = try reader.text() }
    timeZoneOffsetSeconds = try reader.signed()
  }
}

/// Events that an app, or a server in its name, sends at once.
package struct EventBatch: Sendable, Equatable {
  /// The installation; nil where its user has not agreed to be recognised.
  package var instanceID: String?
  /// The app's number of the batch, by which one that is sent again is known; nil counts every time.
  package var number: Int64?
  /// The app and the device, the same for all events of the batch.
  package var context: EventContext
  /// The id that the app gave its user; nil if it gave none, or `BatchCheck` dropped it as too long.
  package var userID: String?
  /// The user's properties as the app knew them when it sent the batch.
  package var properties: [UserProperty] = []
  /// In the order in which the app sent them; drops name an event by its index here.
  package var events: [AnalyticsEvent]
  /// True if the batch is shown in the DebugView alone.
  package var isDebug = false
  /// The server's knowledge of its sender.
  package var standing = SenderStanding.proven
  /// The mark of the sender's network; nil for a sender with an administrator's credentials.
  package var networkMark: UInt64?
  /// True if an administrator imported the batch: bounds that keep clients from junk do not apply.
  package var isImported = false
  /// When the server got it: microseconds since the epoch.
  package var received: Int64 = 0
  /// The microseconds added to the app's times.
  package var clockOffset: Int64 = 0
  /// The number of dropped events, by reason.
  package var dropped: [DropCode: Int] = [:]

  /// A batch of an installation.
  package init(
    instanceID: String?,
    number: Int64? = nil,
    context: EventContext = EventContext(),
    events: [AnalyticsEvent]
  ) {
    self.instanceID = instanceID
    self.number = number
    self.context = context
    self.events = events
  }
}

extension EventBatch {
  /// Recognizes a repeat of a numbered batch without an installation: its device, and its events
  /// with their times there.
  ///
  /// nil for a batch without a number.
  var fingerprint: String? {
    guard number != nil else { return nil }
    var writer = ByteWriter()
    for event in events {
      writer.signed(event.time)
      writer.signed(event.sequence)
      writer.text(event.name)
    }
    // FNV-1a: numbers and times tell batches apart, too.
    let hash = (context.encoded + writer.bytes).reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return "~\(String(hash, radix: 16))"
  }
}

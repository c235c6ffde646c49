/// A batch of events as the server takes it.
struct EventBatch: Encodable, Sendable {
  /// Nil where the user does not consent to an id.
  let appInstanceId: String?
  /// The proof of the id, where it is not the installation's.
  let appInstanceSecret: String?
  let batchNumber: Int64
  /// The device's clock, by which the server corrects the times of events.
  let sentTimeMillis: Int64
  let device: EventDevice
  let consent: [String: String]
  let debug: Bool
  let userId: String?
  let userProperties: [String: EventContext.Property]
  let events: [LoggedEvent]

  /// The batch of a log's first events, which are not empty.
  init(
    number: Int64,
    events: ArraySlice<LogContents.Waiting>,
    instanceID: String,
    secret: String? = nil,
    sentTimeMillis: Int64
  ) {
    let context = events.first?.context ?? EventContext()
    appInstanceId = context.isAnonymous ? nil : instanceID
    appInstanceSecret = context.isAnonymous ? nil : secret
    batchNumber = number
    self.sentTimeMillis = sentTimeMillis
    device = context.device
    consent = context.consent
    debug = context.isDebug
    userId = context.isAnonymous ? nil : context.userID
    userProperties = context.properties
    self.events = events.map(\.event)
  }
}

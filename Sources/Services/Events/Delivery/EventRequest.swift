/// The form in which an event leaves: the headers and body that its target expects.
package struct EventRequest: Sendable, Hashable {
  /// The form, for functions.
  package var signature: FunctionDelivery.Signature
  /// The headers in lower case, `content-type` among them.
  package var headers: [FunctionDelivery.Header]
  /// The body.
  package var body: [UInt8]

  /// A request of that form.
  package init(
    signature: FunctionDelivery.Signature,
    headers: [FunctionDelivery.Header],
    body: [UInt8]
  ) {
    self.signature = signature
    self.headers = headers
    self.body = body
  }
}

/// One attempt to deliver an event, for those who give it a form.
package struct EventAttempt: Sendable, Hashable {
  /// The trigger.
  package let trigger: Trigger
  /// The event.
  package let event: StoredEvent
  /// The event's id, the same at each attempt.
  package let id: String
  /// Attempts that were made before.
  package let failures: Int
  /// The status of the last failure; 0 for none.
  package let lastStatus: Int
  /// The reason of the last failure.
  package let lastReason: String?
}

/// Gives events the form that Google's SDKs expect.
package protocol EventEncoding: Sendable {
  /// The request of an attempt; throws for an event that has no form.
  func request(for attempt: EventAttempt) throws -> EventRequest
}

/// Posts events to addresses outside.
package protocol EventPosting: Sendable {
  /// Throws INVALID_ARGUMENT for a URL that is not allowed for any address of its host.
  func check(_ url: String) throws

  /// Posts a request and returns its outcome; adds the credentials.
  func post(
    _ request: EventRequest,
    to url: String,
    project: String,
    timeoutSeconds: Int
  ) async -> DeliveryOutcome
}

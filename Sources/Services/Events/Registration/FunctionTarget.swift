/// Delivers to functions: the host of functions conforms, and the composition gives it to the event bus.
package protocol FunctionTarget: Sendable {
  /// Sends one request to an instance of the function and returns its outcome.
  ///
  /// Called again with the same event id after a failure that is to be repeated, and after a crash of the server. At most
  /// `TriggerDeclaration.concurrency` calls of one trigger run at the same time, and never two of one document. The call
  /// ends by itself at the delivery's time limit; its task is cancelled where the server stops.
  func deliver(_ delivery: FunctionDelivery) async -> DeliveryOutcome
}

/// A request to a function: the bytes that Google's SDKs expect, for any transport.
package struct FunctionDelivery: Sendable, Hashable {
  /// The value of `FUNCTION_SIGNATURE_TYPE` for the request.
  package enum Signature: String, Sendable, Hashable {
    /// Events of the second generation: binary CloudEvents, `ce-` headers and the data as body.
    case cloudEvent = "cloudevent"
    /// Events of the first generation: JSON of `context` and `data`.
    case background = "event"
    /// Schedules and tasks.
    case http
  }

  /// The function.
  package let function: FunctionName
  /// The form of the request.
  package let signature: Signature
  /// The event's id, the same at every attempt; the task's name or the firing's for `http`.
  package let eventID: String
  /// 1 at the first attempt.
  package let attempt: Int
  /// The chain of events that led here, for writes that the function makes: 0 for what no function caused.
  package let depth: Int
  /// `POST` always; the path is `/`.
  ///
  /// Names are in lower case; `content-type` is among them, `content-length` and `host` are not.
  package let headers: [Header]
  /// The body.
  package let body: [UInt8]
  /// Seconds after which the delivery has failed.
  package let timeoutSeconds: Int

  /// A header of the request.
  package struct Header: Sendable, Hashable {
    /// The name in lower case.
    package let name: String
    /// The value, printable ASCII.
    package let value: String

    /// A header of that name.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A request to a function.
  package init(
    function: FunctionName,
    signature: Signature,
    eventID: String,
    attempt: Int,
    depth: Int,
    headers: [Header],
    body: [UInt8],
    timeoutSeconds: Int
  ) {
    self.function = function
    self.signature = signature
    self.eventID = eventID
    self.attempt = attempt
    self.depth = depth
    self.headers = headers
    self.body = body
    self.timeoutSeconds = timeoutSeconds
  }
}

/// The end of one attempt to deliver.
package enum DeliveryOutcome: Sendable, Hashable {
  /// The target responded with a status of 200 to 299.
  case delivered
  /// The target responded with another status (nil: crash, no connection or time limit), and the reason in words.
  case failed(status: Int?, reason: String)
  /// There is no such function, or functions are off: the event waits and no attempt is counted.
  case absent
}

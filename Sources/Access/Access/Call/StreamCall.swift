import BaseStatus

/// The service's half of a bidirectional call.
///
/// The transport calls one method at a time, in the client's order, usually on the connection's
/// event loop: none may block.
package protocol StreamCall: AnyObject, Sendable {
  /// The client's next message.
  func receive(_ message: [UInt8])
  /// The client sends no more; answers may still follow.
  func finishRequests()
  /// Notifies the call that no response can be delivered any more: the client disconnected, the
  /// deadline passed or the transport failed. The last call.
  func cancel()
  /// The client took what was queued, after `StreamResponses.send` had said to wait.
  func resumeSending()
  /// The server stops; nothing more is received.
  ///
  /// True means that the call finishes by itself soon, with UNAVAILABLE, after the responses to
  /// received messages; false lets the transport end it now, and cancel.
  func drain() -> Bool
}

extension StreamCall {
  /// Returns false: the transport ends the call now.
  package func drain() -> Bool { false }
}

/// The transport's half: carries answers to the client.
///
/// Any thread may call; `send` and `finish` for one stream must not overlap, so that the order is
/// the service's.
package protocol StreamResponses: AnyObject, Sendable {
  /// Queues encoded messages in order. False asks the sender to wait for `resumeSending()`: more
  /// than the transport's window is queued. Requests that are sent anyway are queued anyway.
  @discardableResult
  func send(_ messages: [[UInt8]]) -> Bool
  /// Stops and starts reading the client's messages, which is how a flood of requests is held back.
  func setReading(_ isReading: Bool)
  /// Ends the call after the messages already sent; nil is OK. Later calls do nothing.
  func finish(_ error: ServiceError?)
}

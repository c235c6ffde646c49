import FirestoreWire

/// The request of a WebChannel session that is held open to carry arrays to the client.
///
/// A streaming one is kept for minutes; a long poll ends with its first data. Both end with a noop
/// rather than empty: clients count empty responses as failures.
struct WebChannelBackChannel {
  /// The next step of its request.
  enum Step {
    case write(ArraySlice<WebChannelOutbox.Item>, isLast: Bool)
    /// Until woken.
    case wait
    case end
  }

  /// Distinguishes it from the one before, which may not know yet that it was replaced.
  let generation: Int
  let isLongPoll: Bool
  /// The time at which it ends, with a noop if nothing else has been written.
  let end: ContinuousClock.Instant
  /// The last array that was written on it, or that the client had when it opened.
  var lastSent: Int
  /// The time at which a noop is due.
  var noop: ContinuousClock.Instant
  var waiter: CheckedContinuation<Void, Never>?

  /// Returns true if something is due by now.
  func isDue(_ now: ContinuousClock.Instant) -> Bool { now >= end || now >= noop }
}

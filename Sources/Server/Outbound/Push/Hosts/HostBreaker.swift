/// Keeps requests away from a host that does not answer.
///
/// After `threshold` failures in a row the host is left alone for a second; then one request tries
/// it. Each trial that fails doubles the pause, up to a minute. A host that sends a time to retry
/// is left alone until then.
struct HostBreaker: Sendable {
  /// The decision to let a request go or wait.
  enum Admission: Sendable, Equatable {
    case go
    /// Not before that time has passed.
    case wait(Duration)
  }

  private enum State {
    /// Requests go; that many failed since the last success.
    case closed(failures: Int)
    /// No request goes before the instant.
    case open(until: ContinuousClock.Instant, pause: Duration)
    /// One request tries the host.
    case trying(pause: Duration)
  }

  static let threshold = 5
  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(60)
  private static let longestRequest = Duration.seconds(3_600)

  private var state = State.closed(failures: 0)

  /// Asks for one request.
  ///
  /// A caller that may go must report how its request ended: `succeed`, `fail` or `abandon`.
  mutating func admit(at now: ContinuousClock.Instant) -> Admission {
    switch state {
    case .closed: return .go
    case .trying: return .wait(Self.shortest)
    case .open(let end, let pause):
      guard now >= end else { return .wait(end - now) }
      state = .trying(pause: pause)
      return .go
    }
  }

  /// The host answered.
  mutating func succeed() {
    switch state {
    case .closed, .trying: state = .closed(failures: 0)
    // A late response to a request from before the failures.
    case .open: break
    }
  }

  /// The host did not answer, or said that it can't.
  mutating func fail(at now: ContinuousClock.Instant) {
    switch state {
    case .closed(let failures) where failures + 1 < Self.threshold:
      state = .closed(failures: failures + 1)
    case .closed: state = .open(until: now + Self.shortest, pause: Self.shortest)
    case .trying(let pause):
      let longer = min(pause * 2, Self.longest)
      state = .open(until: now + longer, pause: longer)
    case .open: break
    }
  }

  /// The request ended without a response of the host's making, as by cancellation.
  mutating func abandon(at now: ContinuousClock.Instant) {
    if case .trying(let pause) = state { state = .open(until: now, pause: pause) }
  }

  /// The host wants no request for that time; an hour at most.
  mutating func pause(for time: Duration, at now: ContinuousClock.Instant) {
    state = .open(until: now + min(time, Self.longestRequest), pause: Self.shortest)
  }
}

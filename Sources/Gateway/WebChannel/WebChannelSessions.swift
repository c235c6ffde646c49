import Dispatch
import FirestoreModel
import FirestoreService
import FirestoreWire
import Synchronization

/// The open WebChannel sessions of a gateway, found by their unguessable ids.
///
/// A timer runs while there are any: it sends noops, ends long polls and forgets sessions whose
/// client is not heard of any more.
final class WebChannelSessions: WebChannelObserver {
  private struct State {
    var sessions: [String: WebChannelSession] = [:]
    var timer: (any DispatchSourceTimer)?
    var isStopping = false
  }

  let limits: WebChannelLimits
  private let metrics: GatewayMetrics
  private let state = Mutex(State())

  /// How exact times are.
  private static let tick = DispatchTimeInterval.milliseconds(250)

  init(limits: WebChannelLimits, metrics: GatewayMetrics) {
    self.limits = limits
    self.metrics = metrics
  }

  deinit { state.withLock { $0.timer?.cancel() } }

  /// A new session; nil where there are too many, or the server stops.
  func open(_ binding: WebChannelSession.Binding) -> WebChannelSession? {
    let session = WebChannelSession(
      id: Self.secret(),
      affinity: Self.secret(),
      binding: binding,
      limits: limits,
      observer: self,
      now: .now
    )
    let isWelcome = state.withLock { state in
      guard !state.isStopping, state.sessions.count < limits.sessions else { return false }
      state.sessions[session.id] = session
      if state.timer == nil { state.timer = makeTimer() }
      return true
    }
    guard isWelcome else { return nil }
    metrics.streamOpened(binding.method)
    return session
  }

  /// The session of that id, where the request may speak for it.
  func session(
    _ id: String,
    affinity: String?,
    for binding: WebChannelSession.Binding
  ) -> WebChannelSession? {
    guard let session = state.withLock({ $0.sessions[id] }), session.binding.admits(binding),
      affinity == nil || affinity == session.affinity
    else { return nil }
    return session
  }

  /// Ends a session at its client's wish.
  func remove(_ session: WebChannelSession) {
    state.withLock { $0.sessions[session.id] = nil }
    session.discard()
  }

  /// How many sessions there are.
  var count: Int { state.withLock { $0.sessions.count } }

  /// Ends all sessions; new ones are refused from now on.
  func stop() {
    let sessions = state.withLock { state in
      state.isStopping = true
      return Array(state.sessions.values)
    }
    for session in sessions { session.drain() }
  }

  /// Does what is due.
  func tick(_ now: ContinuousClock.Instant) {
    for session in state.withLock({ Array($0.sessions.values) }) where !session.tick(now) {
      remove(session)
    }
    state.withLock { state in
      guard state.sessions.isEmpty else { return }
      state.timer?.cancel()
      state.timer = nil
    }
  }

  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { [weak self] in self?.tick(.now) }
    timer.schedule(deadline: .now() + Self.tick, repeating: Self.tick)
    timer.activate()
    return timer
  }

  /// 128 random bits.
  private static func secret() -> String {
    var generator = SystemRandomNumberGenerator()
    return Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  // MARK: Metrics

  func received() { metrics.receivedMessages.add(1) }

  func sent(_ messages: Int) { metrics.sentMessages.add(messages) }

  func ended(_ method: RPCMethod, _ code: StatusCode) {
    metrics.streamClosed(method)
    metrics.observe(CallName(method), code, since: nil)
  }
}

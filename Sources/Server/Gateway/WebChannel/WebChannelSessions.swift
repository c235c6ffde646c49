import Access
import BaseRuntime
import BaseStatus
import BaseText
import Dispatch
import KeyValueStore
import Synchronization

/// The open WebChannel sessions of a gateway, found by their unguessable ids.
///
/// A timer runs while there are any: it sends noops, ends long polls and forgets sessions of
/// clients without a sign of life. The memory that a session holds is charged to an account of the
/// ledger, and the number of sessions that a client may have is its share of the table.
final class WebChannelSessions: WebChannelObserver {
  private struct Entry {
    let session: WebChannelSession
    let holder: WebChannelShares.Holder
    let address: ClientAddress
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var shares: WebChannelShares
    var timer: (any DispatchSourceTimer)?
    var isStopping = false
  }

  let limits: WebChannelLimits
  /// In front of the ids of one node of several.
  private let prefix: String
  private let ledger: ByteLedger
  private let metrics: GatewayMetrics
  private let state: Mutex<State>

  /// The precision of times.
  private static let tick = DispatchTimeInterval.milliseconds(250)

  /// - Parameter node: The number of this node among several; ids contain it.
  init(
    limits: WebChannelLimits,
    node: NodeNumber? = nil,
    ledger: ByteLedger,
    metrics: GatewayMetrics
  ) {
    self.limits = limits
    prefix = node?.text ?? ""
    self.ledger = ledger
    self.metrics = metrics
    state = Mutex(State(shares: WebChannelShares(limit: limits.sessions)))
  }

  deinit { state.withLock { $0.timer?.cancel() } }

  /// A new session whose call has begun; nil where its client may have no more, or the server stops.
  func open(
    _ binding: WebChannelSession.Binding,
    at address: ClientAddress,
    _ context: (Cancellation, LedgerAccount) -> CallContext
  ) -> WebChannelSession? {
    let account = ledger.account(of: address)
    let session = WebChannelSession(
      id: prefix + Self.secret(),
      affinity: Self.secret(),
      binding: binding,
      limits: limits,
      observer: self,
      account: account,
      now: .now
    )
    binding.method.served.streamOpened()
    // The service decides about the share's owner after it has checked the credentials.
    let context = context(session.cancellation, account)
    session.open(context)
    let holder = context.memory.map(WebChannelShares.Holder.init) ?? .nobody
    guard insert(Entry(session: session, holder: holder, address: address)) else {
      session.discard()
      return nil
    }
    return session
  }

  private func insert(_ entry: Entry) -> Bool {
    state.withLock { state in
      guard !state.isStopping, state.shares.admit(entry.holder, at: entry.address) else {
        return false
      }
      state.entries[entry.session.id] = entry
      if state.timer == nil { state.timer = makeTimer() }
      return true
    }
  }

  /// The session of that id, where the request may speak for it.
  func session(
    _ id: String,
    affinity: String?,
    for binding: WebChannelSession.Binding
  ) -> WebChannelSession? {
    guard let session = state.withLock({ $0.entries[id]?.session }),
      session.binding.admits(binding),
      affinity == nil || affinity == session.affinity
    else { return nil }
    return session
  }

  /// Ends a session at its client's wish.
  func remove(_ session: WebChannelSession) {
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: session.id) else { return }
      state.shares.release(entry.holder, at: entry.address)
    }
    session.discard()
  }

  /// The number of sessions.
  var count: Int { state.withLock { $0.entries.count } }

  /// Ends all sessions; new ones are refused from now on.
  func stop() {
    let sessions = state.withLock { state in
      state.isStopping = true
      return state.entries.values.map(\.session)
    }
    for session in sessions { session.drain() }
  }

  /// Does due work.
  func tick(_ now: ContinuousClock.Instant) {
    for session in state.withLock({ $0.entries.values.map(\.session) }) where !session.tick(now) {
      remove(session)
    }
    state.withLock { state in
      guard state.entries.isEmpty else { return }
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

  /// The node of several that a session's id was made on, if it has the form of such an id.
  static func node(ofID id: String) -> NodeNumber? {
    guard id.utf8.count == 2 * NodeNumber.byteCount + 32 else { return nil }
    return NodeNumber(text: id.prefix(2 * NodeNumber.byteCount))
  }

  /// 128 random bits.
  private static func secret() -> String {
    var generator = SystemRandomNumberGenerator()
    return Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  // MARK: Metrics

  func received() { metrics.receivedMessages.add(1) }

  func sent(_ messages: Int) { metrics.sentMessages.add(messages) }

  func ended(_ method: ServedMethod, _ code: StatusCode) {
    method.streamClosed()
    method.observe(code, since: nil)
  }
}

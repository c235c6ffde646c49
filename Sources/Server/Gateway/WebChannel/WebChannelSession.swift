import Access
import BaseRuntime
import BaseStatus
import Dispatch
import FirestoreWire
import Synchronization

/// One stream of a browser: a bidirectional call that outlives the requests that carry it.
///
/// Messages to the service wait in `requests`, arrays to the client in the outbox until they are
/// acknowledged. A thread that brings something processes it: one thread at a time is inside the
/// service's call (`isDelivering`), and never with the lock held. Any thread may call.
///
///     open -> ended (the last array is an error or `close`) -> gone
///     open -> gone (terminated, expired, the server stops)
final class WebChannelSession: StreamResponses {
  /// The properties that later requests must share with the one that opened the session.
  struct Binding: Sendable {
    let method: WebChannelMethod
    let database: String?
    let isSecure: Bool
    let origin: String?
    let authorization: String?

    /// Returns true if that request may speak for the session.
    ///
    /// Browsers leave the origin out of some requests,
    /// and the credentials out of all but the first.
    func admits(_ other: Binding) -> Bool {
      method.served === other.method.served && isSecure == other.isSecure
        && (other.database == nil || other.database == database)
        && (other.origin == nil || origin == nil || other.origin == origin)
        && (other.authorization == nil || other.authorization == authorization)
    }
  }

  /// A signal to the service's call, ahead of messages.
  private enum Control {
    case resume
    case drain
    case cancel
  }

  private enum Work {
    case message([UInt8], any StreamCall)
    case control(Control, any StreamCall)
  }

  private enum Phase {
    case open
    case ended(ContinuousClock.Instant)
    case gone
  }

  private struct State {
    var phase = Phase.open
    var call: (any StreamCall)?
    var inbox: WebChannelInbox
    var outbox = WebChannelOutbox()
    var requests: [[UInt8]] = []
    var requestBytes = 0
    var controls: [Control] = []
    var isDelivering = false
    var isReading = true
    var isSenderWaiting = false
    var backChannel: WebChannelBackChannel?
    var generations = 0
    var lastSent = 0
    var lastContact: ContinuousClock.Instant
    /// True if the caller has shown valid credentials.
    var isTrusted = false
    var meter: WebChannelMeter
    /// Requests whose response waits until the service has taken enough.
    var postsWaiting: [CheckedContinuation<Void, Never>] = []
  }

  let id: String
  /// The value of `X-HTTP-Session-Id`; comes back as `gsessionid`.
  let affinity: String
  let binding: Binding
  let cancellation = Cancellation()
  private let limits: WebChannelLimits
  private let observer: any WebChannelObserver
  private let state: Mutex<State>

  init(
    id: String,
    affinity: String,
    binding: Binding,
    limits: WebChannelLimits,
    observer: any WebChannelObserver,
    account: LedgerAccount,
    now: ContinuousClock.Instant
  ) {
    self.id = id
    self.affinity = affinity
    self.binding = binding
    self.limits = limits
    self.observer = observer
    state = Mutex(
      State(
        inbox: WebChannelInbox(maximumHeldBytes: limits.requestBytes),
        lastContact: now,
        meter: WebChannelMeter(account)
      )
    )
  }

  // MARK: From the client

  /// Starts the call; its refusals are sent to the client in the stream, like every error.
  func open(_ context: CallContext) {
    do throws(ServiceError) {
      let call = try binding.method.open(context, self)
      let isTrusted = context.memory?.hasShownCredentials ?? false
      let isWanted = state.withLock { state in
        state.isTrusted = isTrusted
        if isTrusted { state.meter.trust() }
        guard case .open = state.phase else { return false }
        state.call = call
        return true
      }
      if !isWanted { call.cancel() }
    } catch {
      finish(error)
    }
  }

  /// Takes a request's messages and acknowledgement; returns when there is room for more.
  func receive(
    _ form: WebChannelForm,
    acknowledged: Int?,
    now: ContinuousClock.Instant
  ) async {
    do throws(ServiceError) {
      try take(form, acknowledged: acknowledged, now: now)
    } catch {
      fail(error)
    }
    deliver()
    await roomForRequests()
  }

  private func take(
    _ form: WebChannelForm,
    acknowledged: Int?,
    now: ContinuousClock.Instant
  ) throws(ServiceError) {
    try state.withLock { state throws(ServiceError) in
      state.lastContact = now
      acknowledge(acknowledged, &state)
      guard case .open = state.phase else { return }
      guard !isFlooded(state) else {
        throw ServiceError(
          .resourceExhausted,
          "The client sends requests without waiting for responses."
        )
      }
      for message in try state.inbox.receive(form) {
        state.requests.append(message)
        state.requestBytes += message.count
      }
      guard settle(&state) else { throw ByteLedger.exhausted }
    }
  }

  /// Charges what the session holds now; false where its client's share does not allow as much.
  private func settle(_ state: inout State) -> Bool {
    let messages = state.requests.count + state.outbox.count
    return state.meter.settle(
      to: WebChannelMeter.sessionBytes + messages * WebChannelMeter.messageBytes
        + state.inbox.heldBytes + state.requestBytes + state.outbox.bytes
    )
  }

  /// Returns the number of bytes in flight to the client before the service is asked to wait.
  private func window(_ state: State) -> Int {
    state.isTrusted ? limits.windowBytes : min(limits.windowBytes, limits.anonymousWindowBytes)
  }

  private func roomForRequests() async {
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        guard case .open = state.phase, isFull(state) else { return true }
        state.postsWaiting.append(continuation)
        return false
      }
      if hasRoom { continuation.resume() }
    }
  }

  private func isFlooded(_ state: State) -> Bool {
    state.requestBytes >= limits.floodRequestBytes || state.requests.count >= limits.floodRequests
      || state.postsWaiting.count >= limits.floodPosts
  }

  private func isFull(_ state: State) -> Bool {
    state.requestBytes >= limits.requestBytes || state.requests.count >= limits.requests
  }

  /// Frees data that the client already has.
  private func acknowledge(_ number: Int?, _ state: inout State) {
    guard let number else { return }
    state.outbox.acknowledge(through: min(number, state.outbox.last))
    _ = settle(&state)
    guard state.isSenderWaiting, state.outbox.bytes < window(state) / 2 else { return }
    state.isSenderWaiting = false
    state.controls.append(.resume)
  }

  /// Returns the body of the response to a request with messages.
  func receipt() -> [UInt8] {
    state.withLock { state in
      WebChannelPayload.receipt(
        hasBackChannel: state.backChannel != nil,
        lastSent: state.lastSent,
        outstandingBytes: state.outbox.bytes(through: state.lastSent)
      )
    }
  }

  // MARK: Back channel

  /// Opens a back channel in place of the one before; nil where the session has nothing to say any
  /// more.
  func openBackChannel(
    _ parameters: WebChannelParameters,
    now: ContinuousClock.Instant
  ) -> Int? {
    let (generation, replaced) = state.withLock { state in
      state.lastContact = now
      acknowledge(parameters.acknowledged, &state)
      let acknowledged = min(parameters.acknowledged ?? 0, state.outbox.last)
      switch state.phase {
      case .gone: return (Int?.none, CheckedContinuation<Void, Never>?.none)
      case .ended where acknowledged == state.outbox.last: return (nil, nil)
      case .open, .ended: break
      }
      let replaced = state.backChannel?.waiter
      state.generations += 1
      let limit = parameters.isLongPoll ? limits.longPoll : limits.streaming
      state.backChannel = WebChannelBackChannel(
        generation: state.generations,
        isLongPoll: parameters.isLongPoll,
        end: now + min(limit, parameters.timeout ?? limit),
        lastSent: acknowledged,
        noop: now + limits.keepAlive
      )
      // Clients find out with the first byte whether something between us holds answers back.
      if !parameters.isLongPoll, acknowledged == state.outbox.last {
        state.outbox.append(WebChannelPayload.noop)
      }
      return (state.generations, replaced)
    }
    replaced?.resume()
    deliver()
    return generation
  }

  /// Returns the next step of a back channel.
  func nextStep(of generation: Int, now: ContinuousClock.Instant) -> WebChannelBackChannel.Step {
    state.withLock { state in
      guard var channel = state.backChannel, channel.generation == generation else { return .end }
      if case .gone = state.phase { return .end }
      defer { state.backChannel = channel }
      if channel.isDue(now), state.outbox.last == channel.lastSent {
        state.outbox.append(WebChannelPayload.noop)
      }
      let items = state.outbox.items(after: channel.lastSent, maxBytes: limits.writeBytes)
      guard let last = items.last?.number else { return .wait }
      channel.lastSent = last
      state.lastSent = max(state.lastSent, last)
      channel.noop = now + limits.keepAlive
      let isAll = last == state.outbox.last
      var isLast = channel.isLongPoll || now >= channel.end
      // Only a new request acknowledges what this one brought.
      isLast = isLast || state.outbox.bytes(through: last) >= window(state) / 2
      if case .ended = state.phase, isAll { isLast = true }
      return .write(items, isLast: isLast)
    }
  }

  /// The text of arrays; nil where a message cannot be written, which ends the session.
  func frames(_ items: ArraySlice<WebChannelOutbox.Item>) -> [UInt8]? {
    do throws(ServiceError) {
      return try WebChannelFrame.frames(items) { message throws(ServiceError) in
        try binding.method.json.response(message)
      }
    } catch {
      fail(error)
      return nil
    }
  }

  /// Returns when the back channel has something to do.
  func wait(_ generation: Int) async {
    await withCheckedContinuation { continuation in
      let isNeeded = state.withLock { state in
        guard let channel = state.backChannel, channel.generation == generation,
          channel.waiter == nil, state.outbox.last == channel.lastSent
        else { return false }
        if case .gone = state.phase { return false }
        state.backChannel?.waiter = continuation
        return true
      }
      if !isNeeded { continuation.resume() }
    }
  }

  /// The back channel's request has ended.
  func closeBackChannel(_ generation: Int, now: ContinuousClock.Instant) {
    state.withLock { state in
      guard state.backChannel?.generation == generation else { return }
      state.backChannel = nil
      state.lastContact = now
    }
  }

  // MARK: From the service

  func send(_ messages: [[UInt8]]) -> Bool {
    observer.sent(messages.count)
    let (hasRoom, problem, waiter) = state.withLock { state in
      guard case .open = state.phase else {
        return (true, ServiceError?.none, CheckedContinuation<Void, Never>?.none)
      }
      for message in messages { state.outbox.append(.message(message)) }
      let hasRoom = state.outbox.bytes < window(state)
      state.isSenderWaiting = !hasRoom
      return (hasRoom, excess(&state), Self.takeWaiter(&state))
    }
    waiter?.resume()
    if let problem { fail(problem) }
    return hasRoom
  }

  /// Returns the reason why the session may not hold the data that waits for its client; nil if it
  /// may.
  private func excess(_ state: inout State) -> ServiceError? {
    guard state.outbox.bytes <= limits.sessionBytes else {
      return ServiceError(.resourceExhausted, "The client does not read its responses.")
    }
    return settle(&state) ? nil : ByteLedger.exhausted
  }

  func setReading(_ isReading: Bool) {
    state.withLock { $0.isReading = isReading }
    // The service's thread is not for reading requests.
    if isReading { DispatchQueue.global().async { self.deliver() } }
  }

  func finish(_ error: ServiceError?) {
    end(error, cancelsCall: false)
  }

  // MARK: Ends

  /// Ends the session for a reason that the service does not know.
  func fail(_ error: ServiceError) { end(error, cancelsCall: true) }

  /// Puts the last array into the outbox; the session stays until the client has it.
  private func end(_ error: ServiceError?, cancelsCall: Bool) {
    let (isFirst, waiters) = state.withLock { state in
      guard case .open = state.phase else {
        return (false, [CheckedContinuation<Void, Never>]())
      }
      state.phase = .ended(ContinuousClock.now)
      // A client that holds too much gets only the error.
      if error?.code == .resourceExhausted { state.outbox.acknowledge(through: state.outbox.last) }
      state.outbox.append(error.map(WebChannelPayload.failure) ?? WebChannelPayload.close)
      return (true, leave(&state, cancelsCall: cancelsCall))
    }
    for waiter in waiters { waiter.resume() }
    if isFirst { observer.ended(binding.method.served, error?.code ?? .ok) }
    deliver()
  }

  /// Drops the session at once: the client does not want it any more, or has been silent.
  func discard() {
    let (wasOpen, waiters) = state.withLock { state in
      var wasOpen = false
      if case .open = state.phase { wasOpen = true }
      state.phase = .gone
      state.outbox = WebChannelOutbox()
      let waiters = leave(&state, cancelsCall: true)
      state.meter.close()
      return (wasOpen, waiters)
    }
    cancellation.cancel()
    for waiter in waiters { waiter.resume() }
    if wasOpen { observer.ended(binding.method.served, .cancelled) }
    deliver()
  }

  /// The server stops.
  func drain() {
    state.withLock { $0.controls.append(.drain) }
    deliver()
  }

  /// Stops all queued work; returns the waiters to wake.
  private func leave(
    _ state: inout State,
    cancelsCall: Bool
  ) -> [CheckedContinuation<Void, Never>] {
    state.requests = []
    state.requestBytes = 0
    state.inbox = WebChannelInbox(maximumHeldBytes: limits.requestBytes)
    _ = settle(&state)
    state.controls = cancelsCall ? [.cancel] : []
    if !cancelsCall { state.call = nil }
    let waiters = state.postsWaiting + [Self.takeWaiter(&state)].compactMap { $0 }
    state.postsWaiting = []
    return waiters
  }

  /// Wakes due work; false when the session is over and may be dropped.
  func tick(_ now: ContinuousClock.Instant) -> Bool {
    let (isAlive, waiter) = state.withLock { state in
      switch state.phase {
      case .gone: return (false, CheckedContinuation<Void, Never>?.none)
      case .ended(let time) where now - time >= limits.afterlife: return (false, nil)
      case .open, .ended: break
      }
      guard let channel = state.backChannel else {
        return (now - state.lastContact < idleTimeout(state), nil)
      }
      return (true, channel.isDue(now) ? Self.takeWaiter(&state) : nil)
    }
    if let waiter {
      // It finds the noop due and writes it.
      waiter.resume()
    }
    return isAlive
  }

  /// Returns the time that the session waits for a back channel.
  private func idleTimeout(_ state: State) -> Duration {
    let isKnown = state.isTrusted && state.generations > 0
    return isKnown ? limits.idleTimeout : min(limits.idleTimeout, limits.anonymousIdleTimeout)
  }

  private static func takeWaiter(_ state: inout State) -> CheckedContinuation<Void, Never>? {
    defer { state.backChannel?.waiter = nil }
    return state.backChannel?.waiter
  }

  // MARK: To the service

  /// Passes pending messages to the service's call, unless another thread does.
  private func deliver() {
    let isMine = state.withLock { state in
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    guard isMine else { return }
    while true {
      let (work, posts) = state.withLock { nextWork(&$0) }
      for post in posts { post.resume() }
      guard let work else { return }
      perform(work)
    }
  }

  private func nextWork(_ state: inout State) -> (Work?, [CheckedContinuation<Void, Never>]) {
    guard let call = state.call else {
      state.isDelivering = false
      return (nil, [])
    }
    if !state.controls.isEmpty {
      let control = state.controls.removeFirst()
      if case .cancel = control { state.call = nil }
      return (.control(control, call), [])
    }
    guard state.isReading, !state.requests.isEmpty else {
      state.isDelivering = false
      return (nil, [])
    }
    let message = state.requests.removeFirst()
    state.requestBytes -= message.count
    _ = settle(&state)
    guard !isFull(state) else { return (.message(message, call), []) }
    defer { state.postsWaiting = [] }
    return (.message(message, call), state.postsWaiting)
  }

  private func perform(_ work: Work) {
    switch work {
    case .message(let message, let call):
      observer.received()
      do throws(ServiceError) {
        call.receive(try binding.method.json.request(message))
      } catch {
        fail(error)
      }
    case .control(.resume, let call): call.resumeSending()
    case .control(.cancel, let call): call.cancel()
    case .control(.drain, let call):
      if !call.drain() { fail(ServiceError(.unavailable, "The server is stopping.")) }
    }
  }
}

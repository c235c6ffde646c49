import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The stream by which messages come where no other push service does.

extension Messaging {
  private enum End: Sendable {
    /// Another stream is wanted at once.
    case renewal
    /// The server or the network ended it.
    case broken
  }

  /// The seconds of the first wait after a failure, and of the longest.
  static let backoff = (first: 1.0, longest: 60.0)

  /// Gets a token and follows the stream, unless that is in progress or is not wanted.
  func start(always: Bool = false) {
    guard always || isAutoInitEnabled else { return }
    observeUser()
    state.withLock { state in
      guard state.work == nil, !state.isDeleted else { return }
      state.work = Task { await self.run() }
    }
  }

  private func run() async {
    while !Task.isCancelled {
      do {
        let token = try await token()
        startTopicWork()
        if usesApple { return finishWork() }
        if case .renewal = try await follow(token) { continue }
        state.withLock { $0.pings.streamBroke() }
      } catch {
        if Task.isCancelled { return }
        forgetIfUnregistered(error)
        // Without a token of Apple there is nothing to wait for but it.
        if usesApple { return finishWork() }
      }
      await waitAfterFailure()
    }
  }

  private func finishWork() { state.withLock { $0.work = nil } }

  /// Forgets a registration that the server does not know, so that the next attempt makes another.
  func forgetIfUnregistered(_ error: any Error) {
    let status = (error as? StreamReader.Refused)?.status
    let isGone = error is MessagingBackend.Unregistered || status == 404 || status == 401
    guard isGone else { return }
    state.withLock { $0.receipts = Receipts() }
    change { $0.forgetRegistration() }
  }

  private func waitAfterFailure() async {
    let failures = state.withLock { state in
      state.failures += 1
      return state.failures
    }
    let full = min(Self.backoff.first * pow(2, Double(min(failures, 10))), Self.backoff.longest)
    do { try await sleep(full * Double.random(in: 0.5...1)) } catch {}
  }

  /// Follows one stream to its end.
  private func follow(_ token: String) async throws -> End {
    let seconds = state.withLock { $0.pings.seconds }
    let request = try await backend.streamRequest(
      token,
      after: kept.acknowledged,
      pingSeconds: seconds
    )
    return try await withThrowingTaskGroup(of: End.self) { group in
      group.addTask { try await self.read(request) }
      group.addTask { try await self.ping(token, every: seconds) }
      defer { group.cancelAll() }
      return try await group.next() ?? .broken
    }
  }

  private func read(_ request: URLRequest) async throws -> End {
    for try await line in StreamReader.lines(of: request) {
      switch line {
      case .connected(let hasDropped, let acknowledged):
        state.withLock { $0.failures = 0 }
        if let acknowledged { goBack(to: acknowledged) }
        if hasDropped { onQueue { $0.messagingDidDeleteMessages($1) } }
      case .message(let message, let sequence):
        await handOver(message, sequence)
      }
    }
    return .broken
  }

  /// Records what the server knows to be acknowledged.
  ///
  /// This is less than the recorded value if the server was restored from a backup: it then assigns
  /// the later sequences again, to other messages.
  private func goBack(to acknowledged: Int64) {
    let isBehind = change { kept in
      defer { kept.acknowledged = min(kept.acknowledged, acknowledged) }
      return acknowledged < kept.acknowledged
    }
    if isBehind { state.withLock { $0.receipts.forgetSequence() } }
  }

  /// Sends a sign of life every so many seconds; returns if another stream with a longer interval
  /// is better.
  private func ping(_ token: String, every seconds: Int) async throws -> End {
    while true {
      try await sleep(TimeInterval(seconds))
      try await backend.acknowledge(token, Receipts())
      if state.withLock({ $0.pings.pingWasAnswered() }) { return .renewal }
    }
  }

  /// Hands a message over, unless that was done before, and then notes that it was.
  private func handOver(_ message: RemoteMessage, _ sequence: Int64) async {
    let id = message.messageID
    var message = message
    message.senderID = backend.options.gcmSenderID
    if !kept.seen.contains(id) {
      await callDelegate(message)
      for feed in state.withLock({ Array($0.feeds.values) }) { feed.yield(message) }
    }
    change { kept in
      _ = kept.note(id)
      kept.acknowledged = max(kept.acknowledged, sequence)
    }
    note(id, sequence: sequence)
  }

  /// Calls the delegate and waits until it has returned.
  private func callDelegate(_ message: RemoteMessage) async {
    guard delegate != nil else { return }
    await withCheckedContinuation { continuation in
      let (delegate, queue) = state.withLock { ($0.delegate, $0.callbackQueue) }
      queue.async {
        delegate.object?.messaging(self, didReceiveMessage: message.userInfo)
        continuation.resume()
      }
    }
  }

  /// Adds a sequence of messages, until it ends.
  func add(_ feed: AsyncStream<RemoteMessage>.Continuation) {
    let number = state.withLock { state in
      state.nextFeed += 1
      state.feeds[state.nextFeed] = feed
      return state.nextFeed
    }
    feed.onTermination = { _ in self.state.withLock { $0.feeds[number] = nil } }
  }

  // MARK: Receipts

  /// Records that a message arrived, and has the server notified.
  func note(_ id: String, sequence: Int64?) {
    state.withLock { state in
      state.receipts.note(id, sequence: sequence)
      guard state.receiptWork == nil, !state.isDeleted else { return }
      state.receiptWork = Task { await self.tellReceipts() }
    }
  }

  private func tellReceipts() async {
    while !Task.isCancelled {
      let token = kept.token
      let receipts = state.withLock { state -> Receipts? in
        if state.receipts.isEmpty || token == nil { state.receiptWork = nil }
        return state.receiptWork == nil ? nil : state.receipts.take()
      }
      guard let token, let receipts else { return }
      do {
        try await backend.acknowledge(token, receipts)
      } catch {
        forgetIfUnregistered(error)
        // Another registration has sequences of its own.
        let now = kept
        if now.token == token {
          var receipts = receipts
          if let sequence = receipts.sequence, sequence > now.acknowledged {
            receipts.forgetSequence()
          }
          state.withLock { $0.receipts.restore(receipts) }
        }
        await waitAfterFailure()
      }
    }
  }
}

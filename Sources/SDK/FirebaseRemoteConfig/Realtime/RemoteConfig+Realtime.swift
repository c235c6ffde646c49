import Foundation

// Updates in real time: a stream of the server reports a new template, its values are fetched, and
// listeners receive the keys that would change.

extension RemoteConfig {
  /// Streams that fail one after the other before listeners are given up.
  private static let failureLimit = 7
  /// The seconds of the first wait after a failure, and of the longest.
  private static let reconnection = (first: 1.0, longest: 120.0)
  /// Fetches that are tried for one number, and the longest wait before each, in seconds.
  private static let fetchAttempts = 3
  private static let fetchDelay = 3.0

  /// Calls a listener when the server has other values; nothing is activated by that.
  ///
  /// With the first listener a stream is opened, and the last one's removal ends it.
  @discardableResult
  public func addOnConfigUpdateListener(
    remoteConfigUpdateCompletion listener: @escaping (RemoteConfigUpdate?, (any Error)?) -> Void
  ) -> ConfigUpdateListenerRegistration {
    listen(onQueue: true, listener)
  }

  /// The updates as they come.
  public var configUpdates: RemoteConfigUpdates { RemoteConfigUpdates(config: self) }

  /// Adds a listener, which is called on the queue of callbacks or at once.
  func listen(
    onQueue: Bool,
    _ listener: @escaping (RemoteConfigUpdate?, (any Error)?) -> Void
  ) -> ConfigUpdateListenerRegistration {
    let listener = ConfigListener(call: listener)
    let wrapped = ConfigListener { [weak self] update, error in
      guard onQueue, let self else { return listener.call(update, error) }
      callbackQueue.async { listener.call(update, error) }
    }
    let number = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = wrapped
      if state.realtime == nil, !state.isDeleted {
        state.realtime = Task { [weak self] in await self?.followUpdates() }
      }
      return state.nextListener
    }
    return ConfigUpdateListenerRegistration { [weak self] in self?.removeListener(number) }
  }

  private func removeListener(_ number: Int) {
    let ended = state.withLock { state -> Task<Void, Never>? in
      state.listeners[number] = nil
      guard state.listeners.isEmpty else { return nil }
      defer { state.realtime = nil }
      return state.realtime
    }
    ended?.cancel()
  }

  private func tell(_ update: RemoteConfigUpdate?, _ error: (any Error)?) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.call(update, error) }
  }

  /// Opens a stream again and again, until it is cancelled or fails too often.
  private func followUpdates() async {
    var failures = 0
    while !Task.isCancelled {
      do {
        let request = try await backend.streamRequest(after: kept.fetched.templateVersion)
        for try await event in InvalidationReader.events(of: request, backend.client) {
          failures = 0
          try await handle(event)
        }
      } catch {
        if Task.isCancelled { return }
        failures += 1
        if let final = finalError(error, failures) { return giveUp(final) }
      }
      let wait = min(
        Self.reconnection.first * pow(2, Double(failures)),
        Self.reconnection.longest
      )
      do { try await sleep(wait * Double.random(in: 0.5...1)) } catch { return }
    }
  }

  private func handle(_ event: InvalidationReader.Event) async throws {
    switch event {
    case .opened: break
    case .unavailable:
      throw RemoteConfigUpdateError.error(.unavailable, "The server does not offer updates now.")
    case .number(let number):
      guard number > kept.fetched.templateVersion else { return }
      await fetchUpdate(atLeast: number)
    }
  }

  /// The error that ends listening; nil where another stream is tried.
  private func finalError(_ error: any Error, _ failures: Int) -> (any Error)? {
    if let refused = error as? InvalidationReader.Refused,
      ![408, 429, 502, 503, 504].contains(refused.status)
    {
      return RemoteConfigUpdateError.error(.streamError, "The server answered \(refused.status).")
    }
    if error is RemoteConfigUpdateError { return error }
    guard failures >= Self.failureLimit else { return nil }
    return RemoteConfigUpdateError.error(
      .streamError,
      "The stream could not be opened: \(error.localizedDescription)"
    )
  }

  /// Notifies the listeners of the end of updates; the next added listener starts again.
  private func giveUp(_ error: any Error) {
    state.withLock { $0.realtime = nil }
    tell(nil, error)
  }

  /// Fetches the values of a number or a later one, spread over time since all devices are notified
  /// at once.
  private func fetchUpdate(atLeast number: Int64) async {
    for attempt in 1...Self.fetchAttempts {
      do {
        try await sleep(Double.random(in: 0...Self.fetchDelay))
        let timeout = configSettings.fetchTimeout
        try await fetchNow(type: "REALTIME/\(attempt)", timeout: timeout)
      } catch {
        if Task.isCancelled { return }
        continue
      }
      if kept.fetched.templateVersion >= number { return tellChanges() }
    }
    tell(nil, RemoteConfigUpdateError.error(.notFetched, "The new values could not be fetched."))
  }

  private func tellChanges() {
    let keys = kept.changedKeys
    if !keys.isEmpty { tell(RemoteConfigUpdate(keys), nil) }
  }
}

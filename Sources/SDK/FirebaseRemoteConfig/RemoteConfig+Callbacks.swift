import Foundation

/// A callback of the app's.
///
/// Unchecked: apps' callbacks are not marked `@Sendable`. This one was handed over with the call, is called once on
/// the queue of callbacks, and the app must expect it there.
private struct Callback<Value>: @unchecked Sendable {
  let call: (Result<Value, any Error>) -> Void
}

// The forms with a callback of what is asynchronous.

extension RemoteConfig {
  private func deliver<Value: Sendable>(
    to callback: Callback<Value>,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    Task {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      callbackQueue.async { callback.call(result) }
    }
  }

  /// Reads what is kept.
  public func ensureInitialized(completionHandler: @escaping ((any Error)?) -> Void) {
    let callback = Callback<Void> { completionHandler($0.error) }
    deliver(to: callback) { try await self.ensureInitialized() }
  }

  /// Fetches values if the last ones are older than the settings' interval.
  public func fetch(
    completionHandler: ((RemoteConfigFetchStatus, (any Error)?) -> Void)? = nil
  ) {
    fetch(
      withExpirationDuration: configSettings.minimumFetchInterval,
      completionHandler: completionHandler
    )
  }

  /// Fetches values if the last ones are older than so many seconds.
  public func fetch(
    withExpirationDuration expirationDuration: TimeInterval,
    completionHandler: ((RemoteConfigFetchStatus, (any Error)?) -> Void)? = nil
  ) {
    let callback = Callback<RemoteConfigFetchStatus> { result in
      switch result {
      case .success(let status): completionHandler?(status, nil)
      case .failure(let error as RemoteConfigError) where error.code == .throttled:
        completionHandler?(.throttled, error)
      case .failure(let error): completionHandler?(.failure, error)
      }
    }
    deliver(to: callback) { try await self.fetch(withExpirationDuration: expirationDuration) }
  }

  /// Fetches values if they are old, and lets the app see them.
  public func fetchAndActivate(
    completionHandler: ((RemoteConfigFetchAndActivateStatus, (any Error)?) -> Void)? = nil
  ) {
    let callback = Callback<RemoteConfigFetchAndActivateStatus> { result in
      switch result {
      case .success(let status): completionHandler?(status, nil)
      case .failure(let error): completionHandler?(.error, error)
      }
    }
    deliver(to: callback) { try await self.fetchAndActivate() }
  }

  /// Lets the app see what was fetched last.
  public func activate(completion: ((Bool, (any Error)?) -> Void)? = nil) {
    let callback = Callback<Bool> { result in
      switch result {
      case .success(let isNew): completion?(isNew, nil)
      case .failure(let error): completion?(false, error)
      }
    }
    deliver(to: callback) { try await self.activate() }
  }
}

extension Result {
  /// What went wrong; nil where nothing did.
  fileprivate var error: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}

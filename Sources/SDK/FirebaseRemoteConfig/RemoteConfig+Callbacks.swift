import FirebaseCore
import Foundation

// The asynchronous methods with a callback.

extension RemoteConfig {
  /// Reads the stored value.
  public func ensureInitialized(completionHandler: @escaping ((any Error)?) -> Void) {
    let callback = AppCallback { (_: Void?, error) in completionHandler(error) }
    callback.deliver(on: callbackQueue) { try await self.ensureInitialized() }
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
    let callback = AppCallback<Result<RemoteConfigFetchStatus, any Error>> { result in
      switch result {
      case .success(let status): completionHandler?(status, nil)
      case .failure(let error):
        let isThrottled = (error as? RemoteConfigError)?.code == .throttled
        completionHandler?(isThrottled ? .throttled : .failure, error)
      }
    }
    callback.deliver(on: callbackQueue) {
      try await self.fetch(withExpirationDuration: expirationDuration)
    }
  }

  /// Fetches values if they are old, and lets the app see them.
  public func fetchAndActivate(
    completionHandler: ((RemoteConfigFetchAndActivateStatus, (any Error)?) -> Void)? = nil
  ) {
    let callback = AppCallback<Result<RemoteConfigFetchAndActivateStatus, any Error>> { result in
      switch result {
      case .success(let status): completionHandler?(status, nil)
      case .failure(let error): completionHandler?(.error, error)
      }
    }
    callback.deliver(on: callbackQueue) { try await self.fetchAndActivate() }
  }

  /// Lets the app see what was fetched last.
  public func activate(completion: ((Bool, (any Error)?) -> Void)? = nil) {
    let callback = AppCallback<Result<Bool, any Error>> { result in
      switch result {
      case .success(let isNew): completion?(isNew, nil)
      case .failure(let error): completion?(false, error)
      }
    }
    callback.deliver(on: callbackQueue) { try await self.activate() }
  }
}

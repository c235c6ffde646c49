import Foundation

/// A callback of the app's.
///
/// Unchecked: apps' callbacks are not marked `@Sendable`. This one was handed over with the call, is called once on
/// the main queue, and the app must expect it there.
private struct Callback<Value>: @unchecked Sendable {
  let call: (Value?, (any Error)?) -> Void

  /// Does the work and calls back with its result.
  func deliver(_ work: @escaping @Sendable () async throws -> Value) where Value: Sendable {
    Task {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      DispatchQueue.main.async {
        switch result {
        case .success(let value): call(value, nil)
        case .failure(let error): call(nil, error)
        }
      }
    }
  }
}

// The forms with a callback of what is asynchronous.

extension Installations {
  /// The installation's id.
  public func installationID(completion: @escaping (String?, (any Error)?) -> Void) {
    Callback(call: completion).deliver { try await self.installationID() }
  }

  /// A token that is valid for an hour at least.
  public func authToken(
    completion: @escaping (InstallationsAuthTokenResult?, (any Error)?) -> Void
  ) {
    Callback(call: completion).deliver { try await self.authToken() }
  }

  /// A token; a new one where `forceRefresh` says so.
  public func authTokenForcingRefresh(
    _ forceRefresh: Bool,
    completion: @escaping (InstallationsAuthTokenResult?, (any Error)?) -> Void
  ) {
    Callback(call: completion).deliver { try await self.authTokenForcingRefresh(forceRefresh) }
  }

  /// Forgets the installation.
  public func delete(completion: @escaping ((any Error)?) -> Void) {
    Callback<Void>(call: { completion($1) }).deliver { try await self.delete() }
  }
}

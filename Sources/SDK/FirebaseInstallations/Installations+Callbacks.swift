import FirebaseCore
import Foundation

// The asynchronous methods with a callback.

extension Installations {
  /// The installation's id.
  public func installationID(completion: @escaping (String?, (any Error)?) -> Void) {
    AppCallback(completion).deliver(on: .main) { try await self.installationID() }
  }

  /// A token that is valid for an hour at least.
  public func authToken(
    completion: @escaping (InstallationsAuthTokenResult?, (any Error)?) -> Void
  ) {
    AppCallback(completion).deliver(on: .main) { try await self.authToken() }
  }

  /// A token; a new one where `forceRefresh` says so.
  public func authTokenForcingRefresh(
    _ forceRefresh: Bool,
    completion: @escaping (InstallationsAuthTokenResult?, (any Error)?) -> Void
  ) {
    AppCallback(completion).deliver(on: .main) {
      try await self.authTokenForcingRefresh(forceRefresh)
    }
  }

  /// Forgets the installation.
  public func delete(completion: @escaping ((any Error)?) -> Void) {
    AppCallback { (_: Void?, error) in completion(error) }.deliver(on: .main) {
      try await self.delete()
    }
  }
}

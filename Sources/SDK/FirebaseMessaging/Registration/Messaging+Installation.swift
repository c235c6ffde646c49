import FirebaseInstallations
import Foundation

// Registration by the installation's id, to which back ends send in place of a token.

extension Messaging {
  /// True if the app is reached by its installation's id: what `FirebaseMessagingInstallationIdEnabled` of the property
  /// list says.
  ///
  /// The server accepts both, the ID and the token; this decides which one the delegate receives.
  public var isInstallationIdEnabled: Bool { usesInstallationID }

  /// Registers the installation, so that back ends reach it by its id; returns when the server has it.
  public func register() async throws { _ = try await token() }

  /// Registers the installation, so that back ends reach it by its id.
  public func register(completion: @escaping ((any Error)?) -> Void) {
    deliver(to: completion) { try await self.register() }
  }

  /// Has the server forget the registration; messages come no more until there is another one.
  public func unregister() async throws {
    let id = kept.installationID
    try await deleteToken()
    if let id { onQueue { $0.messaging($1, didUnregister: id) } }
  }

  /// Has the server forget the registration.
  public func unregister(completion: @escaping ((any Error)?) -> Void) {
    deliver(to: completion) { try await self.unregister() }
  }
}

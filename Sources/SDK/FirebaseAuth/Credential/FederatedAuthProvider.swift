import FirebaseCore
import Foundation

#if canImport(UIKit)
import UIKit
#endif

/// A provider that gets its credential at a page of its own.
public protocol FederatedAuthProvider: NSObjectProtocol, Sendable {
  /// The credential of a sign-in at the provider's page.
  nonisolated(nonsending) func credential(
    with uiDelegate: (any AuthUIDelegate)?
  ) async throws -> AuthCredential
}

/// A presenter of a provider's page.
public protocol AuthUIDelegate: NSObjectProtocol {
  #if canImport(UIKit)
  /// Shows a screen.
  func present(
    _ viewControllerToPresent: UIViewController,
    animated flag: Bool,
    completion: (() -> Void)?
  )

  /// Takes the screen away.
  func dismiss(animated flag: Bool, completion: (() -> Void)?)
  #endif
}

extension OAuthProvider: FederatedAuthProvider {
  private static let noPage =
    "The SDK does not show a provider's page by itself. Sign in with FUIAuth of FirebaseUI, or pass the provider's "
    + "tokens to OAuthProvider.credential(providerID:idToken:rawNonce:)."

  /// Throws `operationNotAllowed`: pages of providers are shown by `FirebaseUI`.
  public nonisolated(nonsending) func credential(
    with uiDelegate: (any AuthUIDelegate)?
  ) async throws -> AuthCredential {
    throw AuthErrorCode.operationNotAllowed.error(Self.noPage)
  }

  /// Fails with `operationNotAllowed`: pages of providers are shown by `FirebaseUI`.
  public func getCredentialWith(
    _ uiDelegate: (any AuthUIDelegate)?,
    completion: ((AuthCredential?, (any Error)?) -> Void)? = nil
  ) {
    let delegate = WeakReference(uiDelegate)
    auth.deliver(to: completion) { try await self.credential(with: delegate.object) }
  }
}

extension Auth {
  /// Signs in at a provider's page.
  @discardableResult
  public nonisolated(nonsending) func signIn(
    with provider: any FederatedAuthProvider,
    uiDelegate: (any AuthUIDelegate)?
  ) async throws -> AuthDataResult {
    try await signIn(with: try await provider.credential(with: uiDelegate))
  }

  /// Signs in at a provider's page.
  public func signIn(
    with provider: any FederatedAuthProvider,
    uiDelegate: (any AuthUIDelegate)?,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    let delegate = WeakReference(uiDelegate)
    deliver(to: completion) {
      try await self.signIn(with: provider, uiDelegate: delegate.object)
    }
  }
}

extension User {
  /// Reauthenticates the user at a provider's page.
  @discardableResult
  public nonisolated(nonsending) func reauthenticate(
    with provider: any FederatedAuthProvider,
    uiDelegate: (any AuthUIDelegate)?
  ) async throws -> AuthDataResult {
    try await reauthenticate(with: try await provider.credential(with: uiDelegate))
  }

  /// Reauthenticates the user at a provider's page.
  public func reauthenticate(
    with provider: any FederatedAuthProvider,
    uiDelegate: (any AuthUIDelegate)?,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    let delegate = WeakReference(uiDelegate)
    auth.deliver(to: completion) {
      try await self.reauthenticate(with: provider, uiDelegate: delegate.object)
    }
  }

  /// Links the account with the one at a provider's page.
  @discardableResult
  public nonisolated(nonsending) func link(
    with provider: any FederatedAuthProvider,
    uiDelegate: (any AuthUIDelegate)?
  ) async throws -> AuthDataResult {
    try await link(with: try await provider.credential(with: uiDelegate))
  }

  /// Links the account with the one at a provider's page.
  public func link(
    with provider: any FederatedAuthProvider,
    uiDelegate: (any AuthUIDelegate)?,
    completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    let delegate = WeakReference(uiDelegate)
    auth.deliver(to: completion) {
      try await self.link(with: provider, uiDelegate: delegate.object)
    }
  }
}

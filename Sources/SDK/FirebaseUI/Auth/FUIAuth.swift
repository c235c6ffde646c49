import FirebaseAuth
import FirebaseCore
import Foundation
import Locking

/// Sign-in at the pages of identity providers, by the code flow of the app's server.
///
/// On Apple's systems `authViewController()` is the screen with the providers' buttons. Everywhere ``beginSignIn(with:continueURL:)``
/// and ``finishSignIn(with:)`` are the two halves around the provider's page. May be used from any thread; the
/// delegate is called on `Auth.callbackQueue`.
public final class FUIAuth: NSObject, FirebaseComponent, Sendable {
  private struct State {
    var providers: [any FUIAuthProvider] = []
    var delegate = WeakReference<any FUIAuthDelegate>(nil)
    /// The sign-in that is at a provider's page; a new one takes its place.
    var pending: ProviderSignIn?
  }

  /// The accounts that people sign in to.
  public let auth: Auth?
  private let state = Lock(State())

  /// The sign-in of accounts other than the default app's.
  public init?(uiWith auth: Auth) {
    self.auth = auth
  }

  private init(_ auth: Auth) {
    self.auth = auth
  }

  /// The default app's sign-in; nil before the app is configured.
  public static func defaultAuthUI() -> FUIAuth? {
    guard let app = FirebaseApp.app() else { return nil }
    let auth = Auth.auth(app: app)
    return app.component("FirebaseUI") { FUIAuth(auth) }
  }

  /// Cancels a sign-in in progress.
  package func appWasDeleted() {
    state.withLock { $0.pending = nil }
  }

  /// The providers, in the order of their buttons.
  public var providers: [any FUIAuthProvider] {
    get { state.withLock { $0.providers } }
    set { state.withLock { $0.providers = newValue } }
  }

  /// The receiver of sign-ins; held weakly.
  public weak var delegate: (any FUIAuthDelegate)? {
    get { state.withLock { $0.delegate }.object }
    set {
      let delegate = WeakReference(newValue)
      state.withLock { $0.delegate = delegate }
    }
  }

  /// Signs out; does nothing if no user is signed in.
  public func signOut() throws { try auth?.signOut() }

  /// Begins a sign-in and returns the provider's page, which a browser is to show.
  ///
  /// The provider leads to `continueURL`, whose host the project must allow, with more in its query: the whole address
  /// is what ``finishSignIn(with:)`` takes.
  public func beginSignIn(
    with provider: any FUIAuthProvider,
    continueURL: URL
  ) async throws -> URL {
    guard let auth, let id = provider.providerID else {
      throw FUIAuthErrorCode.cannotFindProvider.object
    }
    let signIn = try await auth.beginSignIn(
      providerID: id,
      continueURL: continueURL,
      scopes: provider.scopes
    )
    state.withLock { $0.pending = signIn }
    return signIn.url
  }

  /// Signs in with the return address of the provider, and notifies the delegate.
  ///
  /// A response of a sign-in that this object did not begin, or began before another one, is refused.
  @discardableResult
  public func finishSignIn(with answer: URL) async throws -> AuthDataResult {
    do {
      let result = try await redeem(answer)
      tell(.success(result))
      return result
    } catch {
      tell(.failure(error))
      throw error
    }
  }

  private func redeem(_ answer: URL) async throws -> AuthDataResult {
    let pending = state.withLock { state in
      defer { state.pending = nil }
      return state.pending
    }
    guard let auth, let pending else { throw FUIAuthErrorCode.noSignInUnderWay.object }
    let query = URLComponents(url: answer, resolvingAgainstBaseURL: false)?.queryItems
    if query?.contains(where: { $0.name == "error" && $0.value == "access_denied" }) == true {
      throw FUIAuthErrorCode.userCancelledSignIn.object
    }
    return try await auth.finishSignIn(pending, answer: answer)
  }

  /// Ends a sign-in without an account, as by a button "Cancel".
  public func cancelSignIn() {
    let wasPending = state.withLock { state in
      defer { state.pending = nil }
      return state.pending != nil
    }
    if wasPending { tell(.failure(FUIAuthErrorCode.userCancelledSignIn.object)) }
  }

  /// Notifies the delegate on its queue, if there is one.
  private func tell(_ result: Result<AuthDataResult, any Error>) {
    let delegate = state.withLock { $0.delegate }
    guard let auth, delegate.object != nil else { return }
    auth.callbackQueue.async { [self] in
      switch result {
      case .success(let value): delegate.object?.authUI(self, didSignInWith: value, error: nil)
      case .failure(let error): delegate.object?.authUI(self, didSignInWith: nil, error: error)
      }
    }
  }
}

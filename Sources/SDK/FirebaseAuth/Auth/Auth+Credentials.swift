import FirebaseCore
import Foundation

// The interface for other products.

extension Auth: AppCredentials, AppCredentialsSource {
  /// The app's accounts, made when they are first asked for.
  package static func credentials(of app: FirebaseApp) -> any AppCredentials { auth(app: app) }

  /// The signed-in user's ID; nil if there is none.
  package var currentUserID: String? { currentUser?.uid }

  /// The signed-in user's ID token, renewed if it ends soon; nil if there is none.
  package func token(forcingRefresh: Bool) async throws -> String? {
    defer { renewInBackground() }
    return try await currentUser?.getIDToken(forcingRefresh: forcingRefresh)
  }

  /// Calls the observer with the user's id, in order, on a queue of the library.
  package func observeUser(_ observer: @escaping @Sendable (String?) -> Void) {
    add(AuthListener(.user, on: streamQueue) { _, user in observer(user?.uid) })
  }
}

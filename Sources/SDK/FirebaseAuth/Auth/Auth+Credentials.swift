import FirebaseCore
import Foundation

// What other products ask for.

extension Auth: AppCredentials, AppCredentialsSource {
  package static func credentials(of app: FirebaseApp) -> any AppCredentials { auth(app: app) }

  package var currentUserID: String? { currentUser?.uid }

  package func token(forcingRefresh: Bool) async throws -> String? {
    defer { renewInBackground() }
    return try await currentUser?.getIDToken(forcingRefresh: forcingRefresh)
  }

  package func observeUser(_ observer: @escaping @Sendable (String?) -> Void) {
    add(AuthListener(.user, on: streamQueue) { _, user in observer(user?.uid) })
  }
}

import Foundation

/// The credentials of an app's signed-in user, as products other than the one for accounts see
/// them.
package protocol AppCredentials: Sendable {
  /// The current user; nil if there is none. The first call may read the session of the last run.
  var currentUserID: String? { get }
  /// A token of the user, renewed if it ends soon or `forcingRefresh` says so; nil without a user.
  func token(forcingRefresh: Bool) async throws -> String?
  /// Calls the observer, on any thread, after each change of the signed-in user, until the app is
  /// gone.
  func observeUser(_ observer: @escaping @Sendable (String?) -> Void)
}

/// The product for accounts, found by its class's name so that others need not be linked with it.
package protocol AppCredentialsSource: AnyObject {
  /// The accounts of an app.
  static func credentials(of app: FirebaseApp) -> any AppCredentials
}

extension FirebaseApp {
  /// The credentials of the signed-in user; nil if the program has no accounts.
  package var credentials: (any AppCredentials)? {
    let source = NSClassFromString("FirebaseAuth.Auth") as? any AppCredentialsSource.Type
    return source?.credentials(of: self)
  }
}

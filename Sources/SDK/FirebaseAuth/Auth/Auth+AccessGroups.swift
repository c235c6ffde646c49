import Foundation

// Sessions that several programs of one person share: an access group of the Keychain, elsewhere a file of the group.

extension Auth {
  /// Goes over to the session of a group of programs; nil is this program's own.
  ///
  /// Listeners receive the user there. The session that was current stays where it was saved.
  /// Throws `keychainError` where the group's session cannot be read, and nothing changes.
  public func useUserAccessGroup(_ accessGroup: String?) throws {
    let user = try getStoredUser(forAccessGroup: accessGroup)
    goOver(to: accessGroup, user)
  }

  /// Returns the user of a group of programs; nil stands for this program's own session.
  ///
  /// The user is another object than ``currentUser``.
  public func getStoredUser(forAccessGroup accessGroup: String?) throws -> User? {
    do {
      return try storedUser(in: accessGroup)
    } catch {
      throw AuthErrorCode.keychainError.error(nil, [NSUnderlyingErrorKey: error as NSError])
    }
  }
}

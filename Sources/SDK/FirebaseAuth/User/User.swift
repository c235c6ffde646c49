import FirebaseCore
import Foundation
import Locking

/// A person with an account, and the session of this app.
///
/// The same object stays current while tokens are renewed and the account changes; another account is
/// another object. May be used from any thread.
public final class User: NSObject, UserInfo, NSSecureCoding, Sendable {
  struct State: Sendable {
    var tokens: SessionTokens
    var profile: UserProfile
    /// The renewal in progress: all callers wait for the same one.
    var renewal: Task<String, any Error>?
  }

  let auth: Auth
  let state: Lock<State>

  init(auth: Auth, tokens: SessionTokens, profile: UserProfile) {
    self.auth = auth
    state = Lock(State(tokens: tokens, profile: profile))
  }

  // MARK: Archives

  /// True: an archive's content is checked by its type.
  public static var supportsSecureCoding: Bool { true }

  /// Reads the person and the session from an archive, as the default app's; nil without that.
  public convenience init?(coder: NSCoder) {
    guard let app = FirebaseApp.app(),
      let stored = JSONArchive.read(StoredSession.self, from: coder),
      stored.version == StoredSession.version
    else { return nil }
    self.init(auth: Auth.auth(app: app), tokens: stored.tokens, profile: stored.profile)
  }

  /// Writes the person and the session's tokens to an archive, which is as secret as they are.
  public func encode(with coder: NSCoder) {
    let stored = state.withLock { StoredSession(tokens: $0.tokens, profile: $0.profile) }
    JSONArchive.write(stored, to: coder)
  }

  // MARK: The account

  var profile: UserProfile { state.withLock { $0.profile } }
  var tokens: SessionTokens { state.withLock { $0.tokens } }

  /// Firebase itself, in the place of a provider.
  public var providerID: String { "Firebase" }
  /// The account's id in the project.
  public var uid: String { profile.uid }
  /// The person's name.
  public var displayName: String? { profile.displayName }
  /// The address of the person's picture.
  public var photoURL: URL? { profile.photoURL.flatMap(URL.init) }
  /// The person's email address.
  public var email: String? { profile.email }
  /// The person's telephone number.
  public var phoneNumber: String? { profile.phoneNumber }
  /// True if the account has no way to sign in again.
  public var isAnonymous: Bool { profile.isAnonymous }
  /// True if the email address was verified.
  public var isEmailVerified: Bool { profile.isEmailVerified }
  /// The providers that the account is linked with.
  public var providerData: [any UserInfo] { profile.providers.map(ProviderUserInfo.init) }
  /// The times at which the account was created and last used.
  public var metadata: UserMetadata {
    let profile = profile
    return UserMetadata(
      creationDate: profile.creationDate,
      lastSignInDate: profile.lastSignInDate
    )
  }
  /// The tenant that the account belongs to.
  public var tenantID: String? { profile.tenantID }
  /// The token that renews the session; never show it.
  public var refreshToken: String? { tokens.refreshToken }
  /// The account's second factors.
  public var multiFactor: MultiFactor { MultiFactor(user: self) }

  /// A change of name and picture, done when it is committed.
  public func createProfileChangeRequest() -> UserProfileChangeRequest {
    UserProfileChangeRequest(user: self)
  }
}

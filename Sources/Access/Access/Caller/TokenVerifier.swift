import BaseStatus
import BaseText
import FirestoreModel
import SecurityRules

/// A signed-in user, as described by a verified token.
///
/// A copy is one reference, and the value that rules see is made once.
package struct UserIdentity: Sendable {
  /// The facts, which never change.
  private final class Facts: Sendable {
    let project: Text
    let uid: Text
    let claims: MapValue
    let expiry: Int64
    let issued: Int64
    let isSigned: Bool
    let session: Int64
    let rulesAuth: RulesAuth

    init(
      project: Text,
      uid: Text,
      claims: MapValue,
      expiry: Int64,
      issued: Int64,
      isSigned: Bool,
      session: Int64
    ) {
      self.project = project
      self.uid = uid
      self.claims = claims
      self.expiry = expiry
      self.issued = issued
      self.isSigned = isSigned
      self.session = session
      rulesAuth = RulesAuth(uid: uid, token: RulesMap(claims))
    }
  }

  private let facts: Facts

  /// The project that the token is for: its audience.
  package var project: Text { facts.project }
  /// The user's id, unique in the project.
  package var uid: Text { facts.uid }
  /// All claims of the token: what rules see as `request.auth.token`.
  package var claims: MapValue { facts.claims }
  /// When the token ends, in seconds since 1970.
  package var expiry: Int64 { facts.expiry }
  /// When it was issued, in seconds since 1970.
  package var issued: Int64 { facts.issued }
  /// True if the token's issuer vouches for the claims; development's unsigned tokens only state
  /// them.
  package var isSigned: Bool { facts.isSigned }
  /// The session of the token's user, more precise than `issued`; for the verifier.
  package var session: Int64 { facts.session }
  /// The user as rules see it.
  var rulesAuth: RulesAuth { facts.rulesAuth }

  /// The user that a verified token names.
  package init(
    project: Text,
    uid: Text,
    claims: MapValue,
    expiry: Int64,
    issued: Int64,
    isSigned: Bool = true,
    session: Int64 = 0
  ) {
    facts = Facts(
      project: project,
      uid: uid,
      claims: claims,
      expiry: expiry,
      issued: issued,
      isSigned: isSigned,
      session: session
    )
  }
}

extension UserIdentity: Hashable {
  /// True if all facts are the same.
  package static func == (left: UserIdentity, right: UserIdentity) -> Bool {
    if left.facts === right.facts { return true }
    return left.project == right.project && left.uid == right.uid && left.claims == right.claims
      && left.expiry == right.expiry && left.issued == right.issued
      && left.isSigned == right.isSigned && left.session == right.session
  }

  /// Hashes the facts that tell most tokens apart.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(project)
    hasher.combine(uid)
    hasher.combine(expiry)
    hasher.combine(session)
  }
}

/// Reads the bearer tokens that clients send.
///
/// Any thread may call. `caller` may wait for the disk, the others must not.
package protocol TokenVerifier: AnyObject, Sendable {
  /// Identifies the holder; throws UNAUTHENTICATED when the token does not verify, has expired or was
  /// revoked.
  func caller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller

  /// The holder of a token that verified earlier and is still valid, from memory alone; nil for every other token.
  func knownCaller(holding token: Substring, isSecure: Bool) throws(ServiceError) -> Caller?

  /// Returns true if a token is signed by the issuer that it names and has not expired, without
  /// regard to its user; from memory alone.
  func isGenuine(_ token: Substring) -> Bool

  /// Returns true if a token that verified earlier is still valid: not expired, its user neither
  /// disabled, deleted nor revoked since. Cheap: streams ask again and again.
  func isValid(_ identity: UserIdentity) -> Bool

  /// The mark of the user's account data in tokens; nil if the account is gone or disabled, or its
  /// sessions up to this one were revoked.
  ///
  /// The token's own end does not count. May wait for the disk.
  func mark(of identity: UserIdentity) throws(ServiceError) -> String?

  /// The service account's key by which a token that verified was signed; nil for other tokens. From memory alone.
  func serviceAccountKey(holding token: Substring) -> (email: String, keyID: String)?

  /// Returns true if a service account has a valid key, from memory alone.
  func hasServiceAccountKey(_ keyID: String, of email: String) -> Bool

  /// Registers for revocations of a user's tokens; the observer gets project and uid. Observers are
  /// never removed.
  func onRevocation(_ observer: @escaping @Sendable (Text, Text) -> Void)
}

extension TokenVerifier {
  /// None: for verifiers that know no service accounts.
  package func serviceAccountKey(holding token: Substring) -> (email: String, keyID: String)? {
    nil
  }

  /// False, likewise.
  package func hasServiceAccountKey(_ keyID: String, of email: String) -> Bool { false }

  /// None: for verifiers that have no accounts to look at.
  package func mark(of identity: UserIdentity) throws(ServiceError) -> String? { nil }
}

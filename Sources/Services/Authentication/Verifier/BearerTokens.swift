import BaseJSON
import BaseText
import Crypto
import CryptoExtras

/// Reads bearer tokens: ID tokens of users, access tokens of ours and self-signed tokens of service
/// accounts.
///
/// A token is verified once and then known by its text, until it is over or was ended: known tokens
/// cost a look-up, others their signature and a read of the user. Synchronous; any thread may call.
package final class BearerTokens: Sendable {
  /// When a revocation takes hold.
  package enum RevocationMode: String, Sendable, CaseIterable {
    /// At once: disabled, deleted and revoked users' tokens end with the change.
    case immediate
    /// When the token is over, an hour at most, as with Google.
    case lazy
  }

  private let accounts: Accounts
  private let mode: RevocationMode
  private let cache = TokenCache()

  /// Reads the tokens of those accounts.
  package init(_ accounts: Accounts, mode: RevocationMode = .immediate) {
    self.accounts = accounts
    self.mode = mode
  }

  /// Returns the holder of the token; throws `JSONWebToken.Problem` where it does not verify,
  /// `AccountError` where its user is gone, disabled or revoked it.
  package func bearer(_ token: Substring) throws -> Bearer {
    if let known = knownBearer(token) { return known }
    let entry = try verify(token)
    cache.insert(entry)
    return entry.bearer
  }

  /// The holder of a token that verified earlier and is still valid, from memory alone.
  package func knownBearer(_ token: Substring) -> Bearer? {
    guard let known = cache.entry(token), isValid(known) else { return nil }
    return known.bearer
  }

  /// Returns true if a token is signed by the issuer that it names and has not expired, without
  /// regard to its user; from memory alone.
  package func isGenuine(_ token: Substring) -> Bool {
    if knownBearer(token) != nil { return true }
    return (try? verify(token, readsUser: false)) != nil
  }

  /// Returns true if a token that verified earlier is still valid.
  package func isValid(_ scope: AccountScope, _ uid: Text, session: Int64, expiry: Int64) -> Bool {
    guard accounts.now / 1_000_000 < expiry else { return false }
    guard session != 0 else { return true }
    guard mode == .immediate else { return accounts.revocations.isValid(expiry: expiry) }
    return accounts.revocations.isValid(scope, uid, session: session, expiry: expiry)
  }

  /// Returns the user's current claims for a token, given the earlier or later claims.
  ///
  /// Nil if the account is gone or disabled, or its sessions up to this one were revoked.
  ///
  /// The store is asked, not the memory of revocations, which reaches back some hours.
  package func mark(of scope: AccountScope, _ uid: Text, session: Int64) throws -> String? {
    // A token that no revocation can end is development's.
    guard session != 0 else { return "" }
    guard let user = try accounts[scope].user(uid), !user.isDisabled, user.session == session
    else { return nil }
    let said = [
      user.customClaims ?? "", user.email?.string ?? "", user.isEmailVerified ? "verified" : "",
      user.phoneNumber?.string ?? "",
    ]
    let text = JSONValue.array(said.map(JSONValue.string)).compact
    return Base64.url(Array(SHA256.hash(data: Array(text.utf8)).prefix(16)))
  }

  /// The service account's key by which a token that is known was signed; nil for other tokens.
  ///
  /// From memory alone.
  package func serviceAccountKey(holding token: Substring) -> (email: String, keyID: String)? {
    guard let entry = cache.entry(token), isValid(entry), let keyID = entry.keyID,
      case .administrator(let email) = entry.bearer
    else { return nil }
    return (email, keyID)
  }

  /// Registers for early revocations of tokens; in lazy mode only for those of all users.
  package func onRevocation(_ observer: @escaping @Sendable (Revocation) -> Void) {
    accounts.onRevocation { [mode] revocation in
      if mode == .immediate || revocation == .everybody { observer(revocation) }
    }
  }

  /// Returns true if an entry that was verified earlier is still valid; if not, verifying it again
  /// gives the reason.
  private func isValid(_ entry: TokenCache.Entry) -> Bool {
    switch entry.bearer {
    case .user(let user):
      return isValid(user.scope, user.uid, session: user.session, expiry: user.expiry)
    case .administrator:
      guard accounts.now / 1_000_000 < entry.expiry,
        !entry.isOurs || accounts.revocations.isValid(expiry: entry.expiry)
      else { return false }
      return entry.keyID.map { accounts.serviceAccounts.key($0) != nil } ?? true
    }
  }

  private func verify(_ text: Substring, readsUser: Bool = true) throws -> TokenCache.Entry {
    let token = try JSONWebToken(parsing: text)
    let issuer = token.claims["iss"]?.string ?? ""
    if issuer.hasPrefix(IDToken.Issuer.idToken.rawValue) {
      return try userEntry(text, token, readsUser: readsUser)
    }
    if issuer == Accounts.accessIssuer { return try accessEntry(text, token) }
    return try selfSignedEntry(text, token)
  }

  private func userEntry(
    _ text: Substring,
    _ token: JSONWebToken,
    readsUser: Bool
  ) throws -> TokenCache.Entry {
    let verified = try accounts.verify(token, .idToken)
    if readsUser, mode == .immediate, verified.session != nil {
      let key = AccountKey.user(verified.scope, verified.uid)
      guard case .found(let record) = try accounts.engine.get(key, cachedOnly: false) else {
        throw AccountError(.userNotFound)
      }
      let user = try User(uid: verified.uid, record: record)
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      guard user.accepts(verified) else { throw AccountError(.tokenExpired) }
    }
    guard case .map(let claims) = verified.claims.value else {
      throw JSONWebToken.Problem.malformed
    }
    let user = BearerUser(
      scope: verified.scope,
      uid: verified.uid,
      claims: claims,
      expiry: verified.expiry,
      issued: verified.issued,
      session: verified.session ?? 0
    )
    return .init(
      token: Text(String(text)),
      bearer: .user(user),
      expiry: user.expiry,
      keyID: nil,
      isOurs: true
    )
  }

  private func accessEntry(_ text: Substring, _ token: JSONWebToken) throws -> TokenCache.Entry {
    guard token.algorithm == "RS256" else { throw JSONWebToken.Problem.algorithm }
    guard let id = token.keyID, let key = accounts.signingKeys.publicKey(id) else {
      throw JSONWebToken.Problem.unknownKey
    }
    try token.check(key)
    try accounts.checkLifetime(token)
    guard token.header["typ"]?.string == "at+jwt",
      token.claims["aud"]?.string == Accounts.accessIssuer
    else { throw JSONWebToken.Problem.audience }
    guard let keyID = token.claims["key"]?.string,
      let account = accounts.serviceAccounts.key(keyID),
      token.claims["sub"]?.string == account.email
    else { throw JSONWebToken.Problem.unknownKey }
    return try entry(text, token, account, isOurs: true)
  }

  private func selfSignedEntry(_ text: Substring, _ token: JSONWebToken) throws -> TokenCache.Entry
  {
    try Self.checkAudience(token, origin: accounts.origin)
    let account = try accounts.signer(of: token)
    try accounts.checkLifetime(token)
    guard token.claims["sub"]?.string == account.email else { throw JSONWebToken.Problem.subject }
    return try entry(text, token, account, isOurs: false)
  }

  private func entry(
    _ text: Substring,
    _ token: JSONWebToken,
    _ account: ServiceAccount,
    isOurs: Bool
  ) throws -> TokenCache.Entry {
    guard let expiry = try token.time("exp") else { throw JSONWebToken.Problem.malformed }
    switch account.role {
    case .admin:
      return .init(
        token: Text(String(text)),
        bearer: .administrator(email: account.email),
        expiry: expiry,
        keyID: account.keyID,
        isOurs: isOurs
      )
    }
  }

  /// A self-signed token names one of Google's APIs that we serve, or scopes instead of an audience.
  private static func checkAudience(
    _ token: JSONWebToken,
    origin: String
  ) throws(JSONWebToken.Problem) {
    switch token.claims["aud"] {
    case .string(let audience):
      let host = audience.hasSuffix("/") ? String(audience.dropLast()) : audience
      guard host == origin || apis.contains(host) else { throw .audience }
    case nil, .null:
      let words = token.claims["scope"]?.string?.split(separator: " ") ?? []
      guard words.contains(where: { scopes.contains(String($0)) }) else { throw .audience }
    default: throw .audience
    }
  }

  private static let apis: Set<String> = [
    "https://firestore.googleapis.com", "https://identitytoolkit.googleapis.com",
    "https://firebaserules.googleapis.com", "https://securetoken.googleapis.com",
  ]

  private static let scopes: Set<String> = [
    "https://www.googleapis.com/auth/cloud-platform", "https://www.googleapis.com/auth/datastore",
    "https://www.googleapis.com/auth/firebase", "https://www.googleapis.com/auth/identitytoolkit",
  ]
}

import Access
import BaseStatus
import BaseText
import Synchronization

/// The short tokens of signed-in administrators, in memory: a restart ends them, and the page asks for others.
///
/// At most `capacity` tokens; a further one ends the one that expires first. Any thread may call.
final class AdministratorSessions: Sendable, AdministratorTokens {
  /// The holder of a token.
  private enum Bearer {
    case administrator(SignedInAdministrator)
    /// The user for a view of data as that user; nil in development, which has no sign-in.
    case view(UserIdentity, by: SignedInAdministrator?)

    var administrator: SignedInAdministrator? {
      switch self {
      case .administrator(let holder): holder
      case .view(_, by: let holder): holder
      }
    }
  }

  private struct Entry {
    let bearer: Bearer
    /// The secret of the session that the token was made for.
    let session: String
    /// The time at which the session began, in seconds since 1970.
    let began: Int64
    /// Microseconds since 1970.
    let expiry: Int64
  }

  private let entries = Mutex<[Substring: Entry]>([:])
  private let now: @Sendable () -> Int64
  private let lookUp: Account
  private let capacity: Int

  /// Looks up the administrator of a uid, as the account is now, with the session that is valid; may wait for the disk.
  typealias Account =
    @Sendable (Text) throws -> (holder: SignedInAdministrator, session: Int64)?

  /// Seconds for which a token is valid.
  static let lifetime: Int64 = 300

  /// Seconds for which a sign-in is recent.
  private let recent: Int64

  init(
    capacity: Int = 4_096,
    recent: Int64 = Administrators.recentSignIn,
    account: @escaping Account = { _ in nil },
    now: @escaping @Sendable () -> Int64
  ) {
    lookUp = account
    self.capacity = capacity
    self.recent = recent
    self.now = now
  }

  /// Notes a token of a session, which began at that second since 1970.
  func insert(
    _ token: String,
    of holder: SignedInAdministrator,
    session: String,
    began: Int64
  ) {
    insert(token, .administrator(holder), session, began: began)
  }

  /// Notes a token by which an administrator looks at data as a user.
  func insert(
    _ token: String,
    viewing user: UserIdentity,
    by holder: SignedInAdministrator?,
    session: String
  ) {
    insert(token, .view(user, by: holder), session)
  }

  private func insert(
    _ token: String,
    _ bearer: Bearer,
    _ session: String,
    began: Int64 = 0
  ) {
    let time = now()
    let entry = Entry(
      bearer: bearer,
      session: session,
      began: began,
      expiry: time + Self.lifetime * 1_000_000
    )
    entries.withLock { entries in
      if entries.count >= capacity { entries = entries.filter { $0.value.expiry > time } }
      if entries.count >= capacity,
        let first = entries.min(by: { $0.value.expiry < $1.value.expiry })
      {
        entries[first.key] = nil
      }
      entries[token[...]] = entry
    }
  }

  func holder(of token: Substring) -> SignedInAdministrator? {
    if case .administrator(let holder)? = entry(token)?.bearer { holder } else { nil }
  }

  func signedInLately(holding token: Substring) -> Bool {
    guard let entry = entry(token) else { return false }
    // A clock that went back makes no sign-in of the future; another node's may be a little ahead.
    return (-60..<recent).contains(now() / 1_000_000 - entry.began)
  }

  func account(holding token: Substring) throws(ServiceError) -> CallerAccount? {
    guard let holder = holder(of: token), let found = try found(holder.uid) else { return nil }
    return .administrator(uid: holder.uid, session: found.session, email: found.holder.email)
  }

  func holder(uid: Text, session: Int64?) throws(ServiceError) -> SignedInAdministrator? {
    guard let found = try found(uid), found.session == session ?? found.session else { return nil }
    return found.holder
  }

  private func found(
    _ uid: Text
  ) throws(ServiceError) -> (holder: SignedInAdministrator, session: Int64)? {
    do {
      return try lookUp(uid)
    } catch {
      throw ServiceError(.unavailable, "The service is currently unavailable.", cause: error)
    }
  }

  func viewedUser(of token: Substring) -> UserIdentity? {
    if case .view(let user, by: _)? = entry(token)?.bearer { user } else { nil }
  }

  /// The session that a token was made for.
  func session(of token: Substring) -> String? { entry(token)?.session }

  private func entry(_ token: Substring) -> Entry? {
    let time = now()
    return entries.withLock { $0[token] }.flatMap { $0.expiry > time ? $0 : nil }
  }

  /// Ends every token of a session.
  func end(session: String) {
    entries.withLock { entries in entries = entries.filter { $0.value.session != session } }
  }

  /// Ends every token of an administrator.
  func end(uid: Text) {
    entries.withLock { entries in
      entries = entries.filter { $0.value.bearer.administrator?.uid != uid }
    }
  }
}

import Access
import FirestoreModel
import Synchronization

/// The short tokens of signed-in administrators, in memory: a restart ends them, and the page asks for others.
///
/// At most `capacity` tokens; a further one ends the one that expires first. Any thread may call.
final class AdministratorSessions: Sendable, AdministratorTokens {
  private struct Entry {
    let holder: SignedInAdministrator
    /// The secret of the session that the token was made for.
    let session: String
    /// Microseconds since 1970.
    let expiry: Int64
  }

  private let entries = Mutex<[Substring: Entry]>([:])
  private let now: @Sendable () -> Int64
  private let capacity: Int

  /// Seconds for which a token is valid.
  static let lifetime: Int64 = 300

  init(capacity: Int = 4_096, now: @escaping @Sendable () -> Int64) {
    self.capacity = capacity
    self.now = now
  }

  /// Notes a token of a session.
  func insert(_ token: String, of holder: SignedInAdministrator, session: String) {
    let time = now()
    let entry = Entry(
      holder: holder,
      session: session,
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

  func holder(of token: Substring) -> SignedInAdministrator? { entry(token)?.holder }

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
    entries.withLock { entries in entries = entries.filter { $0.value.holder.uid != uid } }
  }
}

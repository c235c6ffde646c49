import BaseText
import Synchronization

/// The revocations of the last hours, and their observers.
///
/// Only events within the life of a token are kept; older tokens have expired by themselves. Beyond
/// the bound, everything is dropped except its time: earlier sessions are not valid until they are
/// verified again.
final class Revocations: Sendable {
  /// A user's tokens ended.
  struct Event: Sendable {
    let scope: AccountScope
    let uid: Text
    /// The session whose tokens are valid from now on; nil when none are: disabled or deleted.
    let session: Int64?
  }

  private struct User: Hashable {
    let scope: AccountScope
    let uid: Text
  }

  private struct State {
    var sessions: [User: (session: Int64?, at: Int64)] = [:]
    var observers: [@Sendable (Revocation) -> Void] = []
    var lastSweep: Int64 = 0
    /// Sessions that began up to here may have ended without an event that is still known.
    var floor: Int64 = 0
    /// Seconds since 1970: tokens that are over by then were signed by keys that are gone.
    var earliestExpiry: Int64 = 0
  }

  private let state = Mutex(State())

  /// Somewhat more than the hour that a token lives, in microseconds.
  private static let memory: Int64 = 2 * 3_600 * 1_000_000

  private static let capacity = 100_000

  func observe(_ observer: @escaping @Sendable (Revocation) -> Void) {
    state.withLock { $0.observers.append(observer) }
  }

  func record(_ event: Event, at time: Int64) {
    let observers = state.withLock { state in
      state.sessions[User(scope: event.scope, uid: event.uid)] = (event.session, time)
      if time - state.lastSweep > Self.memory {
        state.sessions = state.sessions.filter { time - $0.value.at < Self.memory }
        if time - state.floor > Self.memory { state.floor = 0 }
        state.lastSweep = time
      }
      if state.sessions.count > Self.capacity {
        state.floor = time + Authentication.User.sessionNoise
        state.sessions = [:]
      }
      return state.observers
    }
    for observer in observers { observer(.user(event.scope, uid: event.uid)) }
  }

  /// A uid that was free is a user's again: his sessions are not those of the one before.
  func begin(_ scope: AccountScope, _ uid: Text, session: Int64, at time: Int64) {
    let user = User(scope: scope, uid: uid)
    state.withLock { if $0.sessions[user] != nil { $0.sessions[user] = (session, time) } }
  }

  /// A user was changed elsewhere: his tokens are valid for that session alone, or for none.
  ///
  /// A session of the last hours may be one that took the place of another.
  func learn(_ event: Event, at time: Int64) {
    let user = User(scope: event.scope, uid: event.uid)
    let known = state.withLock { $0.sessions[user] }
    let isRecent = event.session.map { $0 > time - Self.memory } ?? true
    guard isRecent || known != nil, known.map({ $0.session != event.session }) ?? true else {
      return
    }
    record(event, at: time)
  }

  /// Forgets all users' states: sessions from before are not valid until verified again.
  func forget(at time: Int64) {
    let observers = state.withLock { state in
      state.floor = time + Authentication.User.sessionNoise
      state.sessions = [:]
      return state.observers
    }
    for observer in observers { observer(.everybody) }
  }

  /// Ends every token that was issued up to that second, of whichever user.
  func endAll(issuedUpTo second: Int64) {
    let observers = state.withLock { state in
      state.earliestExpiry = second + ProjectAccounts.idTokenLifetime
      return state.observers
    }
    for observer in observers { observer(.everybody) }
  }

  /// Returns true if a token with that expiry may be of a key that still signs.
  func isValid(expiry: Int64) -> Bool { state.withLock { expiry > $0.earliestExpiry } }

  /// Returns true if a token of that session and expiry is valid, as far as events tell.
  func isValid(_ scope: AccountScope, _ uid: Text, session: Int64, expiry: Int64) -> Bool {
    state.withLock {
      guard expiry > $0.earliestExpiry else { return false }
      if $0.sessions.isEmpty { return session > $0.floor }
      guard let event = $0.sessions[User(scope: scope, uid: uid)] else {
        return session > $0.floor
      }
      return event.session == session
    }
  }
}

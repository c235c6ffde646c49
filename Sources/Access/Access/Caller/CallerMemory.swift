import BaseText
import FirestoreModel
import Synchronization

/// The last credentials of one connection and the caller that they identified, so that a client that sends the
/// same token with every call has it verified once.
///
/// One object a connection, since how a connection is secured is part of what was judged. Any
/// thread may call.
package final class CallerMemory: Sendable {
  private struct Known {
    let authorization: String
    let caller: Caller
  }

  private let last = Mutex<Known?>(nil)
  private let lastRules = Mutex<CallerRules?>(nil)
  private let hasSeenCredentials = Atomic<Bool>(false)

  /// The function that has the connection; nil for the connections of clients.
  ///
  /// The gateway accepts such connections only from the function's own process, at a port that only
  /// that process knows.
  package let function: FunctionOrigin?

  /// A memory without a caller.
  package init(function: FunctionOrigin? = nil) { self.function = function }

  /// True if any call of the connection came with valid credentials.
  package var hasShownCredentials: Bool { hasSeenCredentials.load(ordering: .relaxed) }

  /// Notes that credentials were valid.
  func noteCredentials() { hasSeenCredentials.store(true, ordering: .relaxed) }

  /// The caller that the last credentials identified; nil where there were none that may be remembered.
  package var caller: Caller? { last.withLock { $0?.caller } }

  /// The caller that this header identified; nil when another or none came last.
  package func caller(of authorization: String) -> Caller? {
    last.withLock { $0?.authorization == authorization ? $0?.caller : nil }
  }

  /// The rules of a database for a caller, if they are those of the last call and in force.
  func rules(of caller: Caller, in database: DatabaseID) -> CallerRules? {
    guard let rules = lastRules.withLock({ $0 }), rules.isFor(caller, database) else { return nil }
    return rules
  }

  /// Keeps the rules of a call.
  func remember(_ rules: CallerRules) { lastRules.withLock { $0 = rules } }

  /// Keeps the caller that a header identifies.
  func remember(_ authorization: String, _ caller: Caller) {
    last.withLock { $0 = Known(authorization: authorization, caller: caller) }
  }
}

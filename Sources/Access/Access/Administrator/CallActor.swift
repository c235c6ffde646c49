import Synchronization

/// The administrator whose credentials a call came with, once they are known: for the audit trail.
///
/// One object a call. Any thread may call.
package final class CallActor: Sendable {
  private let known = Mutex<SignedInAdministrator?>(nil)
  private let named = Mutex(CallSubjects())

  /// The actor of a call whose credentials nobody has looked at yet.
  package init() {}

  /// The administrator; nil for every other caller.
  package var administrator: SignedInAdministrator? { known.withLock { $0 } }

  /// Notes whose credentials they are.
  func note(_ administrator: SignedInAdministrator) { known.withLock { $0 = administrator } }

  /// The names of the call's subjects, beyond its path.
  package var subjects: CallSubjects { named.withLock { $0 } }

  /// Notes what the call does to something that its body names: a verb and a name, never contents.
  ///
  /// Calls without a signed-in user leave no trace, so nothing is recorded about them.
  package func note(subject: @autoclosure () -> String) {
    guard administrator != nil else { return }
    let subject = subject()
    named.withLock { $0.append(subject) }
  }
}

extension CallActor {
  /// Records all subjects of the call at once, replacing the earlier ones: for calls that may
  /// restart.
  package func note(subjects: CallSubjects) {
    guard administrator != nil else { return }
    named.withLock { $0 = subjects }
  }
}

/// The names of the subjects of a call with several, within a bound; the rest is counted.
package struct CallSubjects: Sendable, Hashable {
  /// The first 100 names, each cut to 300 characters.
  package private(set) var names: [String] = []
  /// All of them, those that are not kept too.
  package private(set) var count = 0

  private static let most = 100
  private static let longest = 300

  /// None.
  package init() {}

  /// Counts a name, and keeps it within the bound.
  package mutating func append(_ name: String) {
    count += 1
    if names.count < Self.most { names.append(String(name.prefix(Self.longest))) }
  }

  /// The names, and how many more there were.
  package var texts: [String] {
    count > names.count ? names + ["and \(count - names.count) more"] : names
  }
}

/// A call that an administrator made, as the audit trail keeps it.
package struct AdministrativeCall: Sendable {
  /// The administrator who made the call.
  package let administrator: SignedInAdministrator
  /// The client's IP address.
  package let address: String
  /// The HTTP method.
  package let action: String
  /// The path, without the query.
  package let target: String
  /// The HTTP status of the response.
  package let status: Int
  /// The id of the request, which logs and `x-request-id` carry too.
  package let requestID: String
  /// The names in the call's body.
  package let subjects: CallSubjects

  /// A call with its outcome.
  package init(
    administrator: SignedInAdministrator,
    address: String,
    action: String,
    target: String,
    status: Int,
    requestID: String,
    subjects: CallSubjects = CallSubjects()
  ) {
    self.subjects = subjects
    self.administrator = administrator
    self.address = address
    self.action = action
    self.target = target
    self.status = status
    self.requestID = requestID
  }
}

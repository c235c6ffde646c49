import FirestoreModel
import Synchronization

/// The administrator whose credentials a call came with, once they are known: for the audit trail.
///
/// One object a call. Any thread may call.
package final class CallActor: Sendable {
  private let known = Mutex<SignedInAdministrator?>(nil)

  /// The actor of a call whose credentials nobody has looked at yet.
  package init() {}

  /// The administrator; nil for every other caller.
  package var administrator: SignedInAdministrator? { known.withLock { $0 } }

  /// Notes whose credentials they are.
  func note(_ administrator: SignedInAdministrator) { known.withLock { $0 = administrator } }
}

/// A call that an administrator made, as the audit trail keeps it.
package struct AdministrativeCall: Sendable {
  package let administrator: SignedInAdministrator
  /// The client's IP address.
  package let address: String
  /// The HTTP method.
  package let action: String
  /// The path, without the query.
  package let target: String
  /// The HTTP status of the answer.
  package let status: Int
  package let requestID: String

  /// A call with its outcome.
  package init(
    administrator: SignedInAdministrator,
    address: String,
    action: String,
    target: String,
    status: Int,
    requestID: String
  ) {
    self.administrator = administrator
    self.address = address
    self.action = action
    self.target = target
    self.status = status
    self.requestID = requestID
  }
}

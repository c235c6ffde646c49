import Access
import BaseStatus
import DocumentStore
import FirestoreWire

/// A call whose caller is known, on its way through one operation.
struct Call: Sendable {
  /// Nil for the administration API.
  let method: RPCMethod?
  let caller: Caller
  let context: CallContext
  /// True if the call's first steps run on a thread that may wait for the disk.
  var mayBlock = false

  /// `checkWanted`, for the store to ask while it works.
  var check: WorkCheck { { [self] in try checkWanted() } }

  /// Throws CANCELLED or DEADLINE_EXCEEDED when no caller waits for the response any more.
  func checkWanted() throws(ServiceError) {
    if context.cancellation.isCancelled {
      throw ServiceError(.cancelled, "The call was cancelled.")
    }
    if let deadline = context.deadline, ContinuousClock.now >= deadline {
      throw ServiceError(.deadlineExceeded, "Deadline exceeded.")
    }
  }
}

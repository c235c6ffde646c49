import Access
import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire

extension Permit {
  /// The consistency that a request asks for, in the store's terms and as far as the caller gets it.
  func consistency(_ wire: ReadConsistency) throws(ServiceError) -> Consistency {
    switch wire {
    case .latest: .latest
    case .transaction(let id): .transaction(TransactionID(id))
    case .readTime(let time): .at(try chosen(time))
    case .newTransaction(let options): .newTransaction(try self.options(options), holder)
    }
  }

  /// The transaction that a request asks for, as the caller gets it.
  ///
  /// Under rules it is optimistic, like those of Google's client SDKs, and also for callers that
  /// may only read. A lock on a document keeps others from writing it, which is more than the right
  /// to read it. Whom the rules could allow nothing has nothing to do in one.
  func options(
    _ wire: TransactionOptions
  ) throws(ServiceError) -> TransactionKind {
    if let gate, !gate.mayAllowAnything { throw AccessControl.denied }
    switch wire {
    case .readOnly(let time):
      return .readOnly(readTime: try time.map { time throws(ServiceError) in try chosen(time) })
    case .readWrite(let retry, let concurrency):
      let isPessimistic = mayLock && concurrency != .optimistic
      return .readWrite(
        mode: isPessimistic ? .pessimistic : .optimistic,
        retrying: retry.map(TransactionID.init)
      )
    }
  }

  /// The account or network that the caller's transactions are counted for.
  var holder: TransactionHolder? { gate?.holder }

  /// The version of a time that the request names.
  ///
  /// Under rules there is none, since who lost a right would read on in the past; no client SDK
  /// sends one with a read. Transactions keep the times that the server chose. Targets may begin at
  /// a time, like those of bundles, because a listener receives the current state.
  private func chosen(_ time: Timestamp) throws(ServiceError) -> CommitVersion {
    guard gate == nil else {
      throw ServiceError(
        .permissionDenied,
        "Reads at a chosen time require admin authentication."
      )
    }
    return CommitVersion(microseconds: time.microseconds)
  }
}

extension Consistency {
  /// A request that can only name a read time.
  init(readTime: Timestamp?) {
    self = readTime.map { .at(CommitVersion(microseconds: $0.microseconds)) } ?? .latest
  }
}

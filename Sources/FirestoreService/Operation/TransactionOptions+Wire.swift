import DocumentStore
import FirestoreModel
import FirestoreWire

extension StoreTransactionOptions {
  /// What a request asks for, in the store's terms.
  init(wire: WireTransactionOptions) {
    switch wire {
    case .readOnly(let time):
      self = .readOnly(readTime: time.map { CommitVersion(microseconds: $0.microseconds) })
    case .readWrite(let retry, let concurrency):
      self = .readWrite(
        mode: concurrency == .optimistic ? .optimistic : .pessimistic,
        retrying: retry.map(TransactionID.init)
      )
    }
  }
}

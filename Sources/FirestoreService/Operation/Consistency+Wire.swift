import DocumentStore
import FirestoreModel
import FirestoreWire

extension Permit {
  /// What a request asks for, in the store's terms and as far as the caller gets it.
  func consistency(_ wire: ReadConsistency) throws(FirestoreError) -> Consistency {
    switch wire {
    case .latest: .latest
    case .transaction(let id): .transaction(TransactionID(id))
    case .readTime(let time): .at(CommitVersion(microseconds: time.microseconds))
    case .newTransaction(let options): .newTransaction(self.options(options))
    }
  }

  /// The transaction that a request asks for, as the caller gets it.
  ///
  /// Under rules it is optimistic, as those of Google's client SDKs are: a place in a document's
  /// queue keeps others from writing it, which is more than the right to read it.
  func options(_ wire: WireTransactionOptions) -> StoreTransactionOptions {
    let options = StoreTransactionOptions(wire: wire)
    guard gate != nil, case .readWrite(_, let retrying) = options else { return options }
    return .readWrite(mode: .optimistic, retrying: retrying)
  }
}

extension Consistency {
  /// Whether reads are part of a read-write or read-only transaction.
  var isTransaction: Bool {
    switch self {
    case .transaction, .newTransaction: true
    case .latest, .at: false
    }
  }

  /// A request that can only name a read time.
  init(readTime: Timestamp?) {
    self = readTime.map { .at(CommitVersion(microseconds: $0.microseconds)) } ?? .latest
  }
}

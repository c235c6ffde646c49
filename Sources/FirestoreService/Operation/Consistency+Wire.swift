import DocumentStore
import FirestoreModel
import FirestoreWire

extension Consistency {
  /// What a request asks for, in the store's terms.
  init(_ wire: ReadConsistency) throws(FirestoreError) {
    switch wire {
    case .latest: self = .latest
    case .transaction(let id): self = .transaction(TransactionID(id))
    case .readTime(let time): self = .at(CommitVersion(microseconds: time.microseconds))
    case .newTransaction(let options): self = .newTransaction(.init(wire: options))
    }
  }

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

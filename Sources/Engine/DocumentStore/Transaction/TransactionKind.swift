import BaseText
import FirestoreModel
import KeyValueStore

/// Names a transaction to clients: opaque, never empty, not to be guessed.
package struct TransactionID: Sendable, Hashable {
  /// The id as clients send it back; the server makes ids of 16 bytes, or 24 on a node of several.
  package let bytes: [UInt8]

  /// Bytes as a client sent them.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A new id: a node of several has its number in front, then a sequence number, so that ids differ, and a random
  /// number, so that they cannot be guessed; eight bytes each.
  init(of node: NodeNumber?, sequence: UInt64, random: UInt64) {
    var bytes = node?.bytes ?? []
    appendBigEndian(sequence, to: &bytes)
    appendBigEndian(random, to: &bytes)
    self.bytes = bytes
  }

  /// The node of several that the id was made on, if it has the form of such an id.
  package var node: NodeNumber? {
    bytes.count == NodeNumber.byteCount + 16 ? NodeNumber(leading: bytes) : nil
  }
}

/// The caller that a transaction counts against when a database's transactions are shared out.
///
/// Transactions without a holder are those of administrators and of the server itself.
package struct TransactionHolder: Sendable, Hashable {
  /// The user; nil for callers who are distinguished only by their network.
  package let account: Text?
  /// Names the network that the client comes from.
  package let network: String

  /// A caller and where it comes from.
  package init(account: Text?, network: String) {
    self.account = account
    self.network = network
  }
}

/// The way in which a transaction was begun.
package enum TransactionKind: Sendable, Hashable {
  /// Reads at one version: the given one or that of the first read. Commits nothing.
  case readOnly(readTime: CommitVersion? = nil)
  /// Reads at one version and writes if nothing that was read has changed.
  ///
  /// `retrying` names an earlier transaction in any state; the new one keeps its age in the queues.
  case readWrite(mode: ConcurrencyMode = .pessimistic, retrying: TransactionID? = nil)
}

/// The way in which a read-write transaction treats others that touch the same documents.
package enum ConcurrencyMode: Sendable, Hashable {
  /// Only validates when it commits.
  case optimistic
  /// Also takes locks on the documents, so that contenders wait instead of failing.
  case pessimistic
}

/// The version or transaction that a read is consistent with.
package enum Consistency: Sendable, Hashable {
  case latest
  case at(CommitVersion)
  case transaction(TransactionID)
  case newTransaction(TransactionKind, TransactionHolder? = nil)

  /// True if reads are part of a read-write or read-only transaction.
  package var isTransaction: Bool {
    switch self {
    case .transaction, .newTransaction: true
    case .latest, .at: false
    }
  }

  /// True if beginning such a read needs a read of the store: for a transaction at a time of its
  /// own.
  package var readsToBegin: Bool {
    if case .newTransaction(.readOnly(_?), _) = self { true } else { false }
  }
}

import BaseStatus
import Synchronization

/// The transactions of one database: the open ones, and for a while the results of the others.
final class TransactionTable: Sendable {
  private struct Past {
    let end: Transaction.End
    let age: UInt64
    /// The documents that a refused attempt had read, if they were few.
    let contested: [DocumentKey]
    let forgottenAt: Int64
  }

  private struct State {
    var open: [TransactionID: Transaction] = [:]
    var past: [TransactionID: Past] = [:]
    /// The past ones by the time when they are forgotten.
    var order: [TransactionID] = []
    var forgotten = 0
    var sequence: UInt64 = 0
    var shares: TransactionShares
  }

  private let configuration: StoreConfiguration
  private let locks: DocumentLocks
  private let state: Mutex<State>

  /// The largest number of past transactions that are remembered.
  private static let memory = 100_000
  /// The largest number of documents of a refused attempt that are remembered.
  private static let contestedDocuments = 32

  init(configuration: StoreConfiguration, locks: DocumentLocks) {
    self.configuration = configuration
    self.locks = locks
    state = Mutex(State(shares: TransactionShares(of: configuration.maximumTransactions)))
  }

  /// Begins a transaction; with a holder it counts against the holder's share.
  func begin(
    _ options: TransactionKind,
    holder: TransactionHolder? = nil
  ) throws(ServiceError) -> Transaction {
    let attempt = try attempt(before: options)
    let owner = locks.makeOwner(age: attempt?.age)
    let now = configuration.clock.now()
    let random = configuration.random()
    let begun = state.withLock { state -> Result<Transaction, ServiceError> in
      guard state.open.count < configuration.maximumTransactions else {
        return .failure(.tooManyTransactions)
      }
      if let holder, !state.shares.take(for: holder) {
        return .failure(.tooManyTransactionsOfCaller)
      }
      state.sequence += 1
      let id = TransactionID(of: configuration.node, sequence: state.sequence, random: random)
      let transaction = Transaction(
        id: id,
        owner: owner,
        options: options,
        isRetry: attempt?.isOver ?? false,
        contested: attempt?.contested ?? [],
        holder: holder,
        now: now
      )
      state.open[id] = transaction
      return .success(transaction)
    }
    return try begun.get()
  }

  /// An open transaction; otherwise throws its result.
  func find(_ id: TransactionID) throws(ServiceError) -> Transaction {
    expireNow(id)
    let (open, past) = state.withLock { ($0.open[id], $0.past[id]) }
    if let open { return open }
    switch past?.end {
    case nil: throw unknown(id)
    case .refused: throw .transactionRefused
    case .committed, .rolledBack, .expired, .failed: throw .transactionOver
    }
  }

  /// Ends a transaction without a commit; one that is over already, unless committed, is no error.
  func rollback(_ id: TransactionID) throws(ServiceError) {
    let (open, past) = state.withLock { ($0.open[id], $0.past[id]) }
    if let open {
      end(open, .rolledBack)
      return
    }
    switch past?.end {
    case nil: throw unknown(id)
    case .committed: throw .transactionOver
    case .rolledBack, .expired, .refused, .failed: return
    }
  }

  /// Returns the error for an unknown transaction: a transaction of another node is gone if its
  /// calls come here, and its client starts over.
  private func unknown(_ id: TransactionID) -> ServiceError {
    isOfAnotherNode(id) ? .transactionOver : .unknownTransaction
  }

  private func isOfAnotherNode(_ id: TransactionID) -> Bool {
    guard let own = configuration.node, let node = id.node else { return false }
    return node != own
  }

  /// Remembers how the transaction ended and releases its locks.
  func end(_ transaction: Transaction, _ end: Transaction.End) {
    // Also what a call took while the transaction was ended by another.
    defer { locks.release(transaction.owner) }
    let contested = end == .refused && transaction.isPessimistic ? transaction.reads.documents : [:]
    guard transaction.end() else { return }
    let now = configuration.clock.now()
    state.withLock { state in
      state.open[transaction.id] = nil
      if let holder = transaction.holder { state.shares.release(holder) }
      state.order.append(transaction.id)
      state.past[transaction.id] = Past(
        end: end,
        age: transaction.owner.age,
        contested: contested.count <= Self.contestedDocuments ? Array(contested.keys) : [],
        forgottenAt: now + configuration.transactionMemory
      )
      forget(&state, now: now)
    }
  }

  /// Ends transactions that are idle or have lasted too long.
  func expire() {
    let now = configuration.clock.now()
    let late = state.withLock { state in
      forget(&state, now: now)
      let idle = state.shares.idleTimeout(configuration.transactionIdleTimeout)
      return state.open.values.filter { isExpired($0, now: now, idleUnderRules: idle) }
    }
    for transaction in late { end(transaction, .expired) }
  }

  /// The number of open transactions.
  var count: Int { state.withLock { $0.open.count } }

  private func expireNow(_ id: TransactionID) {
    let usual = configuration.transactionIdleTimeout
    let (transaction, idle) = state.withLock { ($0.open[id], $0.shares.idleTimeout(usual)) }
    guard let transaction,
      isExpired(transaction, now: configuration.clock.now(), idleUnderRules: idle)
    else { return }
    end(transaction, .expired)
  }

  private func isExpired(
    _ transaction: Transaction,
    now: Int64,
    idleUnderRules: Int64
  ) -> Bool {
    transaction.isExpired(
      now: now,
      idle: transaction.holder == nil ? configuration.transactionIdleTimeout : idleUnderRules,
      total: configuration.transactionTotalTimeout
    )
  }

  /// An earlier transaction as its retry needs it.
  private struct Attempt {
    let age: UInt64
    let contested: [DocumentKey]
    /// True where it ended without a commit: the retry locks its documents exclusively.
    let isOver: Bool
  }

  /// The earlier transaction that a new one names; nil for a first attempt.
  ///
  /// It gives its age and stays as it is. Clients that share one function among threads name
  /// transactions of other threads, which are open or have committed.
  private func attempt(before options: TransactionKind) throws(ServiceError) -> Attempt? {
    guard case .readWrite(_, let retrying?) = options else { return nil }
    let (open, past) = state.withLock { ($0.open[retrying], $0.past[retrying]) }
    if let open, !open.isReadOnly {
      return Attempt(age: open.owner.age, contested: [], isOver: false)
    }
    if past == nil, isOfAnotherNode(retrying) { return nil }
    guard let past else { throw .badRetryTransaction }
    return Attempt(age: past.age, contested: past.contested, isOver: past.end != .committed)
  }

  private func forget(_ state: inout State, now: Int64) {
    while state.forgotten < state.order.count {
      let id = state.order[state.forgotten]
      let isOld = (state.past[id]?.forgottenAt ?? 0) <= now
      guard isOld || state.order.count - state.forgotten > Self.memory else { break }
      state.past[id] = nil
      state.forgotten += 1
    }
    if state.forgotten > 1_024, state.forgotten * 2 > state.order.count {
      state.order.removeFirst(state.forgotten)
      state.forgotten = 0
    }
  }
}

import BaseStatus
import FirestoreModel
import Synchronization

/// One transaction from begin to end: its version, its reads, its state.
///
/// Any thread may call. `TransactionTable` owns it.
final class Transaction: Sendable {
  /// The way in which a transaction ended.
  enum End: Sendable {
    case committed
    case rolledBack
    case expired
    /// Its commit was refused.
    case refused
    /// The store failed to commit it: a caller that repeats the commit is asked to restart the
    /// transaction.
    case failed
  }

  /// The documents and ranges that must not have changed when the transaction commits.
  struct Reads: Sendable {
    var version: CommitVersion = .zero
    var documents: [DocumentKey: CommitVersion] = [:]
    var ranges: [TrackedRead] = []
  }

  private enum Phase {
    case open
    case committing
    case ended
  }

  private struct State {
    var phase = Phase.open
    var version: CommitVersion?
    var documents: [DocumentKey: CommitVersion] = [:]
    var ranges: [TrackedRead] = []
    var lastUsed: Int64
    /// Calls in progress; a transaction that waits for the server is not idle.
    var calls = 0
  }

  let id: TransactionID
  let owner: LockTable.Owner
  let began: Int64
  let isReadOnly: Bool
  let isPessimistic: Bool
  /// True for the retry of an attempt that ended without a commit.
  let isRetry: Bool
  /// The documents that a refused attempt had read, for whose locks its retry waits before it queries.
  let contested: [DocumentKey]
  /// The caller whose share it counts against; nil for administrators.
  let holder: TransactionHolder?
  private let state: Mutex<State>

  init(
    id: TransactionID,
    owner: LockTable.Owner,
    options: TransactionKind,
    isRetry: Bool = false,
    contested: [DocumentKey] = [],
    holder: TransactionHolder? = nil,
    now: Int64
  ) {
    self.id = id
    self.owner = owner
    began = now
    self.isRetry = isRetry
    self.contested = contested
    self.holder = holder
    var version: CommitVersion?
    switch options {
    case .readOnly(let readTime):
      version = readTime
      isReadOnly = true
      isPessimistic = false
    case .readWrite(let mode, _):
      isReadOnly = false
      isPessimistic = mode == .pessimistic
    }
    state = Mutex(State(version: version, lastUsed: now))
  }

  /// The version of its reads, once there is one.
  var version: CommitVersion? { state.withLock { $0.version } }

  /// Fixes the version if it is not fixed; returns it.
  func fixVersion(_ version: CommitVersion) -> CommitVersion {
    state.withLock { state in
      let fixed = state.version ?? version
      state.version = fixed
      return fixed
    }
  }

  /// A call begins; false when the transaction takes none any more.
  func beginCall(now: Int64) -> Bool {
    state.withLock { state in
      guard state.phase == .open else { return false }
      state.lastUsed = now
      state.calls += 1
      return true
    }
  }

  /// A call has ended.
  func endCall(now: Int64) {
    state.withLock { state in
      state.lastUsed = now
      state.calls -= 1
    }
  }

  /// The commit begins; false when the transaction is committing or over.
  func beginCommit() -> Bool {
    state.withLock { state in
      guard state.phase == .open else { return false }
      state.phase = .committing
      return true
    }
  }

  /// The commit was not made; the transaction continues.
  func reopen(now: Int64) {
    state.withLock { state in
      guard state.phase == .committing else { return }
      state.phase = .open
      state.lastUsed = now
    }
  }

  /// True if it takes calls.
  var isOpen: Bool { state.withLock { $0.phase == .open } }

  /// The transaction is over; false when it was already.
  func end() -> Bool {
    state.withLock { state in
      guard state.phase != .ended else { return false }
      state.phase = .ended
      state.documents = [:]
      state.ranges = []
      return true
    }
  }

  /// Returns true if it has been idle or has lasted too long; a commit in progress has no limit.
  func isExpired(now: Int64, idle: Int64, total: Int64) -> Bool {
    state.withLock { state in
      guard state.phase == .open else { return false }
      return now - began >= total || (state.calls == 0 && now - state.lastUsed >= idle)
    }
  }

  /// Notes a document and its version; the first version that was seen counts.
  func note(_ key: DocumentKey, _ version: CommitVersion, limit: Int) throws(ServiceError) {
    let fits = state.withLock { state in
      if state.documents[key] == nil { state.documents[key] = version }
      return state.documents.count <= limit
    }
    if !fits { throw .tooManyTransactionReads }
  }

  /// Notes a range that was read.
  func note(_ range: TrackedRead, limit: Int) throws(ServiceError) {
    let fits = state.withLock { state in
      state.ranges.append(range)
      return state.ranges.count <= limit
    }
    if !fits { throw .tooManyTransactionReads }
  }

  /// The reads that its commit has to check.
  var reads: Reads {
    state.withLock {
      Reads(version: $0.version ?? .zero, documents: $0.documents, ranges: $0.ranges)
    }
  }
}

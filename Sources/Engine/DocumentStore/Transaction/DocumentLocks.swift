import BaseRuntime
import BaseStatus
import KeyValueStore
import Synchronization

/// The lock table of one database with the work after the end of a wait.
///
/// Any thread may call. A call that need not wait continues at once on its own thread; one that
/// waited continues on the store's follow-up thread.
final class DocumentLocks: Sendable {
  typealias Continuation = @Sendable (Result<Void, ServiceError>) -> Void
  private typealias Ended = (Continuation, Result<Void, ServiceError>)

  private struct State {
    var table = LockTable()
    var continuations: [UInt64: Continuation] = [:]
    var lastOwner: UInt64 = 0

    /// Takes out the work after the tickets' waits.
    mutating func end(_ tickets: [UInt64], _ result: Result<Void, ServiceError>) -> [Ended] {
      tickets.compactMap { ticket in
        continuations.removeValue(forKey: ticket).map { ($0, result) }
      }
    }
  }

  private let state = Mutex(State())
  /// The number of documents in the table; commits look here before they take the lock.
  private let inUse = Atomic(0)
  private let clock: MicrosecondClock
  private let timeout: Int64
  private let followUp: FollowUpQueue

  init(clock: MicrosecondClock, timeout: Int64, followUp: FollowUpQueue) {
    self.clock = clock
    self.timeout = timeout
    self.followUp = followUp
  }

  /// An owner of its own age, or of that of its first attempt.
  func makeOwner(age: UInt64? = nil) -> LockTable.Owner {
    state.withLock {
      $0.lastOwner += 1
      return LockTable.Owner(number: $0.lastOwner, age: age ?? $0.lastOwner)
    }
  }

  /// Continues when the owner has a reader's lock on every document.
  func read(
    _ keys: [DocumentKey],
    by owner: LockTable.Owner,
    insists: Bool,
    then: @escaping Continuation
  ) {
    take(sorted(keys)[...], then: then) { table, key, deadline in
      table.read(key, by: owner, insists: insists, deadline: deadline)
    }
  }

  /// Continues when the owner may write every document.
  func write(_ keys: [DocumentKey], by owner: LockTable.Owner, then: @escaping Continuation) {
    take(sorted(keys)[...], then: then) { table, key, deadline in
      table.write(key, by: owner, deadline: deadline)
    }
  }

  /// True if no owner holds or waits for any document, so that a commit needs no owner.
  var isIdle: Bool { inUse.load(ordering: .sequentiallyConsistent) == 0 }

  /// The number of calls that wait.
  var waiting: Int { state.withLock { $0.table.waiting } }

  /// Shared locks on what a query found, where they can be had without waiting.
  func note(_ keys: [DocumentKey], by owner: LockTable.Owner) {
    state.withLock { state in
      for key in keys { state.table.note(key, by: owner) }
      inUse.store(state.table.count, ordering: .sequentiallyConsistent)
    }
  }

  /// Ends everything that the owner holds or waits for; its waits fail as `reason`.
  func release(_ owner: LockTable.Owner, failingWaits reason: ServiceError = .transactionOver) {
    finish { table in
      let (granted, dropped) = table.release(owner.number)
      return (granted, dropped, reason)
    }
  }

  /// Ends waits that have lasted too long.
  func expire() {
    let now = clock.now()
    finish { table in
      let (granted, expired) = table.expire(now: now)
      return (granted, expired, .contention)
    }
  }

  /// Ends all waits, because the store does.
  func close() {
    finish { table in
      let (granted, expired) = table.expire(now: .max)
      return (granted, expired, .storage(KeyValueError(.closed, "the store was closed")))
    }
  }

  private func take(
    _ keys: ArraySlice<DocumentKey>,
    then: @escaping Continuation,
    request: @escaping @Sendable (inout LockTable, DocumentKey, Int64) -> LockTable.Outcome
  ) {
    let deadline = clock.now() + timeout
    let (answer, ended) = state.withLock { state -> (LockTable.Answer, [Ended]) in
      defer { inUse.store(state.table.count, ordering: .sequentiallyConsistent) }
      var ended: [Ended] = []
      for (index, key) in zip(keys.indices, keys) {
        let outcome = request(&state.table, key, deadline)
        ended += state.end(outcome.granted, .success(()))
        ended += state.end(outcome.refused, .failure(.contention))
        switch outcome.answer {
        case .granted: continue
        case .deadlock: return (.deadlock, ended)
        case .waits(let ticket):
          let rest = keys[(index + 1)...]
          state.continuations[ticket] = { result in
            switch result {
            case .success: self.take(rest, then: then, request: request)
            case .failure: then(result)
            }
          }
          return (outcome.answer, ended)
        }
      }
      return (.granted, ended)
    }
    goOn(ended)
    switch answer {
    case .granted: then(.success(()))
    case .deadlock: then(.failure(.contention))
    case .waits: break
    }
  }

  /// Changes the table, then lets those whose wait ended go on.
  private func finish(
    _ change: (inout LockTable) -> (granted: [UInt64], failed: [UInt64], reason: ServiceError)
  ) {
    let ended = state.withLock { state -> [Ended] in
      let (granted, failed, reason) = change(&state.table)
      inUse.store(state.table.count, ordering: .sequentiallyConsistent)
      return state.end(granted, .success(())) + state.end(failed, .failure(reason))
    }
    goOn(ended)
  }

  private func goOn(_ ended: [Ended]) {
    for (continuation, result) in ended {
      followUp.run { continuation(result) }
    }
  }

  /// One order for all, so that fewer circles arise.
  private func sorted(_ keys: [DocumentKey]) -> [DocumentKey] {
    guard keys.count > 1 else { return keys }
    return Set(keys).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}

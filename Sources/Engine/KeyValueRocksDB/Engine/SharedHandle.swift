import Dispatch
import KeyValueStore
import Synchronization

/// The open database of an engine, lent to its views and groups, and replaced when it is opened anew.
///
/// A database may be closed only when nobody uses it, so every user holds a lease. While the database
/// is replaced nobody gets one: such a call throws instead of waiting, as whoever holds a lease may
/// be the one who asks. Any thread may call; one at a time replaces.
final class SharedHandle: Sendable {
  private struct State {
    /// Nil after an opening that failed.
    var handle: RocksDBHandle?
    var leases = 0
    var isBeingReplaced = false
  }

  private let state: Mutex<State>
  /// Signalled when the last lease ends while the database waits to be replaced.
  private let idle = DispatchSemaphore(value: 0)

  private static let unavailable = KeyValueError(.stopped, "the database is being opened again")

  init(_ handle: RocksDBHandle) { state = Mutex(State(handle: handle)) }

  /// The right to use the database, until the lease is dropped.
  func lease() throws(KeyValueError) -> HandleLease {
    try state.withLock { (state) throws(KeyValueError) in
      guard !state.isBeingReplaced, let handle = state.handle else { throw Self.unavailable }
      state.leases += 1
      return HandleLease(handle, of: self)
    }
  }

  /// Gives the database to `open`, once nobody uses it any more, and goes on with what that answers.
  ///
  /// `open` must close it. After `patience` with a lease still out nothing has changed and the call
  /// throws; when `open` throws, there is no database until a later call.
  func replace(
    patience: Duration,
    _ open: (RocksDBHandle?) throws -> RocksDBHandle
  ) throws {
    state.withLock { $0.isBeingReplaced = true }
    defer { state.withLock { $0.isBeingReplaced = false } }
    try awaitIdle(patience)
    let old = state.withLock { state in
      defer { state.handle = nil }
      return state.handle
    }
    let new = try open(old)
    state.withLock { $0.handle = new }
  }

  /// Closes the database for good.
  func close() {
    let handle = state.withLock { state in
      defer { state.handle = nil }
      return state.handle
    }
    handle?.close()
  }

  fileprivate func giveBack() {
    let isLast = state.withLock { state in
      state.leases -= 1
      return state.leases == 0 && state.isBeingReplaced
    }
    if isLast { idle.signal() }
  }

  private func awaitIdle(_ patience: Duration) throws {
    let deadline = DispatchTime.now() + .milliseconds(Int(patience / .milliseconds(1)))
    while state.withLock({ $0.leases > 0 }) {
      guard idle.wait(timeout: deadline) == .success else { throw Self.unavailable }
    }
  }
}

/// The right to use an open database; it ends with the value.
struct HandleLease: ~Copyable, Sendable {
  let handle: RocksDBHandle
  private let owner: SharedHandle

  fileprivate init(_ handle: RocksDBHandle, of owner: SharedHandle) {
    self.handle = handle
    self.owner = owner
  }

  deinit { owner.giveBack() }
}

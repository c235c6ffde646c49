import Dispatch
import KeyValueStore
import Synchronization

/// The open database of an engine, lent to its views and groups, and replaced when it is reopened.
///
/// A database may be closed only when it is not in use, so every user holds a lease. While the
/// database is replaced no lease is given: such a call throws instead of waiting, as the caller
/// itself may hold one. Any thread may call; one at a time replaces.
///
/// `@unchecked Sendable`: `handle` is read by holders of a lease, and written by the thread that
/// has kept others from getting one and has seen the last of them end.
final class SharedHandle: @unchecked Sendable {
  /// Two for each lease, and one while none are given out.
  private let state = Atomic<Int>(0)
  /// Nil after an opening that failed.
  private var handle: RocksDBHandle?
  /// Signalled when the last lease ends while the database waits to be replaced.
  private let idle = DispatchSemaphore(value: 0)

  private static let isLocked = 1
  private static let oneLease = 2
  private static let unavailable = KeyValueError(.stopped, "the database is being opened again")

  init(_ handle: RocksDBHandle) { self.handle = handle }

  /// The right to use the database, until the lease is dropped.
  func lease() throws(KeyValueError) -> HandleLease {
    let before = state.add(Self.oneLease, ordering: .acquiringAndReleasing).oldValue
    guard before & Self.isLocked == 0, let handle else {
      giveBack()
      throw Self.unavailable
    }
    return HandleLease(handle, of: self)
  }

  /// Gives the database to `open`, once it has no users, and continues with the result.
  ///
  /// `open` must close it. After `timeout` with a lease still out nothing has changed and the call
  /// throws; when `open` throws, there is no database until a later call.
  func replace(
    timeout: Duration,
    _ open: (RocksDBHandle?) throws -> RocksDBHandle
  ) throws {
    state.bitwiseOr(Self.isLocked, ordering: .acquiringAndReleasing)
    defer { state.bitwiseAnd(~Self.isLocked, ordering: .acquiringAndReleasing) }
    try awaitIdle(timeout)
    let old = handle
    handle = nil
    handle = try open(old)
  }

  /// Closes the database for good, when it is neither used nor being replaced.
  func close() {
    state.bitwiseOr(Self.isLocked, ordering: .acquiringAndReleasing)
    handle?.close()
  }

  fileprivate func giveBack() {
    let after = state.subtract(Self.oneLease, ordering: .acquiringAndReleasing).newValue
    if after == Self.isLocked { idle.signal() }
  }

  private func awaitIdle(_ timeout: Duration) throws {
    let deadline = DispatchTime.now() + .milliseconds(Int(timeout / .milliseconds(1)))
    while state.load(ordering: .acquiring) >= Self.oneLease {
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

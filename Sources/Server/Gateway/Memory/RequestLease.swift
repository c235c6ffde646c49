import BaseRuntime
import Synchronization

/// The memory of its connection's account that one request holds, from its head until its stream
/// has closed and all work on it has ended: the lease ends with the object.
///
/// A handler of a request holds the object that holds the lease, so a handler that continues after
/// its client has gone still counts. Any thread may call.
final class RequestLease: Sendable {
  let account: LedgerAccount
  private let open: OpenLeases?
  private let held: Mutex<Int>
  private let isStreaming = Atomic<Bool>(false)

  /// A lease on those bytes; nil where the account has no room.
  init?(_ account: LedgerAccount, bytes: Int, countedBy open: OpenLeases? = nil) {
    guard account.reserve(bytes, for: .request) else { return nil }
    self.account = account
    self.open = open
    held = Mutex(bytes)
    open?.count.wrappingAdd(1, ordering: .relaxed)
  }

  deinit {
    account.release(held.withLock { $0 }, for: .request)
    open?.count.wrappingSubtract(1, ordering: .relaxed)
  }

  /// The request's body may be of any length and take as long as it comes.
  func beginStream() { isStreaming.store(true, ordering: .relaxed) }

  /// True if the body may take as long as it comes.
  var isStream: Bool { isStreaming.load(ordering: .relaxed) }

  /// Takes so many bytes more; false where there is no room for them.
  func extend(by bytes: Int) -> Bool {
    guard account.reserve(bytes, for: .request) else { return false }
    held.withLock { $0 += bytes }
    return true
  }

  /// Gives back that many of the bytes.
  func reduce(by bytes: Int) {
    held.withLock { $0 -= bytes }
    account.release(bytes, for: .request)
  }
}

/// The number of leases of a connection.
final class OpenLeases: Sendable {
  fileprivate let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }
}

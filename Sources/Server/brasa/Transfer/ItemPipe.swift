import BaseRuntime

/// Items on their way from a thread that reads them to one that stores them.
///
/// The reader waits while many bytes are pending. Either side can end the transfer: a failure of the first reaches the second
/// behind the items, and a cancellation by the second ends the first at its next item.
///
/// `@unchecked Sendable`: every access to the mutable state holds the condition's lock, but for `taken`, which the one thread
/// that calls `next` has alone.
final class ItemPipe: @unchecked Sendable {
  /// The failure of a reader whose items nobody wants any more.
  struct Cancelled: Error {}

  private let condition = ThreadCondition()
  private var pending: [[UInt8]] = []
  private var bytes = 0
  private var isOver = false
  private var isCancelled = false
  private var failure: (any Error)?
  private var lost = 0
  /// Items that were taken out together, the first one last.
  private var taken: [[UInt8]] = []

  /// The most bytes that may be pending, unless a single item has more.
  private static let mostBytes = 4 << 20

  /// Adds an item; waits for room.
  func put(_ item: [UInt8]) throws {
    try condition.withLock {
      while !isCancelled, bytes > Self.mostBytes { condition.wait() }
      guard !isCancelled else { throw Cancelled() }
      pending.append(item)
      bytes += item.count
      condition.signal()
    }
  }

  /// Counts an item that could not be read.
  func lose() { condition.withLock { lost += 1 } }

  /// The number of items that could not be read; all of them behind the last item.
  var losses: Int { condition.withLock { lost } }

  /// Notes that no item comes any more; with a failure, that others would have come.
  func finish(_ failure: (any Error)? = nil) {
    condition.withLock {
      self.failure = failure
      isOver = true
      condition.broadcast()
    }
  }

  /// The next item; nil behind the last.
  func next() throws -> [UInt8]? {
    if let item = taken.popLast() { return item }
    try condition.withLock {
      while pending.isEmpty, !isOver { condition.wait() }
      if pending.isEmpty, let failure { throw failure }
      taken = pending.reversed()
      pending = []
      bytes = 0
      condition.signal()
    }
    return taken.popLast()
  }

  /// Takes no more items, and waits until the other side has ended.
  func cancel() {
    condition.withLock {
      isCancelled = true
      condition.broadcast()
      while !isOver { condition.wait() }
    }
  }
}

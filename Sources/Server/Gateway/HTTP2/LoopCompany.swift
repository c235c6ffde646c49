import Synchronization

/// Tells whether an event loop works for one HTTP/2 connection alone, whose client then loses nothing
/// where the loop waits for its write.
///
/// The loop notes each read and each response of other threads. The first of another connection ends
/// the solitude, so two clients that share a loop wait for each other once in many requests at most.
/// Used on the event loop; atomic because the loop's mailbox is shared.
final class LoopCompany: Sendable {
  /// So many reads in a row are of one connection before it counts as alone.
  static let solitude = 32

  /// The object identifier of the connection; 0 for another kind.
  private let last = Atomic<Int>(0)
  private let reads = Atomic<Int>(0)

  /// The loop reads from a connection; nil is not HTTP/2.
  func noteRead(of connection: AnyObject?) {
    noteWork(for: connection)
    reads.add(1, ordering: .relaxed)
  }

  /// The loop does something for a connection; nil is not HTTP/2.
  func noteWork(for connection: AnyObject?) {
    let number = connection.map { Int(bitPattern: ObjectIdentifier($0)) } ?? 0
    guard last.load(ordering: .relaxed) != number else { return }
    last.store(number, ordering: .relaxed)
    reads.store(0, ordering: .relaxed)
  }

  /// True if the loop worked for nobody but the connection for a while.
  func isAlone(_ connection: AnyObject) -> Bool {
    reads.load(ordering: .relaxed) >= Self.solitude
      && last.load(ordering: .relaxed) == Int(bitPattern: ObjectIdentifier(connection))
  }
}

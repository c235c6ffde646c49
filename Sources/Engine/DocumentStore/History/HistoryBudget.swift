import FirestoreModel
import KeyValueStore
import Synchronization

/// The number of history bytes that one database's commits have written, ever (`CommitRecord` keeps
/// the sums).
///
/// It changes only inside a group's body; a group that failed must `forget()`.
final class HistoryBudget: Sendable {
  private let incarnation: Incarnation
  private let total = Mutex<Int64?>(nil)

  init(incarnation: Incarnation) { self.incarnation = incarnation }

  /// Adds what a commit wrote and answers the new sum.
  func add(_ bytes: Int64, in reader: any KeyValueReader) throws -> Int64 {
    if let sum = total.withLock({ $0 }) { return set(sum + bytes) }
    let stored = try Self.record(in: reader, incarnation, last: true)?.bytes ?? 0
    return set(stored + bytes)
  }

  /// Reads the sum again when it is needed next.
  func forget() { total.withLock { $0 = nil } }

  /// The version and sum of the first or last commit in the log.
  static func record(
    in reader: any KeyValueReader,
    _ incarnation: Incarnation,
    last: Bool
  ) throws -> (version: CommitVersion, bytes: Int64)? {
    let range = KeyRange(prefix: KeySpace.commit.prefix(incarnation))
    let cursor = try reader.cursor(over: range, reversed: last)
    guard try cursor.next(), let version = CommitKey.version(ofKey: cursor.key) else { return nil }
    return (version, try cursor.value(as: .commit, in: reader).historyBytes)
  }

  private func set(_ sum: Int64) -> Int64 {
    total.withLock { $0 = sum }
    return sum
  }
}

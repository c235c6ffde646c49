import BaseRuntime
import FirestoreModel
import Synchronization

/// The time of reads, for `request.time`: whole milliseconds, never before the time of a write that
/// this server has decided on.
///
/// Writes take their time from the store. Any thread may call.
package final class RequestClock: Sendable {
  private let wall: @Sendable () -> Int64
  private let latest = Atomic<Int64>(0)

  /// A clock over microseconds since 1970.
  package init(wall: @escaping @Sendable () -> Int64 = RequestClock.systemTime) {
    self.wall = wall
  }

  /// The time of a read that begins now.
  func now() -> Timestamp {
    let time = max(wall(), latest.load(ordering: .relaxed))
    return Timestamp(microseconds: time).truncatedToMilliseconds
  }

  /// Notes the time of a write.
  func note(_ time: Timestamp) { latest.max(time.microseconds, ordering: .relaxed) }

  /// The time in microseconds since 1970 as the process believes it.
  package static let systemTime: @Sendable () -> Int64 = { MicrosecondClock.system.now() }
}

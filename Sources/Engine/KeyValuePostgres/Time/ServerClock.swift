import KeyValueStore
import Synchronization

/// The database server's clock, as it was last told, with the time since then.
///
/// Nodes whose clocks differ agree so on the time. Tests set a clock of their own instead. Any thread may call.
final class ServerClock: Sendable {
  private let fixed: MicrosecondClock?
  private let told = Mutex<(time: Int64, at: ContinuousClock.Instant)?>(nil)

  init(_ fixed: MicrosecondClock?) { self.fixed = fixed }

  /// The server has just said what time it is.
  func note(_ time: Int64) {
    let now = ContinuousClock.now
    told.withLock { $0 = (time, now) }
  }

  /// Microseconds since the epoch, which may go back; 0 before the server has said anything.
  func now() -> Int64 {
    if let fixed { return fixed.now() }
    guard let told = told.withLock({ $0 }) else { return 0 }
    let passed = (ContinuousClock.now - told.at).components
    return told.time + passed.seconds * 1_000_000 + passed.attoseconds / 1_000_000_000_000
  }
}

import Synchronization

/// Notices loops that no chain of events shows: one document whose events of one trigger come faster than any use of it.
///
/// Memory is bounded: of more keys than `keysKept` the counts begin at zero.
final class LoopGuard: Sendable {
  private struct Key: Hashable {
    let trigger: Int64
    let order: Int64
  }

  private struct Window {
    var start: Int64
    var count = 0
  }

  /// Deliveries of one key in one window.
  static let limit = 3_000
  /// Microseconds.
  static let window: Int64 = 60_000_000
  private static let keysKept = 10_000

  private let windows = Mutex<[Key: Window]>([:])

  init() {}

  /// Counts a delivery; true if the key is in a loop.
  func note(_ trigger: Int64, order: Int64, now: Int64) -> Bool {
    guard order != 0 else { return false }
    let key = Key(trigger: trigger, order: order)
    return windows.withLock { windows in
      if windows.count >= Self.keysKept, windows[key] == nil { windows = [:] }
      var window = windows[key] ?? Window(start: now)
      if now - window.start >= Self.window || now < window.start { window = Window(start: now) }
      window.count += 1
      windows[key] = window
      return window.count > Self.limit
    }
  }
}

import Backup
import Synchronization

/// A target that can be away, full, or cut a call off after it took effect.
final class FaultyTarget: BackupTarget {
  enum Fault: Sendable {
    case none
    /// Nothing is read or written.
    case away
    /// Nothing is written.
    case full
    /// So many writes go well, and the next one does, too, but its author is told of a failure.
    case loses(Int)
    /// So many calls go well, and none after them, as for a process that ended there.
    case ends(Int)
  }

  let base: any BackupTarget
  private let fault = Mutex(Fault.none)

  init(_ base: any BackupTarget) { self.base = base }

  var address: String { base.address }
  var pause: Duration { .milliseconds(1) }

  func set(_ fault: Fault) { self.fault.withLock { $0 = fault } }

  private static let failure = BackupError(.unavailable, "The test's target fails.")

  /// True once a call met the end.
  var hasEnded: Bool {
    if case .ends(let left) = fault.withLock({ $0 }) { return left < 0 }
    return false
  }

  private func read() throws {
    try fault.withLock { fault in
      switch fault {
      case .none, .full, .loses: break
      case .away: throw Self.failure
      case .ends(let left): try Self.count(left, &fault)
      }
    }
  }

  private static func count(_ left: Int, _ fault: inout Fault) throws {
    fault = .ends(max(left - 1, -1))
    if left <= 0 { throw failure }
  }

  func claim() async throws {
    try read()
    try await base.claim()
  }

  func release() async { await base.release() }

  func put(_ name: String, _ bytes: [UInt8], replacing: Bool) async throws {
    let isLost = try fault.withLock { fault in
      switch fault {
      case .none: return false
      case .away, .full: throw Self.failure
      case .loses(let count):
        fault = count > 0 ? .loses(count - 1) : .none
        return count == 0
      case .ends(let left):
        try Self.count(left, &fault)
        return false
      }
    }
    try await base.put(name, bytes, replacing: replacing)
    if isLost { throw Self.failure }
  }

  func get(_ name: String) async throws -> [UInt8]? {
    try read()
    return try await base.get(name)
  }

  func list(_ prefix: String) async throws -> [BackupEntry] {
    try read()
    return try await base.list(prefix)
  }

  func remove(_ name: String) async throws {
    try read()
    try await base.remove(name)
  }
}

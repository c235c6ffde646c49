import FirestoreModel
import Synchronization

/// How many bytes of events are taken in a second.
package struct IntakeLimits: Sendable {
  /// From one address, in one project, and in all: bytes a second in the long run.
  package var address = 8 << 20
  package var project = 16 << 20
  package var total = 32 << 20
  /// Seconds whose bytes may come at once.
  package var burst = 10

  /// The limits of a server.
  package init() {}
}

/// Counts what comes in by address, by project and in all, and refuses what is beyond the limits.
///
/// Each is a bucket that runs empty with time. Only buckets that are not empty are kept.
final class IntakeLimiter: Sendable {
  private struct Bucket {
    var bytes: Double = 0
    var time: Int64 = 0

    /// What is in it at a time, of a limit a second.
    func level(at now: Int64, _ limit: Int) -> Double {
      max(0, bytes - Double(max(0, now - time)) / 1_000_000 * Double(limit))
    }
  }

  private struct State {
    var total = Bucket()
    var projects: [Text: Bucket] = [:]
    var addresses: [String: Bucket] = [:]
  }

  /// Buckets of one kind that are kept.
  private static let bucketLimit = 16_384

  private let limits: IntakeLimits
  private let state = Mutex(State())

  init(_ limits: IntakeLimits) { self.limits = limits }

  /// Counts bytes of a request; RESOURCE_EXHAUSTED where one of the buckets is full.
  func take(_ bytes: Int, address: String, project: Text, now: Int64) throws(FirestoreError) {
    let isTaken = state.withLock { state in
      Self.sweep(&state.addresses, now, limits.address)
      Self.sweep(&state.projects, now, limits.project)
      let levels = [
        (state.total.level(at: now, limits.total), limits.total),
        (state.projects[project, default: Bucket()].level(at: now, limits.project), limits.project),
        (
          state.addresses[address, default: Bucket()].level(at: now, limits.address),
          limits.address
        ),
      ]
      let hasRoom = levels.allSatisfy { level, limit in
        level + Double(bytes) <= Double(limit * limits.burst)
      }
      guard hasRoom else { return false }
      state.total = Bucket(bytes: levels[0].0 + Double(bytes), time: now)
      state.projects[project] = Bucket(bytes: levels[1].0 + Double(bytes), time: now)
      state.addresses[address] = Bucket(bytes: levels[2].0 + Double(bytes), time: now)
      return true
    }
    guard isTaken else {
      throw FirestoreError(.resourceExhausted, "Too many events. Try again later.")
    }
  }

  private static func sweep<Key: Hashable>(
    _ buckets: inout [Key: Bucket],
    _ now: Int64,
    _ limit: Int
  ) {
    guard buckets.count >= bucketLimit else { return }
    buckets = buckets.filter { $0.value.level(at: now, limit) > 0 }
    // Who is left has sent within the last seconds; the least of them are forgotten.
    guard buckets.count >= bucketLimit else { return }
    let kept = buckets.sorted { $0.value.bytes > $1.value.bytes }.prefix(bucketLimit / 2)
    buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}

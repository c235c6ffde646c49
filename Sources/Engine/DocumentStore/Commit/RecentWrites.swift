import KeyValueStore
import Synchronization

/// The documents that the last groups have written, so that a plan whose documents have no later
/// writes need not be checked against the engine.
///
/// Groups are counted from 1. A plan notes how many had landed before it read anything; it holds
/// for a document that no later group has written. Keys are remembered by hash: two that collide
/// cost a look and nothing else. Two generations of groups are kept, the older one dropped when the
/// newer one is full.
///
/// Groups of other engines on the same store count as well; they are reported between those of this
/// one.
///
/// Any thread may ask for `landed`; everything else happens in the bodies of groups, one at a time, or between two groups.
final class RecentWrites: Sendable {
  /// A number of groups that have landed.
  typealias Moment = UInt64

  private struct State {
    /// The group that wrote a document last, by the hash of its key.
    var current: [UInt64: Moment] = [:]
    var older: [UInt64: Moment] = [:]
    /// From this group on nothing is missing from the two, from the current one.
    var since: Moment = 1
    var currentSince: Moment = 1
  }

  private let landedGroups = Atomic<Moment>(0)
  private let state = Mutex(State())
  /// The last group that wrote a document.
  private let lastWriter = Atomic<Moment>(0)
  private let capacity: Int

  /// Remembers at least that many documents.
  init(capacity: Int = 16_384) { self.capacity = capacity }

  /// The number of groups that have landed: data read after this includes their writes.
  var landed: Moment { landedGroups.load(ordering: .acquiring) }

  /// The group is visible.
  func groupLanded() { landedGroups.add(1, ordering: .acquiringAndReleasing) }

  /// Returns true if certainly no group has written the document since that moment.
  func isUntouched(_ key: [UInt8], since moment: Moment) -> Bool {
    if lastWriter.load(ordering: .acquiring) <= moment { return true }
    return state.withLock { state in
      guard moment + 1 >= state.since else { return false }
      let hash = KeyHash.of(key)
      return (state.current[hash] ?? 0) <= moment && (state.older[hash] ?? 0) <= moment
    }
  }

  /// A group with unknown writes has landed.
  func unknownGroupLanded() {
    let group = landed + 1
    lastWriter.store(group, ordering: .releasing)
    state.withLock { state in
      state = State(since: group + 1, currentSince: group + 1)
    }
    groupLanded()
  }

  /// The group in progress writes the document.
  func note(_ key: [UInt8]) {
    let group = landed + 1
    lastWriter.store(group, ordering: .releasing)
    state.withLock { state in
      if state.current.count >= capacity {
        swap(&state.current, &state.older)
        state.current.removeAll(keepingCapacity: true)
        state.since = state.currentSince
        // The group's earlier writes moved to the older generation.
        state.currentSince = group + 1
      }
      state.current[KeyHash.of(key)] = group
    }
  }
}

import FirestoreModel
import Synchronization

/// A denial by the rules, as operators are shown it.
package struct RecordedDenial: Sendable, Hashable {
  /// Counts from 1 since the server began.
  package let number: Int64
  /// Microseconds since 1970.
  package let time: Int64
  package let project: Text
  /// What is known of it by name: method, path, database or bucket, uid, ruleset, request and why.
  package let facts: [String: String]
  /// What the conditions saw, a line each.
  package let seen: [String]
}

/// The newest denials, `capacity` at most, in memory.
///
/// What it takes is bounded by the log of denials, which cuts every text. Any thread may call.
final class RecentDenials: Sendable {
  private struct State {
    var count: Int64 = 0
    var entries: [RecordedDenial] = []
  }

  private let state = Mutex(State())
  private let capacity: Int

  init(capacity: Int = 500) { self.capacity = capacity }

  /// Keeps a denial, in place of the oldest where there are too many.
  func append(project: Text, facts: [String: String], seen: [String], at time: Int64) {
    state.withLock { state in
      state.count += 1
      if state.entries.count >= capacity {
        // Many at once, so that most denials move none.
        state.entries.removeFirst(capacity / 10 + 1)
      }
      let entry = RecordedDenial(
        number: state.count,
        time: time,
        project: project,
        facts: facts,
        seen: seen
      )
      state.entries.append(entry)
    }
  }

  /// The denials of a project behind a number, the oldest first.
  func entries(of project: Text, after number: Int64) -> [RecordedDenial] {
    state.withLock { $0.entries.filter { $0.number > number && $0.project == project } }
  }
}

extension AccessControl {
  /// The newest denials of a project behind a number, the oldest first; of those that were too many for the log
  /// nothing is known.
  package func recentDenials(of project: Text, after number: Int64) -> [RecordedDenial] {
    log.recent.entries(of: project, after: number)
  }
}

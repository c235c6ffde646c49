import BaseText
import Synchronization

/// A request that the rules decided on, as operators are shown it.
package struct RecordedRequest: Sendable, Hashable {
  /// Counts from 1 since the server began; denied and allowed requests each have numbers of their own.
  package let number: Int64
  /// Microseconds since 1970.
  package let time: Int64
  /// The project whose data the request was for.
  package let project: Text
  /// The facts about the request by name: method, path, database or bucket, uid, ruleset and
  /// request; for a denied one also the reason.
  package let facts: [String: String]
  /// The values that the conditions of a denied request saw, a line each.
  package let seen: [String]
}

/// The newest requests of an outcome, `capacity` at most, in memory.
///
/// Its memory is bounded by the access log, which cuts the texts of the rules; paths and uids are
/// as long as requests may have them. Any thread may call.
final class RecentRequests: Sendable {
  private struct State {
    var count: Int64 = 0
    var entries: [RecordedRequest] = []
  }

  private let state = Mutex(State())
  private let capacity: Int

  init(capacity: Int = 500) { self.capacity = capacity }

  /// Keeps a request, in place of the oldest where there are too many.
  func append(project: Text, facts: [String: String], seen: [String], at time: Int64) {
    state.withLock { state in
      state.count += 1
      if state.entries.count >= capacity {
        // Many at once, so that most requests move none.
        state.entries.removeFirst(capacity / 10 + 1)
      }
      let entry = RecordedRequest(
        number: state.count,
        time: time,
        project: project,
        facts: facts,
        seen: seen
      )
      state.entries.append(entry)
    }
  }

  /// The requests of a project behind a number, the oldest first.
  func entries(of project: Text, after number: Int64) -> [RecordedRequest] {
    state.withLock { $0.entries.filter { $0.number > number && $0.project == project } }
  }
}

extension AccessControl {
  /// The newest denials of a project behind a number, the oldest first; of those that were too many for the log
  /// nothing is known.
  package func recentDenials(of project: Text, after number: Int64) -> [RecordedRequest] {
    log.denied.entries(of: project, after: number)
  }

  /// The newest requests of a project behind a number that the rules allowed, the oldest first.
  ///
  /// They are kept while an operator watches and for ten seconds more, so that they cost nothing
  /// otherwise; a hundred of each second.
  package func recentAllowed(of project: Text, after number: Int64) -> [RecordedRequest] {
    log.watchAllowed(of: project)
    return log.allowed.entries(of: project, after: number)
  }
}

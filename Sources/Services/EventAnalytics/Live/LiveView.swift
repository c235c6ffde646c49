import BaseText
import Synchronization

/// The last thirty minutes of every project in memory: events and users by minute.
///
/// It begins empty with the server. Debug events are not in it.
final class LiveView: Sendable {
  private struct Counts {
    var events: [String: Int] = [:]
    var users: Set<String> = []
    /// Names and users that senders brought who proved nothing.
    var strangers = 0

    var held: Int { events.count + users.count }

    /// Counts an event of a batch and answers how many names and users are held more than before.
    mutating func note(_ name: String, of batch: EventBatch) -> Int {
      let before = held
      let isProven = batch.standing.isProven
      let isBound = !isProven && strangers >= LiveView.strangerLimit
      events[isBound && events[name] == nil ? "(other)" : name, default: 0] += 1
      if let user = batch.instanceID, !isBound { users.insert(user) }
      if !isProven { strangers += held - before }
      return held - before
    }
  }

  private struct State {
    var projects: [Text: [Int64: Counts]] = [:]
    /// Users and names of all counts.
    var held = 0
  }

  static let minutes: Int64 = 30
  /// Users and names that are held at most.
  private static let heldLimit = 400_000
  /// The names and users of a minute that senders bring who proved nothing.
  private static let strangerLimit = 500

  private let state = Mutex(State())

  /// Counts a batch's events, by when they happened.
  func note(_ batch: EventBatch, of project: Text, now: Int64) {
    let oldest = Self.minute(now) - Self.minutes
    state.withLock { state in
      Self.forget(before: oldest, in: project, &state)
      for event in batch.events where Self.minute(event.time) > oldest {
        // In place: a copy would be of all users of the minute.
        let more = state.projects[project, default: [:]][Self.minute(event.time), default: Counts()]
          .note(event.name, of: batch)
        state.held += more
      }
      while state.held > Self.heldLimit { Self.forgetOldest(&state) }
    }
  }

  /// The minutes with events, the oldest first, and the users of all of them.
  func minutes(of project: Text, now: Int64) -> (minutes: [LiveMinute], users: Int) {
    let oldest = Self.minute(now) - Self.minutes
    return state.withLock { state in
      Self.forget(before: oldest, in: project, &state)
      let counts = (state.projects[project] ?? [:]).sorted { $0.key < $1.key }
      let users = counts.reduce(into: Set<String>()) { $0.formUnion($1.value.users) }
      let minutes = counts.map { number, counts in
        LiveMinute(number: number, events: counts.events, users: counts.users.count)
      }
      return (minutes, users.count)
    }
  }

  private static func minute(_ time: Int64) -> Int64 { time / 60_000_000 }

  private static func forget(before oldest: Int64, in project: Text, _ state: inout State) {
    for (number, counts) in state.projects[project] ?? [:] where number <= oldest {
      state.held -= counts.held
      state.projects[project]?[number] = nil
    }
  }

  private static func forgetOldest(_ state: inout State) {
    let all = state.projects.flatMap { project, minutes in minutes.keys.map { (project, $0) } }
    guard let (project, number) = all.min(by: { $0.1 < $1.1 }) else {
      state.held = 0
      return
    }
    let counts = state.projects[project]?.removeValue(forKey: number)
    state.held -= counts?.held ?? 0
    if state.projects[project]?.isEmpty == true { state.projects[project] = nil }
  }
}

/// One minute of a project's events.
package struct LiveMinute: Sendable, Equatable {
  /// Minutes since the epoch.
  package let number: Int64
  /// The number of events by name; `(other)` has names beyond the share of senders that proved nothing.
  package let events: [String: Int]
  /// Different installations with consent; those beyond the same share are left out.
  package let users: Int
}

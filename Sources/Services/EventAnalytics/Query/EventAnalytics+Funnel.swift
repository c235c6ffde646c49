import BaseStatus
import BaseText

/// Steps that users take one after the other.
package struct Funnel: Sendable, Equatable {
  /// The most steps of a funnel.
  package static let stepLimit = 10
  /// The names of events.
  package let steps: [String]
  /// The time from the first step within which the others have to follow, in microseconds.
  package let window: Int64

  /// A funnel of those steps; INVALID_ARGUMENT where there are none or too many.
  package init(steps: [String], windowSeconds: Int64) throws(ServiceError) {
    guard (1...Self.stepLimit).contains(steps.count) else {
      throw .invalidArgument("A funnel must have 1 to \(Self.stepLimit) steps.")
    }
    guard (1...31_536_000).contains(windowSeconds) else {
      throw .invalidArgument("A funnel's window must be between 1 second and 365 days.")
    }
    self.steps = steps
    window = windowSeconds * 1_000_000
  }
}

extension EventAnalytics {
  /// The days of a range of which events are kept, which reports can look at one by one; nil where there are none.
  package func keptDays(of project: Text, _ range: DayRange) throws -> DayRange? {
    guard let kept = log(of: project)?.record.keptFrom, kept > range.first else { return range }
    return kept > range.last ? nil : try DayRange(kept, range.last)
  }

  /// Returns the number of users that reached each step within the days: in order, each step by an
  /// event of its own.
  ///
  /// Days whose events are not kept any more are left out: only the first step could be counted.
  ///
  /// Blocks.
  package func funnel(of project: Text, _ range: DayRange, _ funnel: Funnel) throws -> [Int] {
    let none = funnel.steps.map { _ in 0 }
    guard let range = try keptDays(of: project, range) else { return none }
    return try view(of: project) { view in
      let numbers = try funnel.steps.map { try view.words.number(of: $0, in: .events) }
      // No user is behind a step that no user has taken.
      let known = numbers.prefix { $0 != nil }.compactMap(\.self)
      guard !known.isEmpty else { return none }
      let counts = try view.funnel(range, known, window: funnel.window)
      return counts + none.dropFirst(counts.count)
    } ?? none
  }
}

/// The progress of one user: for each step the start of the latest attempt that reached it.
struct FunnelProgress {
  private var starts: [Int64?]
  /// The largest number of steps reached.
  private(set) var depth = 0

  init(steps: Int) { starts = Array(repeating: nil, count: steps) }

  /// Takes the user's next event.
  ///
  /// It goes from the last step on, so that an event is one step of an attempt.
  mutating func take(_ event: UInt32, at time: Int64, _ steps: [UInt32], window: Int64) {
    for step in steps.indices.reversed() where steps[step] == event {
      if step == 0 {
        starts[0] = time
        depth = max(depth, 1)
      } else if let start = starts[step - 1], time - start <= window {
        starts[step] = max(starts[step] ?? start, start)
        depth = max(depth, step + 1)
      }
    }
  }
}

extension AnalyticsView {
  /// Reads only the timelines of users who have taken the first two steps in some order.
  fileprivate func funnel(
    _ range: DayRange,
    _ steps: [UInt32],
    window: Int64
  ) throws -> [Int] {
    var byDay: [EventDay: [UInt32: UserSet]] = [:]
    var ever: [UInt32: UserSet] = [:]
    for day in range.days {
      for step in Set(steps) {
        let users = try users(ofEvent: step, on: day)
        byDay[day, default: [:]][step] = users
        ever[step, default: UserSet()].formUnion(users)
      }
    }
    let first = ever[steps[0]] ?? UserSet()
    guard steps.count > 1 else { return [first.count] }
    let candidates = first.intersection(ever[steps[1]] ?? UserSet())
    var progress: [UInt32: FunnelProgress] = [:]
    for day in range.days {
      var users = UserSet()
      for set in (byDay[day] ?? [:]).values { users.formUnion(set) }
      users = users.intersection(candidates)
      guard !users.isEmpty else { continue }
      var timelines = try TimelineReader(project: project, day: day, reader: reader)
      for user in users.numbers {
        for event in try timelines.steps(at: user, among: steps) {
          progress[user, default: FunnelProgress(steps: steps.count)]
            .take(event.name, at: event.time, steps, window: window)
        }
      }
    }
    return steps.indices.map { step in
      step == 0 ? first.count : progress.values.count { $0.depth > step }
    }
  }
}

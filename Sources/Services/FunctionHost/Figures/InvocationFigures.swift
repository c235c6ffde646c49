import Synchronization

/// The calls of each function in the last hour: their number, their failures and their durations.
///
/// A function keeps two counts a minute for an hour and the durations of its last 1,000 calls. Any thread may call; nothing
/// blocks.
package final class InvocationFigures: Sendable {
  /// The minutes that are counted.
  package static let minutes = 60
  /// The durations that are kept of a function.
  static let keptDurations = 1_000

  /// The last hour of a function.
  package struct Hour: Sendable, Hashable {
    /// Calls by minute, the oldest first; the last minute is the current one.
    package var calls = [Int](repeating: 0, count: InvocationFigures.minutes)
    /// Calls that failed, by minute.
    package var errors = [Int](repeating: 0, count: InvocationFigures.minutes)
    /// The duration that half of the calls stay below, in seconds; nil without calls.
    package var p50: Double?
    /// The duration that 99 of 100 calls stay below, in seconds; nil without calls.
    package var p99: Double?
  }

  private struct Count {
    var minute = -1
    var calls = 0
    var errors = 0
  }

  private struct Timing {
    let minute: Int
    let seconds: Float
  }

  private struct Record {
    var counts = [Count](repeating: Count(), count: InvocationFigures.minutes)
    var durations: [Timing] = []
    /// The oldest duration once all are kept.
    var oldest = 0

    mutating func note(minute: Int, seconds: Double, isSuccess: Bool) {
      let slot = minute % counts.count
      if counts[slot].minute != minute { counts[slot] = Count(minute: minute) }
      counts[slot].calls += 1
      if !isSuccess { counts[slot].errors += 1 }
      let duration = Timing(minute: minute, seconds: Float(seconds))
      if durations.count < InvocationFigures.keptDurations {
        durations.append(duration)
      } else {
        durations[oldest] = duration
        oldest = (oldest + 1) % durations.count
      }
    }

    func hour(at minute: Int) -> Hour {
      var hour = Hour()
      let first = minute - counts.count + 1
      for count in counts where (first...minute).contains(count.minute) {
        hour.calls[count.minute - first] = count.calls
        hour.errors[count.minute - first] = count.errors
      }
      let sorted = durations.filter { $0.minute >= first }.map(\.seconds).sorted()
      if let last = sorted.indices.last {
        hour.p50 = Double(sorted[last / 2])
        hour.p99 = Double(sorted[last * 99 / 100])
      }
      return hour
    }
  }

  private let records = Mutex<[FunctionLogs.Key: Record]>([:])
  private let now: @Sendable () -> Double

  /// Figures by a clock of seconds since 1970.
  package init(now: @escaping @Sendable () -> Double) { self.now = now }

  private var minute: Int { Int(now() / 60) }

  /// Counts a call that took so many seconds.
  package func note(_ key: FunctionLogs.Key, seconds: Double, isSuccess: Bool) {
    let minute = minute
    records.withLock {
      $0[key, default: Record()].note(minute: minute, seconds: seconds, isSuccess: isSuccess)
    }
  }

  /// Starts the time of a call; the result ends it and counts the call.
  func timing(_ key: FunctionLogs.Key) -> @Sendable (_ isSuccess: Bool) -> Void {
    let began = ContinuousClock.now
    return { [self] isSuccess in
      let seconds = (ContinuousClock.now - began) / .seconds(1)
      note(key, seconds: seconds, isSuccess: isSuccess)
    }
  }

  /// The last hour of a function.
  package func hour(of key: FunctionLogs.Key) -> Hour {
    let (minute, record) = (minute, records.withLock { $0[key] })
    return record?.hour(at: minute) ?? Hour()
  }

  /// Drops a function's figures.
  func forget(_ key: FunctionLogs.Key) {
    records.withLock { _ = $0.removeValue(forKey: key) }
  }
}

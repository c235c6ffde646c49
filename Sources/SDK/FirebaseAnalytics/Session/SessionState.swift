/// The session of an installation, which continues over the program's end.
struct SessionState: Codable, Sendable, Hashable {
  /// The second in which it began: its id.
  var id: Int64
  /// The number of sessions, including this one.
  var number: Int64
  /// The time of its last event.
  var lastActivityMicros: Int64
  /// Milliseconds in which the app was used.
  var engagedMillis: Int64 = 0
  var screenCount = 0

  /// True if it counts as a session with engagement: ten seconds, or two screens.
  var isEngaged: Bool { engagedMillis >= 10_000 || screenCount >= 2 }

  /// Returns true if another session begins with an event at a time.
  ///
  /// A clock that was set back ends none.
  func isOver(at micros: Int64, timeoutMicros: Int64) -> Bool {
    micros - lastActivityMicros > timeoutMicros
  }
}

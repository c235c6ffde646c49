/// The treatment of steps of the database server's clock by an engine.
package enum ClockSteps: Sendable {
  /// Every step is followed.
  case followed
  /// Steps are held back until they are accepted.
  ///
  /// - Parameter offset: `PostgresEngine.clockOffset` of a process that had the store open under
  ///   the same boot, so that a jump since then is held back, too.
  case held(from: Int64?)
  /// The clock is right at the opening, and later steps are held back.
  case accepted

  /// True if steps after the opening are held back.
  var areHeld: Bool {
    switch self {
    case .followed: false
    case .held, .accepted: true
    }
  }
}

/// The part of the timeline's row that tells engines which step of the server's clock they hold back.
struct ClockSetting: Sendable, Equatable {
  /// Microseconds that the server's clock is ahead of the believed time; 0 where it is followed.
  var step: Int64
  /// The number of steps that operators have accepted.
  var acceptances: Int64
}

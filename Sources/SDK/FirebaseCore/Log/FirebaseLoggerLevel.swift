/// The level of the SDK's log.
public enum FirebaseLoggerLevel: Int, Sendable {
  /// Failures.
  case error = 3
  /// Possible failures.
  case warning = 4
  /// Facts that a developer should know; the default.
  case notice = 5
  /// The progress of the SDK's work.
  case info = 6
  /// Everything.
  case debug = 7

  /// The level that logs least.
  public static let min = FirebaseLoggerLevel.error
  /// The level that logs most.
  public static let max = FirebaseLoggerLevel.debug
}

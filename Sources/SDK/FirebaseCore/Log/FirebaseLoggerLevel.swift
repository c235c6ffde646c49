/// How much the SDK logs.
public enum FirebaseLoggerLevel: Int, Sendable {
  /// What went wrong.
  case error = 3
  /// What may go wrong.
  case warning = 4
  /// What a developer should know; the default.
  case notice = 5
  /// What is going on.
  case info = 6
  /// Everything.
  case debug = 7

  /// The level that logs least.
  public static let min = FirebaseLoggerLevel.error
  /// The level that logs most.
  public static let max = FirebaseLoggerLevel.debug
}

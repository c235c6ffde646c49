import Foundation

/// Settings of the SDK as a whole.
public final class FirebaseConfiguration: NSObject, Sendable {
  /// The only one.
  public static let shared = FirebaseConfiguration()

  private override init() {}

  /// Sets how much is logged.
  public func setLoggerLevel(_ level: FirebaseLoggerLevel) { FirebaseLog.setLevel(level) }

  /// Returns the level of the log.
  public func loggerLevel() -> FirebaseLoggerLevel { FirebaseLog.level }
}

import Foundation
import Locking

/// The SDK's log: lines on standard error.
///
/// A line is `<version> - [<module>][<code>] <text>`. The arguments `-FIRDebugEnabled` and
/// `-FIRDebugDisabled` of the program set the level at start.
package enum FirebaseLog {
  private static let current = Lock(initialLevel(CommandLine.arguments))

  /// The level in force.
  package static var level: FirebaseLoggerLevel { current.withLock { $0 } }

  static func setLevel(_ level: FirebaseLoggerLevel) { current.withLock { $0 = level } }

  static func initialLevel(_ arguments: [String]) -> FirebaseLoggerLevel {
    let isDebug =
      arguments.contains("-FIRDebugEnabled") && !arguments.contains("-FIRDebugDisabled")
    return isDebug ? .debug : .notice
  }

  /// Writes a line if its level is in force.
  package static func write(
    _ level: FirebaseLoggerLevel,
    _ module: String,
    _ code: String,
    _ text: @autoclosure () -> String
  ) {
    guard level.rawValue <= self.level.rawValue else { return }
    let line = line(module, code, text())
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }

  static func line(_ module: String, _ code: String, _ text: String) -> String {
    "\(FirebaseVersion()) - [\(module)][\(code)] \(text)"
  }
}

/// The version of the SDK.
public func FirebaseVersion() -> String { "0.1.0" }

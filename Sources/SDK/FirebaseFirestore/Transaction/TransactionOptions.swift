import Foundation
import Locking

/// The options of a transaction.
public final class TransactionOptions: NSObject, NSCopying, Sendable {
  private let attempts: Lock<Int>

  /// Five attempts.
  public override init() { attempts = Lock(5) }

  private init(_ maxAttempts: Int) { attempts = Lock(maxAttempts) }

  /// The largest number of times that the block is run; traps on less than one.
  public var maxAttempts: Int {
    get { attempts.withLock { $0 } }
    set {
      trapping { try Self.check(maxAttempts: newValue) }
      attempts.withLock { $0 = newValue }
    }
  }

  /// Throws `invalidArgument` where setting ``maxAttempts`` would trap.
  public static func check(maxAttempts: Int) throws {
    try require(maxAttempts > 0, "Invalid maxAttempts: \(maxAttempts)")
  }

  /// Another object with the same options.
  public func copy(with zone: NSZone? = nil) -> Any { TransactionOptions(maxAttempts) }

  /// True for the same number of attempts.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? TransactionOptions)?.maxAttempts == maxAttempts
  }

  /// A hash of the number of attempts, which changes with it.
  public override var hash: Int { maxAttempts.hashValue }
}

import FirebaseCore
import Foundation

extension FirebaseCore.Timestamp {
  /// Throws `invalidArgument` outside the years 1 to 9999, where `init(seconds:nanoseconds:)` would trap.
  public static func check(seconds: Int64, nanoseconds: Int32) throws {
    if let problem = problem(seconds, nanoseconds) {
      throw FirestoreErrorCode.error(.invalidArgument, problem)
    }
  }

  /// Throws `invalidArgument` outside the years 1 to 9999, where `init(date:)` would trap.
  public static func check(date: Date) throws {
    try require(
      checked(date: date) != nil,
      "Timestamp seconds out of range: \(date.timeIntervalSince1970)"
    )
  }
}

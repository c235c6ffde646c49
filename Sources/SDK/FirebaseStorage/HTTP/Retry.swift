import FirebaseCore
import Foundation

/// The clock of retries.
package struct StorageClock: Sendable {
  /// The current time, by which the time for retries is measured.
  package let now: @Sendable () -> Date
  /// Waits so many seconds.
  package let sleep: @Sendable (TimeInterval) async throws -> Void

  /// A clock of its own, for tests.
  package init(
    now: @escaping @Sendable () -> Date,
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The machine's.
  package static let system = StorageClock(
    now: { Date() },
    sleep: { try await Task.sleep(for: .seconds($0)) }
  )
}

/// The attempts of one operation: how long to wait before the next, and when to give up.
///
/// The time allowed begins with the first failure after a success.
struct Retry {
  private let limit: TimeInterval
  private let clock: StorageClock
  private var firstFailure: Date?
  private var failures = 0

  init(limit: TimeInterval, clock: StorageClock) {
    self.limit = limit
    self.clock = clock
  }

  /// Progress was made: the allowed time restarts.
  mutating func noteSuccess() {
    firstFailure = nil
    failures = 0
  }

  /// Waits before the next attempt; throws `retryLimitExceeded` where that would be too late.
  mutating func wait() async throws {
    let now = clock.now()
    let begin = firstFailure ?? now
    firstFailure = begin
    let longest = min(pow(2, Double(min(failures, 10))), 64)
    let wait = longest * Double.random(in: 0.5...1)
    failures += 1
    guard now.timeIntervalSince(begin) + wait <= limit else {
      throw StorageError.retryLimitExceeded
    }
    try await clock.sleep(wait)
  }

  /// Returns true if the same request may succeed later.
  static func isTransient(_ answer: HTTPAnswer) -> Bool {
    answer.status == 408 || answer.status == 429
      || (500...599).contains(answer.status)
        && answer.status != 501 && answer.status != 507
  }

  /// Returns true if the network failed, directly or as the cause of the error.
  static func isTransient(_ error: any Error) -> Bool {
    let error = error as NSError
    let network = error.domain == NSURLErrorDomain ? error : nil
    let cause = network ?? (error.userInfo[NSUnderlyingErrorKey] as? NSError)
    guard let cause, cause.domain == NSURLErrorDomain else { return false }
    return ![
      NSURLErrorCancelled, NSURLErrorBadURL, NSURLErrorUnsupportedURL,
      NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasBadDate,
      NSURLErrorServerCertificateHasUnknownRoot,
    ].contains(cause.code)
  }
}

import Foundation
import Synchronization

/// The time that a service under test goes by: Monday, 2 March 2026, 08:00 in São Paulo, until the
/// test moves it.
package final class TestNow: Sendable {
  private let value = Mutex(Date(timeIntervalSince1970: 1_772_449_200))

  package init() {}

  package var date: Date { value.withLock(\.self) }

  package func advance(by seconds: TimeInterval) {
    value.withLock { $0 += seconds }
  }
}

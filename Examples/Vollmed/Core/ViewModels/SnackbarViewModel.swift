import Observation

/// The red bar at the bottom: shows a message and hides by itself after three seconds.
@MainActor @Observable
package final class SnackbarViewModel {
  package private(set) var message: String?
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var showings = 0

  package init(clock: any Clock<Duration> = ContinuousClock()) {
    self.clock = clock
  }

  /// Returns when the message has left; a newer message takes over the bar and its time.
  package func show(_ message: String) async {
    showings += 1
    let showing = showings
    self.message = message
    try? await clock.sleep(for: .seconds(3))
    if showing == showings { self.message = nil }
  }
}

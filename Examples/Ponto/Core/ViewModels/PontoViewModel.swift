import Foundation
import Observation

/// The whole app: the two tabs, and the synchronisation that goes on behind them.
@MainActor @Observable
package final class PontoViewModel {
  package enum Tab: String, Sendable { case clock, receipts }

  package private(set) var tab = Tab.clock
  /// True if the person is about to register: the camera shows, if there is one.
  package private(set) var isRegistering = false
  package let clock: ClockViewModel
  package let receipts: ReceiptsViewModel
  @ObservationIgnored private let environment: PontoEnvironment

  package init(_ environment: PontoEnvironment) {
    self.environment = environment
    clock = ClockViewModel(environment)
    receipts = ReceiptsViewModel(environment)
  }

  /// Everything that runs while the app does: the clock, and sending what waits, at the start and
  /// each time the server is found to be reachable again.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.clock.tick() }
      group.addTask { await self.synchronize() }
      for await _ in environment.connectivity.opportunities() where hasWaiting {
        await synchronize()
      }
      group.cancelAll()
    }
  }

  package func select(_ tab: Tab) async {
    self.tab = tab
    if tab == .receipts { await receipts.appear() }
  }

  /// The button, or the quick action "Registrar ponto" on the app's icon.
  package func startRegistering() {
    tab = .clock
    isRegistering = true
  }

  package func stopRegistering() {
    isRegistering = false
  }

  package func register(photo: Picture?, place: Place?) async {
    isRegistering = false
    await clock.register(photo: photo, place: place)
  }

  /// Refused receipts wait for the person, not for the network.
  private var hasWaiting: Bool {
    ((try? environment.outbox.next(after: 0)) ?? nil) != nil
  }

  private func synchronize() async {
    do {
      _ = try await environment.synchronizer.synchronize()
      await receipts.appear()
    } catch {
      receipts.reportUnreadable()
    }
  }
}

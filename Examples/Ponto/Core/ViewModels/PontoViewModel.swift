import Foundation
import Observation

/// The whole app: the two tabs, and the synchronisation that goes on behind them.
@MainActor @Observable
package final class PontoViewModel {
  package enum Tab: String, Sendable { case clock, receipts }

  /// What opened the app: its icon, or the quick action "Registrar ponto" on it.
  package enum Launch: Sendable { case icon, quickAction }

  package private(set) var tab = Tab.clock
  /// Whether the app is to go straight into registering.
  package private(set) var startsRegistering: Bool
  package let clock: ClockViewModel
  package let receipts: ReceiptsViewModel
  @ObservationIgnored private let environment: PontoEnvironment

  package init(_ environment: PontoEnvironment, launch: Launch = .icon) {
    self.environment = environment
    startsRegistering = launch == .quickAction
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

  package func register(photo: Picture?, place: Place?) async {
    startsRegistering = false
    await clock.register(photo: photo, place: place)
  }

  /// Refused receipts wait for the person, not for the network.
  private var hasWaiting: Bool {
    ((try? environment.outbox.next(after: 0)) ?? nil) != nil
  }

  private func synchronize() async {
    _ = try? await environment.synchronizer.synchronize()
    await receipts.appear()
  }
}

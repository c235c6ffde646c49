import BaseRuntime
import Synchronization

/// The time of the database server, as every engine of a store believes it.
///
/// Each reading of the server's clock is compared with the time since this machine's boot, as
/// `WallClock` does with the machine's own: a difference that grew by more than five minutes is a
/// *step*. The server may have been set to a wrong time, or another one with another clock took its
/// place. If jumps are held back, the believed time continues at the pace of the time since boot.
/// The jump is written into the timeline's row, so that all engines of the store, and those that
/// open it later, subtract it. It ends when an operator accepts it or the server's clock is back.
///
/// Tests set a clock of their own instead. Any thread may call.
final class ServerClock: Sendable {
  private struct State {
    /// The believed time minus the time since boot; nil before the server has said anything.
    var offset: Int64?
    /// The step that is held back.
    var step: Int64 = 0
    /// The acceptances of which the clock knows; nil before it has seen a row.
    var acceptances: Int64?
  }

  private let fixed: MicrosecondClock?
  private let holds: Bool
  private let sinceBoot: @Sendable () -> Int64
  private let state: Mutex<State>

  init(
    _ fixed: MicrosecondClock?,
    steps: ClockSteps = .followed,
    sinceBoot: @escaping @Sendable () -> Int64 = WallClock.timeSinceBoot
  ) {
    self.fixed = fixed
    self.sinceBoot = sinceBoot
    holds = steps.areHeld
    var state = State()
    if case .held(let offset) = steps { state.offset = offset }
    self.state = Mutex(state)
  }

  /// Notes what a row of the timeline says about the time.
  ///
  /// A row that was read before a step was accepted says nothing any more.
  func note(_ row: TimelineRow) {
    guard fixed == nil else { return }
    let sinceBoot = sinceBoot()
    state.withLock { state in
      let known = state.acceptances ?? row.clock.acceptances
      guard row.clock.acceptances >= known else { return }
      state.acceptances = row.clock.acceptances
      let shared = row.now - row.clock.step
      guard holds, row.clock.acceptances == known else {
        state.offset = shared - sinceBoot
        state.step = row.clock.step
        return
      }
      let believed = state.offset.map { $0 + sinceBoot } ?? Self.firstTime(row)
      if Self.agree(shared, believed) {
        (state.offset, state.step) = (shared - sinceBoot, row.clock.step)
      } else if Self.agree(row.now, believed) {
        (state.offset, state.step) = (row.now - sinceBoot, 0)
      } else {
        (state.offset, state.step) = (believed - sinceBoot, row.now - believed)
      }
    }
  }

  /// The setting to write into a row that is locked and was noted last; nil where it says so already.
  func setting(for row: TimelineRow) -> ClockSetting? {
    guard fixed == nil, holds else { return nil }
    return state.withLock { state in
      guard state.step != row.clock.step, state.acceptances == row.clock.acceptances else {
        return nil
      }
      return ClockSetting(step: state.step, acceptances: row.clock.acceptances)
    }
  }

  /// The setting by which a locked row takes the server's clock to be right.
  static func acceptance(of row: TimelineRow) -> ClockSetting {
    ClockSetting(step: 0, acceptances: row.clock.acceptances + 1)
  }

  /// The acceptance of a row has become durable.
  func accepted(_ row: TimelineRow) {
    let sinceBoot = sinceBoot()
    state.withLock {
      $0 = State(offset: row.now - sinceBoot, acceptances: Self.acceptance(of: row).acceptances)
    }
  }

  /// The believed time in microseconds since 1970, which may go back; 0 before the server has said anything.
  func now() -> Int64 {
    if let fixed { return fixed.now() }
    let sinceBoot = sinceBoot()
    return state.withLock { $0.offset }.map { $0 + sinceBoot } ?? 0
  }

  /// The step that is held back, in microseconds, as of the last reading: how far the server's clock is ahead of the
  /// believed time.
  var step: Int64 { state.withLock { $0.step } }

  /// The believed time minus the time since this machine's boot, in microseconds; nil before the server has said
  /// anything.
  var offset: Int64? { state.withLock { $0.offset } }

  /// The believed time where nothing but the row is known.
  ///
  /// Time does not lie before the last version: then a clock that was ahead was corrected in
  /// between.
  private static func firstTime(_ row: TimelineRow) -> Int64 {
    let shared = row.now - row.clock.step
    return shared < row.version - WallClock.tolerance ? max(shared, row.now) : shared
  }

  private static func agree(_ time: Int64, _ believed: Int64) -> Bool {
    abs(time - believed) <= WallClock.tolerance
  }
}

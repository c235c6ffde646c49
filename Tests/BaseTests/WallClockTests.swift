import BaseRuntime
import Synchronization
import Testing

/// A clock that is set, beside the time since boot.
@Suite struct WallClockTests {
  /// The two clocks of a machine, moved by hand.
  private final class Machine: Sendable {
    let wall = Atomic<Int64>(1_800_000_000_000_000)
    let sinceBoot = Atomic<Int64>(5_000_000)

    func pass(_ seconds: Int64) {
      wall.add(seconds * 1_000_000, ordering: .relaxed)
      sinceBoot.add(seconds * 1_000_000, ordering: .relaxed)
    }

    func step(_ seconds: Int64) { wall.add(seconds * 1_000_000, ordering: .relaxed) }

    var clock: WallClock {
      WallClock(
        wall: { self.wall.load(ordering: .relaxed) },
        sinceBoot: { self.sinceBoot.load(ordering: .relaxed) }
      )
    }
  }

  private static let year: Int64 = 365 * 86_400
  private let machine = Machine()
  private var time: Int64 { machine.wall.load(ordering: .relaxed) }

  @Test(arguments: [year, -3_600])
  func `a step is held back, and time goes on from before it`(_ seconds: Int64) {
    let clock = machine.clock
    clock.hold()
    let before = clock.now()
    machine.step(seconds)
    machine.pass(10)
    #expect(clock.now() == before + 10_000_000)
    #expect(clock.step == seconds * 1_000_000)
    machine.pass(10)
    #expect(clock.now() == before + 20_000_000)
  }

  @Test func `a step that is taken back leaves nothing behind`() {
    let clock = machine.clock
    clock.hold()
    machine.step(Self.year)
    #expect(clock.step != 0)
    machine.step(-Self.year)
    machine.pass(1)
    #expect(clock.now() == time)
    #expect(clock.step == 0)
  }

  @Test func `an accepted step is the time, and the next step is held back again`() {
    let clock = machine.clock
    clock.hold()
    machine.step(Self.year)
    _ = clock.now()
    clock.accept()
    #expect(clock.now() == time)
    #expect(clock.step == 0)
    machine.step(-Self.year)
    #expect(clock.now() == time + Self.year * 1_000_000)
  }

  @Test func `small corrections are followed, one after the other`() {
    let clock = machine.clock
    clock.hold()
    for _ in 0..<10 {
      machine.step(200)
      #expect(clock.now() == time)
    }
    #expect(clock.step == 0)
  }

  @Test func `a clock that does not hold follows every step`() {
    let clock = machine.clock
    machine.step(Self.year)
    #expect(clock.now() == time)
    machine.step(-2 * Self.year)
    #expect(clock.now() == time)
    #expect(clock.step == 0)
  }

  @Test func `a step between two processes of one boot is held back`() {
    let first = machine.clock
    first.hold()
    let offset = first.currentOffset
    machine.step(Self.year)
    machine.pass(60)
    let second = machine.clock
    second.hold(from: offset)
    #expect(second.now() == time - Self.year * 1_000_000)
    #expect(second.step == Self.year * 1_000_000)
  }
}

import BaseRuntime
import KeyValueStore
import PostgresTestSupport
import Synchronization
import Testing

@testable import KeyValuePostgres

/// The clock of a database server that is set, beside the time since this machine's boot.
@Suite struct ServerClockTests {
  /// A database server's clock, the timeline's row, and engines' machines, moved by hand.
  private final class Server: Sendable {
    private let wall = Atomic<Int64>(1_800_000_000_000_000)
    private let sinceBoot = Atomic<Int64>(5_000_000)
    private let setting = Mutex(ClockSetting(step: 0, acceptances: 0))
    private let version = Atomic<Int64>(1_799_999_999_000_000)

    var time: Int64 { wall.load(ordering: .relaxed) }
    var written: ClockSetting { setting.withLock { $0 } }

    func pass(_ seconds: Int64) {
      wall.add(seconds * 1_000_000, ordering: .relaxed)
      sinceBoot.add(seconds * 1_000_000, ordering: .relaxed)
    }

    func step(_ seconds: Int64) { wall.add(seconds * 1_000_000, ordering: .relaxed) }

    func open(_ steps: ClockSteps = .held(from: nil)) -> ServerClock {
      ServerClock(nil, steps: steps) { self.sinceBoot.load(ordering: .relaxed) }
    }

    var row: TimelineRow {
      TimelineRow(
        version: version.load(ordering: .relaxed),
        ceiling: 0,
        epoch: 0,
        holder: 0,
        hasLongKeys: false,
        now: time,
        log: 0,
        term: 0,
        clock: written
      )
    }

    /// A view: the row is noted.
    func view(_ clock: ServerClock) -> Int64 {
      clock.note(row)
      return clock.now()
    }

    /// A group: the row is noted and written under its lock, with a version of the believed time.
    func group(_ clock: ServerClock) -> Int64 {
      let row = row
      clock.note(row)
      if let new = clock.setting(for: row) { setting.withLock { $0 = new } }
      version.store(clock.now(), ordering: .relaxed)
      return clock.now()
    }

    func accept(_ clock: ServerClock) {
      let row = row
      setting.withLock { $0 = ServerClock.acceptance(of: row) }
      clock.accepted(row)
    }
  }

  private static let year: Int64 = 365 * 86_400
  private let server = Server()

  @Test(arguments: [year, -3_600])
  func `a step is held back and written for all engines`(_ seconds: Int64) {
    let clock = server.open()
    let before = server.group(clock)
    server.step(seconds)
    server.pass(10)
    #expect(server.view(clock) == before + 10_000_000)
    #expect(clock.step == seconds * 1_000_000)
    #expect(server.written.step == 0)
    #expect(server.group(clock) == before + 10_000_000)
    #expect(server.written.step == seconds * 1_000_000)
    server.pass(10)
    #expect(server.view(clock) == before + 20_000_000)
    #expect(clock.setting(for: server.row) == nil)
  }

  @Test(arguments: [year, -3_600])
  func `an engine on another machine takes the time of those that hold the step`(_ seconds: Int64) {
    let first = server.open()
    let before = server.group(first)
    server.step(seconds)
    _ = server.group(first)
    let second = server.open()
    #expect(server.view(second) == before)
    #expect(second.step == seconds * 1_000_000)
    #expect(second.setting(for: server.row) == nil)
    // One that opens the store for a command takes it, too.
    #expect(server.view(server.open(.followed)) == before)
  }

  @Test func `a step between two processes of one boot is held back`() throws {
    let first = server.open()
    let before = server.group(first)
    let offset = try #require(first.offset)
    server.step(Self.year)
    server.pass(60)
    let second = server.open(.held(from: offset))
    #expect(server.group(second) == before + 60_000_000)
    #expect(server.written.step == Self.year * 1_000_000)
  }

  @Test func `a clock that is set right is followed again by all engines`() {
    let clocks = [server.open(), server.open()]
    for clock in clocks { _ = server.view(clock) }
    server.step(Self.year)
    for clock in clocks { _ = server.group(clock) }
    server.step(-Self.year)
    for clock in clocks {
      #expect(server.group(clock) == server.time)
      #expect(clock.step == 0)
    }
    #expect(server.written == ClockSetting(step: 0, acceptances: 0))
  }

  @Test func `a clock that was set right while nobody looked is followed`() {
    let clock = server.open()
    _ = server.group(clock)
    server.step(Self.year)
    _ = server.group(clock)
    server.step(-Self.year)
    let next = server.open()
    #expect(server.group(next) == server.time)
    #expect(server.written.step == 0)
  }

  @Test func `an acceptance holds for all engines, and the next step is held back again`() {
    let clocks = [server.open(), server.open()]
    for clock in clocks { _ = server.view(clock) }
    server.step(Self.year)
    for clock in clocks { _ = server.group(clock) }
    let old = server.row
    server.accept(clocks[0])
    for clock in clocks {
      #expect(server.view(clock) == server.time)
      #expect(clock.step == 0)
      // A view that was opened before says nothing any more.
      clock.note(old)
      #expect(clock.now() == server.time)
      #expect(clock.setting(for: server.row) == nil)
    }
    let accepted = server.time
    server.step(-Self.year)
    #expect(server.group(clocks[1]) == accepted)
    #expect(server.view(clocks[0]) == accepted)
    #expect(server.written.step == -Self.year * 1_000_000)
  }

  @Test func `small corrections are followed, one after the other`() {
    let clock = server.open()
    for _ in 0..<10 {
      #expect(server.group(clock) == server.time)
      server.step(200)
    }
    #expect(clock.step == 0)
  }

  @Test func `a clock that follows follows every step`() {
    let clock = server.open(.followed)
    for seconds in [0, Self.year, -2 * Self.year] {
      server.step(seconds)
      #expect(server.group(clock) == server.time)
      #expect(clock.step == 0)
    }
  }

  @Test func `a store of an older program gets the columns, and keeps a step over openings`() throws
  {
    guard PostgresServer.isInstalled else { return }
    let store = try PostgresStore()
    try store.open().close()
    try store.run(
      """
      ALTER TABLE \(store.schema).timeline DROP COLUMN clock_step, DROP COLUMN clock_acceptances
      """
    )
    var configuration = store.configuration()
    configuration.clockSteps = .held(from: nil)
    try PostgresEngine(configuration).close()
    let step = Self.year * 1_000_000
    try store.run("UPDATE \(store.schema).timeline SET clock_step = \(-step)")
    let engine = try PostgresEngine(configuration)
    let ahead = try engine.write { try $0.allocateVersion() } - MicrosecondClock.system.now()
    #expect(abs(ahead - step) < 60_000_000)
    #expect(engine.clockStep == -step)
    try engine.acceptClock()
    #expect(engine.clockStep == 0)
    #expect(abs(engine.clock.now() - MicrosecondClock.system.now()) < 60_000_000)
    let row = try store.run("SELECT clock_step, clock_acceptances FROM \(store.schema).timeline")
    try #expect([row.number(0, 0), row.number(0, 1)] == [0, 1])
    try engine.close()
  }

  @Test func `an opening that its check refuses changes no time`() throws {
    guard PostgresServer.isInstalled else { return }
    let store = try PostgresStore()
    try store.open().close()
    var configuration = store.configuration()
    configuration.clockSteps = .held(from: nil)
    configuration.openingCheck = { _, _ in throw KeyValueError(.misuse, "refused") }
    let before = try store.run("SELECT ceiling FROM \(store.schema).timeline").number(0, 0)
    #expect(throws: KeyValueError.self) { try PostgresEngine(configuration) }
    let after = try store.run("SELECT ceiling FROM \(store.schema).timeline").number(0, 0)
    #expect(after == before)
  }
}

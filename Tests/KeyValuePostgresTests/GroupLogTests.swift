import BaseRuntime
import KeyValueStore
import PostgresTestSupport
import Synchronization
import Testing

@testable import KeyValuePostgres

@Suite(
  "The log of groups",
  .enabled(if: PostgresServer.isInstalled, Comment(rawValue: PostgresServer.missing))
)
struct GroupLogTests {
  /// The notifications of an engine about others.
  private final class Told: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    /// Notes the keys of each group, and what a key's value is just behind them.
    func note(_ writes: OtherWrites, _ reader: any KeyValueReader) throws {
      let value = try reader.get(bytes("a")).map { String(decoding: $0, as: UTF8.self) } ?? "-"
      let text =
        switch writes {
        case .unknown: "unknown"
        case .groups(let groups):
          groups.map { group in
            group.keys.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "+")
          }.joined(separator: " ")
        }
      lines.withLock { $0.append("\(text): \(value)") }
    }
  }

  private static let everything = [KeyRange(lower: [1], upper: nil)]

  private static func put(
    _ engine: PostgresEngine,
    _ values: KeyValuePairs<String, String>
  ) throws {
    try engine.write { group in
      for (key, value) in values { try group.put(bytes(key), bytes(value)) }
    }
  }

  @Test func `an observer is told before a view shows what others wrote`() throws {
    let store = try PostgresStore()
    let (writer, reader) = (try store.open(.shared), try store.open(.shared))
    try Self.put(writer, ["a": "0"])
    let told = Told()
    try reader.observeOthers(in: [KeyRange(prefix: bytes("a"))]) { try told.note($0, $1) }
    #expect(told.all == ["unknown: 0"])
    try Self.put(writer, ["a": "1", "b": "1"])
    try Self.put(writer, ["b": "2"])
    let seen = try reader.read { view in (try view.get(bytes("a")), told.all) }
    #expect(seen.0 == bytes("1"))
    #expect(seen.1 == ["unknown: 0", "a: 1"])
    try writer.write { try $0.delete(bytes("a")) }
    let (gone, count) = try reader.write { (try $0.get(bytes("a")), told.all.count) }
    #expect(gone == nil && count == 3)
    #expect(told.all.last == "a: -")
    for engine in [writer, reader] { try engine.close() }
  }

  @Test func `an engine hears of others' groups in their places between its own`() throws {
    let store = try PostgresStore()
    let engines = try (0..<2).map { _ in try store.open(.shared) }
    let order = Mutex<[String]>([])
    try engines[0].observeOthers(in: Self.everything) { writes, _ in
      guard case .groups(let groups) = writes else { return }
      for key in groups.flatMap(\.keys) {
        order.withLock { $0.append(String(decoding: key, as: UTF8.self)) }
      }
    }
    for round in 0..<6 {
      let (number, key) = (round % 2, "k\(round)")
      try engines[number].write { group in
        try group.put(bytes(key), bytes("x"))
      } settled: { _ in
        if number == 0 { order.withLock { $0.append(key) } }
      }
    }
    try engines[0].read { _ in }
    #expect(order.withLock { $0 } == (0..<6).map { "k\($0)" })
    for engine in engines { try engine.close() }
  }

  @Test func `a call that waits until memory is current finds what was acknowledged`() throws {
    let store = try PostgresStore()
    let (writer, reader) = (try store.open(.shared), try store.open(.shared))
    let told = Told()
    try reader.observeOthers(in: Self.everything) { try told.note($0, $1) }
    for round in 1...20 {
      try Self.put(writer, ["a": "\(round)"])
      let current = BlockingQueue<Int>()
      reader.whenCurrent { _ in _ = current.put(told.all.count) }
      _ = current.takeOne()
      #expect(told.all.last?.hasSuffix(": \(round)") == true)
    }
    for engine in [writer, reader] { try engine.close() }
  }

  /// An engine that has the store alone takes numbers and logs nothing.
  @Test func `what is missing in the log makes everything unknown`() throws {
    let store = try PostgresStore()
    let (writer, reader) = (try store.open(.shared), try store.open(.shared))
    let told = Told()
    try reader.observeOthers(in: Self.everything) { try told.note($0, $1) }
    try Self.put(writer, ["a": "1"])
    // The reader may have heard of it already, and no group is lost that it has heard of.
    try store.run("UPDATE \(store.schema).timeline SET log = log + 1")
    try reader.read { _ in }
    #expect(told.all.last == "unknown: 1")
    try Self.put(writer, ["b": "1"])
    try reader.read { _ in }
    #expect(told.all.last == "b: 1")
    for engine in [writer, reader] { try engine.close() }
  }

  @Test func `an observer that fails is told again`() throws {
    let store = try PostgresStore()
    var configuration = store.configuration(.shared)
    configuration.patience = .milliseconds(50)
    let (writer, reader) = (try store.open(.shared), try PostgresEngine(configuration))
    let told = Told()
    let fails = Atomic(false)
    try reader.observeOthers(in: Self.everything) { writes, view in
      if fails.load(ordering: .relaxed) { throw KeyValueError(.inputOutput, "no") }
      try told.note(writes, view)
    }
    fails.store(true, ordering: .relaxed)
    try Self.put(writer, ["a": "1"])
    #expect(throws: KeyValueError.self) { try reader.read { _ in } }
    fails.store(false, ordering: .relaxed)
    try reader.read { _ in }
    #expect(told.all == ["unknown: -", "a: 1"])
    for engine in [writer, reader] { try engine.close() }
  }

  @Test func `tables of the form without a log are brought to the new one`() throws {
    let store = try PostgresStore()
    let before = try store.open()
    try Self.put(before, ["a": "1"])
    try before.close()
    try store.run(
      """
      ALTER TABLE \(store.schema).timeline DROP COLUMN log, DROP COLUMN term;
      DROP TABLE \(store.schema).log, \(store.schema).nodes, \(store.schema).leader;
      UPDATE \(store.schema).timeline SET format = 1
      """
    )
    let engines = try (0..<2).map { _ in try store.open(.shared) }
    try Self.put(engines[0], ["b": "1"])
    try #expect(engines[1].keys() == [bytes("a"), bytes("b")])
    for engine in engines { try engine.close() }
  }

  @Test func `tables stay in their form while engines of an older program have them`() throws {
    let store = try PostgresStore()
    let older = try store.open(.shared)
    try Self.put(older, ["a": "1"])
    try store.run("UPDATE \(store.schema).timeline SET format = 2")
    var configuration = store.configuration(.shared)
    configuration.patience = .milliseconds(50)
    let error = #expect(throws: KeyValueError.self) { try PostgresEngine(configuration) }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("older version") == true)
    try #expect(store.run("SELECT format FROM \(store.schema).timeline").number(0, 0) == 2)
    try Self.put(older, ["b": "1"])
    try older.close()
    let newer = try store.open(.shared)
    try #expect(newer.keys() == [bytes("a"), bytes("b")])
    try newer.close()
  }

  @Test func `an engine that was cut off writes nothing into tables of another form`() throws {
    let store = try PostgresStore()
    let older = try store.open(.shared)
    try Self.put(older, ["a": "1"])
    try store.cutEngines()
    try store.run("UPDATE \(store.schema).timeline SET format = format + 1")
    let error = #expect(throws: KeyValueError.self) { try Self.put(older, ["b": "1"]) }
    #expect(error?.code == .newerFormat)
    try older.close()
  }

  @Test
  func
    `who reads a server that lacks groups hears so, and that nothing is known once one is written`()
    throws
  {
    let store = try PostgresStore()
    var configuration = store.configuration(.shared)
    configuration.patience = .milliseconds(50)
    let (reader, writer) = (try PostgresEngine(configuration), try store.open(.shared))
    let told = Told()
    try reader.observeOthers(in: Self.everything) { try told.note($0, $1) }
    for number in 1...3 { try Self.put(writer, ["a": "\(number)"]) }
    try reader.read { _ in }
    // As a standby that lags has it, which takes the place of the primary.
    try store.run(
      """
      DELETE FROM \(store.schema).log WHERE number > (SELECT log - 2 FROM \(store.schema).timeline);
      UPDATE \(store.schema).timeline SET log = log - 2
      """
    )
    let error = #expect(throws: KeyValueError.self) { try reader.read { _ in } }
    #expect(error?.code == .unreachable)
    try Self.put(writer, ["b": "1"])
    try Self.put(reader, ["c": "1"])
    try reader.read { _ in }
    #expect(told.all.last?.hasPrefix("unknown") == true)
    try Self.put(writer, ["a": "4"])
    try reader.read { _ in }
    #expect(told.all.last == "a: 4")
    for engine in [writer, reader] { try engine.close() }
  }

  @Test func `a lease that a clock gave which has gone back ends`() throws {
    let store = try PostgresStore()
    let engine = try store.open(.shared)
    try #require(Self.awaitLeader([engine]) == 0)
    try store.run(
      "UPDATE \(store.schema).leader SET node = 0, term = term + 1, until = now() + interval '1 hour'"
    )
    let isTaken = Self.isSoon {
      let holder = try? store.run("SELECT (node <> 0)::int FROM \(store.schema).leader")
      return (try? holder?.number(0, 0)) == 1
    }
    #expect(isTaken)
    try engine.close()
  }

  @Test func `one node leads, and another one when it is gone`() throws {
    let store = try PostgresStore()
    let engines = try (0..<2).map { number in
      var configuration = store.configuration(.shared)
      configuration.nodeName = "node \(number)"
      return try PostgresEngine(configuration)
    }
    let leader = try #require(Self.awaitLeader(engines))
    #expect(engines.count { $0.lead {} != nil } == 1)
    let listed = try StoreNode.all(store.configuration(.shared))
    #expect(Set(listed.map(\.name)).isSubset(of: ["node 0", "node 1"]))
    try engines[leader].close()
    #expect(Self.awaitLeader([engines[1 - leader]]) == 0)
    try engines[1 - leader].close()
    try #expect(StoreNode.all(store.configuration(.shared)).isEmpty)
  }

  @Test func `who leads no more writes nothing of what it had begun`() throws {
    let store = try PostgresStore()
    let engine = try store.open(.shared)
    try #require(Self.awaitLeader([engine]) == 0)
    let done: Void? = try engine.lead {
      try Self.put(engine, ["a": "1"])
      // Another node leads from here on.
      try store.run(
        """
        UPDATE \(store.schema).leader SET node = 0, term = term + 1, until = now() + interval '50 seconds';
        UPDATE \(store.schema).timeline SET term = term + 1
        """
      )
      #expect { try Self.put(engine, ["b": "1"]) } throws: {
        ($0 as? KeyValueError)?.code == .notLeading
      }
    }
    try #require(done != nil)
    // Others write on, and who leads next writes in a term of its own.
    try Self.put(engine, ["c": "1"])
    #expect(Self.isSoon { engine.lead {} == nil })
    try store.run("UPDATE \(store.schema).leader SET until = now()")
    try #require(Self.awaitLeader([engine]) == 0)
    try engine.lead { try Self.put(engine, ["d": "1"]) }
    try #expect(engine.keys() == [bytes("a"), bytes("c"), bytes("d")])
    try engine.close()
  }

  /// The number of the engine that leads, as soon as one does.
  private static func awaitLeader(_ engines: [PostgresEngine]) -> Int? {
    var leader: Int?
    _ = isSoon {
      leader = engines.firstIndex { $0.lead {} != nil }
      return leader != nil
    }
    return leader
  }

  /// Returns true if a condition becomes true within a minute.
  private static func isSoon(_ condition: () -> Bool) -> Bool {
    for _ in 0..<6_000 {
      if condition() { return true }
      _ = BlockingQueue<Int>().take(waiting: 10_000)
    }
    return false
  }

  @Test func `keys are logged in few bytes`() throws {
    let keys: [[UInt8]] = [[1], [1, 2, 3], [1, 2, 4], Array(repeating: 7, count: 300), [9]]
    let logged = LoggedKeys.encode(keys)
    #expect(logged.count < 320)
    try #expect(logged.withUnsafeBytes { try LoggedKeys.decode($0) } == keys)
    for count in [1, 4, logged.count - 1] {
      #expect(throws: KeyValueError.self) {
        try logged.prefix(count).withUnsafeBytes { try LoggedKeys.decode($0) }
      }
    }
  }
}

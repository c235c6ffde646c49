import Foundation
import KeyValuePostgres
import KeyValueStore
import PostgresTestSupport
import Testing

@Suite(
  "Several engines on one PostgreSQL",
  .enabled(if: PostgresServer.isInstalled, Comment(rawValue: PostgresServer.missing))
)
struct SharedStoreTests {
  /// Each process's views hold exactly the versions up to their read time, whoever wrote them.
  @Test func `two processes write and read as one would`() throws {
    let store = try PostgresStore()
    let count = 60
    let writers = try (0..<2).map { _ in try store.startWriter("count", "\(count)") }
    let lines = writers.map { $0.finish() }
    let engine = try store.open(.shared)
    let (last, versions) = try SharedCounter.observe(engine)
    try #expect(SharedCounter.value(engine) == Int64(2 * count))
    #expect(versions.count == 2 * count)
    for lines in lines {
      let views = lines.map { $0.split(separator: " ").dropFirst().compactMap { Int64($0) } }
      #expect(views.count == count)
      for view in views {
        #expect(Int64(versions.count { $0 <= view[0] }) == view[1])
        #expect(view[0] <= last)
      }
      #expect(zip(views, views.dropFirst()).allSatisfy { $0[0] < $1[0] })
    }
    try engine.close()
  }

  @Test func `no view has a read time below one that another engine has handed out`() throws {
    let store = try PostgresStore()
    let engines = try (0..<2).map { _ in try store.open(.shared) }
    var last: Int64 = 0
    for round in 0..<40 {
      let engine = engines[round % 2]
      let time = try engine.read { try $0.readTime() }
      #expect(time >= last)
      last = time
      guard round % 3 == 0 else { continue }
      let version = try engines[(round / 3) % 2].write { group in
        try group.putMarker(bytes("k"))
        return try group.allocateVersion()
      }
      #expect(version > last)
      last = version
    }
    // Engines that take turns do not make time run away.
    let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
    #expect(last < now + 5_000_000)
    for engine in engines { try engine.close() }
  }

  @Test func `a process that stops in the middle of a group keeps nobody from writing`() throws {
    let store = try PostgresStore()
    let frozen = try store.startWriter("freeze")
    #expect(frozen.line() == "frozen")
    let engine = try store.open(.shared)
    try SharedCounter.increment(engine)
    frozen.resume()
    #expect(frozen.finish() == ["failed"])
    try SharedCounter.increment(engine)
    try #expect(SharedCounter.value(engine) == 2)
    try #expect(engine.read { try $0.get(bytes("frozen")) } == nil)
    try engine.close()
  }

  @Test(arguments: [
    (PostgresConfiguration.Sharing.exclusive, PostgresConfiguration.Sharing.exclusive),
    (.exclusive, .shared), (.shared, .exclusive),
  ])
  func `an engine is refused where one of two wants to be alone`(
    first: PostgresConfiguration.Sharing,
    second: PostgresConfiguration.Sharing
  ) throws {
    let store = try PostgresStore()
    let engine = try store.open(first)
    var configuration = store.configuration(second)
    configuration.patience = .milliseconds(50)
    let error = #expect(throws: KeyValueError.self) { try PostgresEngine(configuration) }
    #expect(error?.code == .locked)
    try engine.close()
    try PostgresEngine(store.configuration(second)).close()
  }

  @Test func `an engine that was succeeded by another stops for good`() throws {
    let store = try PostgresStore()
    var configuration = store.configuration()
    configuration.patience = .milliseconds(200)
    let first = try PostgresEngine(configuration)
    try SharedCounter.increment(first)
    try store.cutEngines()
    let second = try store.open()
    // The successor has the lock; on a busy machine the time may be over before the engine sees that.
    var refused: KeyValueError?
    repeat {
      refused = #expect(throws: KeyValueError.self) { try SharedCounter.increment(first) }
    } while refused?.code == .unreachable
    #expect(refused?.code == .locked)
    try SharedCounter.increment(second)
    try second.close()
    let stopped = #expect(throws: KeyValueError.self) { try SharedCounter.increment(first) }
    #expect(stopped?.code == .stopped)
    #expect(first.isStopped)
    #expect(throws: KeyValueError.self) { try SharedCounter.value(first) }
    try first.close()
  }

  @Test func `an engine that was alone all the time goes on after its connections were lost`()
    throws
  {
    let store = try PostgresStore()
    let engine = try store.open()
    for _ in 0..<3 {
      try SharedCounter.increment(engine)
      try store.cutEngines()
    }
    try #expect(SharedCounter.value(engine) == 3)
    try engine.close()
  }
}

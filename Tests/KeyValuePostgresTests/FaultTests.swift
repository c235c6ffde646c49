import Foundation
import KeyValueStore
import PostgresTestSupport
import Synchronization
import Testing

@testable import KeyValuePostgres

@Suite(
  "Faults of PostgreSQL and of the way to it",
  .enabled(if: PostgresServer.isInstalled, Comment(rawValue: PostgresServer.missing))
)
struct FaultTests {
  #if os(Linux)
  @Test(arguments: [CuttingRelay.Cut.request, .answer])
  func `what became of a commit without an answer is found out`(cut: CuttingRelay.Cut) throws {
    let relay = try CuttingRelay(to: PostgresServer.shared.get().directory)
    let store = PostgresStore(address: PostgresServer.address(relay.directory))
    let engine = try store.open()
    try SharedCounter.increment(engine)
    relay.cutNextCommit(cut)
    let isAcknowledged = (try? SharedCounter.increment(engine)) != nil
    #expect(relay.cutCount == 1)
    #expect(isAcknowledged == (cut == .answer))
    #expect(engine.statistics()["kv_lost_answers_total"] == 1)
    try #expect(SharedCounter.value(engine) == (cut == .answer ? 2 : 1))
    try SharedCounter.increment(engine)
    let (time, versions) = try SharedCounter.observe(engine)
    #expect(versions.allSatisfy { $0 <= time })
    #expect(versions.count == (cut == .answer ? 3 : 2))
    try engine.close()
    relay.end()
  }

  @Test func `commits that lose their answers again and again are each there once or not at all`()
    throws
  {
    let relay = try CuttingRelay(to: PostgresServer.shared.get().directory)
    let store = PostgresStore(address: PostgresServer.address(relay.directory))
    let engine = try store.open()
    var acknowledged: Int64 = 0
    for round in 0..<30 {
      if round % 2 == 0 { relay.cutNextCommit(round % 4 == 0 ? .request : .answer) }
      if (try? SharedCounter.increment(engine)) != nil { acknowledged += 1 }
      try #expect(SharedCounter.value(engine) == acknowledged)
    }
    #expect(relay.cutCount >= 14)
    try engine.close()
    relay.end()
  }
  #endif

  @Test func `a server that crashes under load loses nothing that was acknowledged`() throws {
    let server = try PostgresServer()
    defer { server.remove() }
    let engine = try PostgresStore(address: server.address).open()
    let acknowledged = Mutex<[[UInt8]]>([])
    let progress = DispatchSemaphore(value: 0)
    let isOver = Atomic(false)
    let writers = DispatchGroup()
    for author in 0..<4 {
      Thread.detachNewThread(entering: writers) {
        var number = 0
        while !isOver.load(ordering: .sequentiallyConsistent) {
          number += 1
          let key = bytes("k\(author)-\(number)")
          guard (try? engine.write { try $0.putMarker(key) }) != nil else { continue }
          acknowledged.withLock { $0.append(key) }
          progress.signal()
        }
      }
    }
    for _ in 0..<3 {
      let before = acknowledged.withLock { $0.count }
      try server.restart()
      // Writes are acknowledged again.
      while acknowledged.withLock({ $0.count }) < before + 40 { progress.wait() }
    }
    isOver.store(true, ordering: .sequentiallyConsistent)
    writers.wait()
    let stored = Set(try engine.keys())
    #expect(acknowledged.withLock { $0 }.allSatisfy { stored.contains($0) })
    try engine.close()
  }

  @Test func `a server that is away is waited for so long and no longer`() throws {
    let server = try PostgresServer()
    defer { server.remove() }
    let store = PostgresStore(address: server.address)
    var configuration = store.configuration()
    configuration.patience = .milliseconds(100)
    let engine = try PostgresEngine(configuration)
    try SharedCounter.increment(engine)
    try server.stop()
    let write = #expect(throws: KeyValueError.self) { try SharedCounter.increment(engine) }
    #expect(write?.code == .unreachable, "\(String(describing: write))")
    let read = #expect(throws: KeyValueError.self) { try SharedCounter.value(engine) }
    #expect(read?.code == .unreachable)
    let opening = #expect(throws: KeyValueError.self) { try PostgresEngine(configuration) }
    #expect(opening?.code == .unreachable)
    try server.start()
    try SharedCounter.increment(engine)
    try #expect(SharedCounter.value(engine) == 2)
    try engine.close()
  }
}

extension Thread {
  /// Runs the body on a thread that the group waits for.
  fileprivate static func detachNewThread(
    entering group: DispatchGroup,
    _ body: @escaping @Sendable () -> Void
  ) {
    group.enter()
    detachNewThread {
      body()
      group.leave()
    }
  }
}

import BaseStatus
import DocumentStore
import KeyValueStore
import Synchronization
import Testing

@testable import Events

/// Delivery to functions: order, repetition, dead letters and what outlives a restart.
@Suite struct DeliveryTests {
  @Test func `a commit's events come with their changes, and leave nothing behind`() async throws {
    let target = TestTarget()
    try await TestBus(target: target).run { test in
      _ = try test.deploy(TestBus.written("a/{b}"))
      try await test.write("a/x", 1)
      try await test.write("other/x", 1)
      try await test.write("a/x", 2)
      try await test.write("a/x", nil)
      await target.wait(for: 3)
      let texts = target.deliveries.map(\.0.text)
      #expect(texts == ["a/x=1 created", "a/x=2 updated", "a/x deleted"])
      #expect(target.deliveries.allSatisfy { $0.0.function.name == "f" && $0.0.attempt == 1 })
      #expect(Set(target.deliveries.map(\.0.eventID)).count == 3)
      // The last outcome is written after its delivery.
      while !Task.isCancelled, try test.keysLeft() > 0 { await Task.yield() }
    }
  }

  @Test func `a random history comes as a plain model has it`() async throws {
    var random = SplitMix(state: 11)
    let target = TestTarget { delivery, number in
      // Every third attempt fails, until its third time.
      number % 3 == 0 && delivery.attempt < 3 ? .failed(status: 500, reason: "no") : .delivered
    }
    try await TestBus(target: target).run { test in
      _ = try test.deploy(TestBus.written("a/{b}", retries: true))
      var model: [String: [String]] = [:]
      var values: [String: Int64] = [:]
      for step in 1...Int64(400) {
        let path = "a/\(Int.random(in: 0..<7, using: &random))"
        let isDeletion = Int.random(in: 0..<4, using: &random) == 0
        if isDeletion {
          try await test.write(path, nil)
          if values.removeValue(forKey: path) != nil {
            model[path, default: []].append("\(path) deleted")
          }
        } else {
          try await test.write(path, step)
          let change = values.updateValue(step, forKey: path) == nil ? "created" : "updated"
          model[path, default: []].append("\(path)=\(step) \(change)")
        }
      }
      let wanted = model.values.reduce(0) { $0 + $1.count }
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          // Time goes on to the next repetition, and no further: after a day there is none.
          while !Task.isCancelled {
            test.advanceToNextAttempt()
            await Task.yield()
          }
        }
        await target.wait(for: wanted)
        group.cancelAll()
      }
      var delivered: [String: [String]] = [:]
      var ids: [String: Set<String>] = [:]
      for (delivery, outcome) in target.deliveries {
        ids[delivery.text, default: []].insert(delivery.eventID)
        guard outcome == .delivered else { continue }
        let path = String(delivery.text.prefix { $0 != "=" && $0 != " " })
        delivered[path, default: []].append(delivery.text)
      }
      #expect(delivered == model)
      #expect(ids.allSatisfy { !$0.key.contains("=") || $0.value.count == 1 })
    }
  }

  @Test func `one attempt is made without retry, and the dead letter can be delivered again`()
    async throws
  {
    let works = Atomic(false)
    let target = TestTarget { _, _ in
      works.load(ordering: .relaxed) ? .delivered : .failed(status: 503, reason: "down")
    }
    try await TestBus(target: target).run { test in
      _ = try test.deploy(TestBus.written("a/{b}"))
      try await test.write("a/x", 1)
      await target.wait { $0.count == 1 }
      var dead: [ListedEvent] = []
      while !Task.isCancelled, dead.isEmpty {
        await Task.yield()
        dead = try test.bus.list(project: "p", isDead: true, limit: 10)
      }
      #expect(dead.first?.status == 503)
      works.store(true, ordering: .relaxed)
      #expect(try test.bus.replay(DeadLetterSelection(project: "p")) == 1)
      await target.wait(for: 1)
      #expect(Set(target.deliveries.map(\.0.eventID)).count == 1)
      while !Task.isCancelled, try test.keysLeft() > 0 { await Task.yield() }
    }
  }

  @Test func `repetitions end after a day, and dead letters after seven`() async throws {
    let target = TestTarget { _, _ in .failed(status: nil, reason: "no") }
    let test = try TestBus(target: target)
    try await test.run { test in
      _ = try test.deploy(TestBus.written("a/{b}", retries: true))
      try await test.write("a/x", 1)
      var dead: [ListedEvent] = []
      while !Task.isCancelled, dead.isEmpty {
        test.advanceToNextAttempt()
        await Task.yield()
        dead = try test.bus.list(project: "p", isDead: true, limit: 10)
      }
      #expect(target.deliveries.count > 100)
      #expect(dead.first?.attempts == target.deliveries.count)
      #expect(try !test.bus.performMaintenance())
      test.time.advance(seconds: 8 * 86_400)
      while try test.bus.performMaintenance() {}
      #expect(try test.keysLeft() == 0)
    }
  }

  @Test func `what was not delivered outlives a restart, with its id`() async throws {
    let storage = MemoryStorage()
    let time = TestTime()
    let first = try TestBus(storage: storage, time: time, target: nil)
    _ = try first.deploy(TestBus.written("a/{b}"))
    try await first.write("a/x", 1)
    let waiting = try first.bus.list(project: "p", isDead: false, limit: 10)
    try first.close()
    let target = TestTarget()
    try await TestBus(storage: storage, time: time, target: target).run { _ in
      await target.wait(for: 1)
      #expect(target.deliveries.first?.0.eventID.hasPrefix(waiting.first?.id ?? "?") == true)
    }
  }

  @Test func `a function that is not there makes its events wait`() async throws {
    let isThere = Atomic(false)
    let target = TestTarget { _, _ in isThere.load(ordering: .relaxed) ? .delivered : .absent }
    try await TestBus(target: target).run { test in
      _ = try test.deploy(TestBus.written("a/{b}"))
      try await test.write("a/x", 1)
      await target.wait { $0.count == 1 }
      isThere.store(true, ordering: .relaxed)
      // A deployment does not wait for the end of the pause.
      _ = try test.deploy(TestBus.written("a/{b}"))
      while !target.deliveries.contains(where: { $0.1 == .delivered }) {
        // The pause may have begun behind the deployment; it has no entry of its own.
        for _ in 0..<100 { await Task.yield() }
        test.time.advance(seconds: 1)
        test.bus.wake()
      }
      #expect(target.deliveries.last?.0.attempt == 1)
    }
  }

  @Test func `a long chain of events ends`() async throws {
    let target = TestTarget()
    try await TestBus(target: target).run { test in
      _ = try test.deploy(TestBus.written("a/{b}"))
      try await test.write("a/deep", 1, depth: 16)
      try await test.write("a/flat", 1, depth: 15)
      await target.wait(for: 1)
      #expect(target.deliveries.map(\.0.text) == ["a/flat=1 created"])
      #expect(target.deliveries.first?.0.depth == 16)
      var dead: [ListedEvent] = []
      while !Task.isCancelled, dead.isEmpty {
        await Task.yield()
        dead = try test.bus.list(project: "p", isDead: true, limit: 10)
      }
      #expect(dead.first?.reason?.contains("chain of 16 events") == true)
    }
  }

  @Test func `a task is delivered at any depth, and adds nothing to it`() async throws {
    let target = TestTarget()
    try await TestBus(target: target).run { test in
      var declaration = CodebaseDeclaration()
      declaration.queues = [QueueDeclaration(function: "work")]
      _ = try test.deploy(declaration)
      for depth in [16, 3] {
        _ = try await test.bus.enqueue(
          NewTask(),
          queue: "work",
          location: "us-central1",
          project: "p",
          by: CommitAuthor(.system, depth: depth)
        )
      }
      await target.wait(for: 2)
      #expect(Set(target.deliveries.map(\.0.depth)) == [16, 3])
    }
  }

  @Test func `concurrency is kept to, and a document's events never overlap`() async throws {
    let target = TestTarget { _, _ in
      for _ in 0..<20 { await Task.yield() }
      return .delivered
    }
    try await TestBus(target: target).run { test in
      var declaration = TestBus.written("a/{b}")
      declaration.triggers[0].concurrency = 3
      _ = try test.deploy(declaration)
      for number in 1...Int64(60) { try await test.write("a/\(number % 10)", number) }
      await target.wait(for: 60)
      #expect(target.mostAtOnce <= 3)
    }
  }
}

import BaseStatus
import DocumentStore
import KeyValueStore
import Testing

@testable import Events

/// Codebases that come, change and go, schedules and task queues.
@Suite struct CodebaseTests {
  @Test func `a deployment says what differs and keeps its caller's writes with its own`() throws {
    let test = try TestBus(target: nil)
    let key: [UInt8] = [0x7F, 1]
    let first = try test.bus.replaceTriggers(
      of: TestBus.codebase,
      with: TestBus.written("a/{b}")
    ) { try $0.putMarker(key) }
    #expect(first.created == ["f"])
    #expect(try test.engine.read { try $0.get(key) } != nil)
    #expect(try test.deploy(TestBus.written("a/{b}")) == TriggerChanges())
    #expect(try test.deploy(TestBus.written("c/{b}")).updated == ["f"])
    let second = try test.deploy(TestBus.written("a/{b}", function: "g"))
    #expect(second.created == ["g"])
    #expect(second.deleted == ["f"])
    #expect(try test.bus.declaration(of: TestBus.codebase).triggers.map(\.function) == ["g"])
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try test.bus.removeTriggers(of: TestBus.codebase) { _ in throw Refusal() }
    }
    #expect(try test.bus.triggers(of: "p").count == 1)
  }

  @Test(arguments: [
    ("google.cloud.firestore.document.v1.moved", ["document": "a/b"]),
    ("google.cloud.firestore.document.v1.written", ["document": "a"]),
    ("google.cloud.firestore.document.v1.written", [:]),
    ("google.cloud.storage.object.v1.finalized", [:]),
    ("google.cloud.pubsub.topic.v1.messagePublished", [:]),
    ("providers/cloud.firestore/eventTypes/document.write", ["resource": "projects/q/x"]),
    ("google.firebase.analytics.log.v1.written", [:]),
    (
      "providers/google.firebase.analytics/eventTypes/event.log",
      ["resource": "projects/q/events/e"]
    ),
    ("my.own.type", [:]),
  ])
  func `a trigger that nothing can fire is refused before anything is written`(
    type: String,
    filters: [String: String]
  ) throws {
    let test = try TestBus(target: nil)
    var declaration = CodebaseDeclaration()
    var declared = TriggerDeclaration(function: "f", eventType: type)
    declared.filters = filters
    declaration.triggers = [declared]
    #expect(throws: ServiceError.self) { try test.deploy(declaration) }
    #expect(try test.bus.triggers(of: "p").isEmpty)
  }

  @Test func `a trigger that changes keeps its events, and one that goes loses them`() async throws
  {
    let test = try TestBus(target: nil)
    _ = try test.deploy(TestBus.written("a/{b}"))
    try await test.write("a/x", 1)
    _ = try test.deploy(TestBus.written("c/{b}"))
    try await test.write("a/y", 2)
    try await test.write("c/z", 3)
    let waiting = try test.bus.list(project: "p", isDead: false, limit: 10)
    #expect(waiting.map(\.event.subject) == ["a/x", "c/z"])
    try test.bus.removeTriggers(of: TestBus.codebase) { _ in }
    while try test.bus.performMaintenance() {}
    #expect(try test.keysLeft() == 0)
    try test.close()
  }

  @Test func `triggers come and go under load, and no event is left or lost`() async throws {
    let target = TestTarget()
    try await TestBus(target: target).run { test in
      _ = try test.deploy(TestBus.written("keep/{b}", function: "keep"))
      async let writes: Void = {
        for number in 1...Int64(300) {
          try await test.write("keep/\(number)", number)
          try await test.write("a/\(number)", number)
        }
      }()
      for round in 0..<20 {
        var declaration = TestBus.written("keep/{b}", function: "keep")
        if round % 2 == 0 { declaration.triggers += TestBus.written("a/{b}").triggers }
        _ = try test.deploy(declaration)
      }
      try await writes
      _ = try test.deploy(TestBus.written("keep/{b}", function: "keep"))
      await target.wait { $0.count { $0.0.function.name == "keep" } >= 300 }
      let kept = target.deliveries.filter { $0.0.function.name == "keep" }.map(\.0.text)
      #expect(Set(kept).count == 300)
      while !Task.isCancelled, try test.keysLeft() > 0 {
        while try test.bus.performMaintenance() {}
        await Task.yield()
      }
    }
  }

  @Test func `a schedule fires once for all the times that it missed`() async throws {
    let target = TestTarget()
    try await TestBus(target: target).run { test in
      var declaration = CodebaseDeclaration()
      var declared = ScheduleDeclaration(function: "tick", schedule: "0 * * * *")
      declared.timeZone = "UTC"
      declaration.schedules = [declared]
      _ = try test.deploy(declaration)
      test.time.advance(seconds: 5 * 3_600)
      test.bus.wake()
      await target.wait(for: 1)
      test.bus.wake()
      test.time.advance(seconds: 3_600)
      test.bus.wake()
      await target.wait(for: 2)
      #expect(target.deliveries.count == 2)
      #expect(Set(target.deliveries.map(\.0.eventID)).count == 2)
      #expect(try await test.bus.fireNow("tick", codebase: "default", project: "p"))
      await target.wait(for: 3)
    }
  }

  @Test func `tasks wait for their time, are repeated as declared and keep to their names`()
    async throws
  {
    let target = TestTarget { delivery, _ in
      delivery.text.hasPrefix("bad") ? .failed(status: 500, reason: "no") : .delivered
    }
    try await TestBus(target: target).run { test in
      var declaration = CodebaseDeclaration()
      var queue = QueueDeclaration(function: "work")
      queue.retry = RetryDeclaration(maxAttempts: 3)
      queue.retry.minBackoffSeconds = 10
      declaration.queues = [queue]
      _ = try test.deploy(declaration)
      func enqueue(_ name: String?, after seconds: Int64 = 0) async throws -> String {
        var task = NewTask()
        task.name = name
        if seconds > 0 { task.due = test.time.clock.now() + seconds * 1_000_000 }
        return try await test.bus.enqueue(
          task,
          queue: "work",
          location: "us-central1",
          project: "p",
          by: .system
        )
      }
      _ = try await enqueue("later", after: 100)
      _ = try await enqueue("now")
      await target.wait(for: 1)
      #expect(target.deliveries.map(\.0.text) == ["now"])
      await #expect(throws: ServiceError.self) { try await enqueue("now") }
      test.time.advance(seconds: 101)
      test.bus.wake()
      await target.wait(for: 2)
      #expect(target.deliveries.map(\.0.text) == ["now", "later"])
      _ = try await enqueue("bad")
      var dead = 0
      while !Task.isCancelled, dead == 0 {
        test.time.advance(seconds: 11)
        test.bus.wake()
        await Task.yield()
        dead = try test.bus.list(project: "p", isDead: true, limit: 5).count
      }
      #expect(target.deliveries.count { $0.0.text == "bad" } == 3)
      _ = try await enqueue("gone", after: 1_000)
      try await test.bus.deleteTask(
        "gone",
        queue: "work",
        location: "us-central1",
        project: "p"
      )
      #expect(try test.bus.list(project: "p", isDead: false, limit: 5).isEmpty)
    }
  }
}

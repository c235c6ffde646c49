import Dispatch
import KeyValueStore
import Synchronization
import Testing

@Suite("The queue of writes, on every engine")
struct QueueConformance {
  private struct Refusal: Error {}

  @Test(arguments: EngineKind.allCases)
  func `writes that wait at the same time share one group`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      let held = HeldWriter(engine)
      let outcomes = Outcomes()
      for number in 0..<20 {
        outcomes.submit("\(number)", to: engine) { try $0.put([1, UInt8(number)], [1]) }
      }
      // No other group has begun.
      try #expect(engine.contents().isEmpty)
      held.release()
      #expect(outcomes.wait(for: 20) == (0..<20).map { "\($0) durable" })
      try #expect(engine.contents().count == 20)
      if let groups = engine.statistics()["kv_write_groups_total"] {
        #expect(groups == 2)
        #expect(engine.statistics()["kv_writes_total"] == 21)
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `a write that fails is undone alone, whatever savepoints it leaves`(
    kind: EngineKind
  ) throws {
    let test = EngineUnderTest(kind)
    try test.run { engine in
      try engine.put([("a", "0"), ("b", "0")])
      let held = HeldWriter(engine)
      let outcomes = Outcomes()
      outcomes.submit("first", to: engine) { try $0.put(bytes("a"), bytes("1")) }
      outcomes.submit("second", to: engine) { group in
        _ = try group.allocateVersion()
        try group.put(bytes("a"), bytes("2"))
        try group.setSavepoint()
        try group.delete(bytes("b"))
        try group.setSavepoint()
        try group.put(bytes("c"), bytes("2"))
        throw Refusal()
      }
      outcomes.submit("third", to: engine) { group in
        try #expect(group.pairs() == [Pair("a", "1"), Pair("b", "0")])
        try #expect(group.get(bytes("a")) == bytes("1"))
        try group.setSavepoint()
        try group.put(bytes("d"), bytes("3"))
      }
      outcomes.submit("fourth", to: engine) { group in
        // What the third left open is not this one's to undo.
        #expect(throws: KeyValueError.self) { try group.rollbackToSavepoint() }
        #expect(throws: KeyValueError.self) { try group.releaseSavepoint() }
        throw Refusal()
      }
      held.release()
      #expect(
        outcomes.wait(for: 4) == [
          "first durable", "second failed", "third durable", "fourth failed",
        ]
      )
      try #expect(engine.contents() == [Pair("a", "1"), Pair("b", "0"), Pair("d", "3")])
    }
    try test.run { engine in
      try #expect(engine.contents() == [Pair("a", "1"), Pair("b", "0"), Pair("d", "3")])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `a completion runs when its write is visible, before any later body`(
    kind: EngineKind
  ) throws {
    try EngineUnderTest(kind).run { engine in
      let order = Mutex<[String]>([])
      let done = DispatchSemaphore(value: 0)
      for number in 0..<50 {
        engine.submit(
          QueuedWrite(.interactive) { group in
            order.withLock { $0.append("body \(number)") }
            try group.put([1, UInt8(number)], [1])
          } completion: { outcome in
            let isThere = (try? engine.read { try $0.get([1, UInt8(number)]) }) == [1]
            order.withLock { $0.append("completion \(number) \(isThere)") }
            done.signal()
          }
        )
      }
      for _ in 0..<50 { done.wait() }
      let seen = order.withLock { $0 }
      #expect(seen.filter { $0.hasPrefix("body") } == (0..<50).map { "body \($0)" })
      #expect(
        seen.filter { $0.hasPrefix("completion") } == (0..<50).map { "completion \($0) true" }
      )
      // Between two groups there is no body whose completion is still to come.
      var open = 0
      var isSettling = false
      for event in seen {
        if event.hasPrefix("body") {
          #expect(!isSettling || open == 0)
          (open, isSettling) = (open + 1, false)
        } else {
          (open, isSettling) = (open - 1, true)
        }
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `while the mark of the state is the same, so is what a read gives`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      let done = DispatchSemaphore(value: 0)
      // PostgreSQL is written by others too.
      guard kind != .postgres else {
        #expect(engine.stateMark == nil)
        return
      }
      let first = try #require(engine.stateMark)
      #expect(engine.stateMark == first)
      for number in 1...200 {
        let write = QueuedWrite(.interactive) { group in
          try group.put([1], [UInt8(number)])
        } completion: { _ in
          done.signal()
        }
        engine.submit(write)
      }
      // A value that was read between two equal marks is the one that belongs to the mark.
      var known: (mark: Int, value: PointRead)?
      var finished = 0
      while finished < 200 {
        if done.wait(timeout: .now()) == .success { finished += 1 }
        guard let mark = engine.stateMark else { continue }
        let value = try engine.get([1], cachedOnly: false)
        guard engine.stateMark == mark else { continue }
        if let known, known.mark == mark { #expect("\(known.value)" == "\(value)") }
        known = (mark, value)
      }
      #expect(engine.stateMark != first)
      #expect("\(try engine.get([1], cachedOnly: false))" == "\(PointRead.found([200]))")
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `whoever waits hears the outcome first on the writing thread, in the order of the writes`(
    kind: EngineKind
  ) throws {
    try EngineUnderTest(kind).run { engine in
      let counter = Mutex<[Int]>([])
      try concurrently(4) { _ in
        for _ in 0..<50 {
          _ = try engine.write { group in
            let count = try group.get([1]).map { Int($0[0]) } ?? 0
            try group.put([1], [UInt8(count + 1)])
            return count
          } settled: { outcome in
            if case .success(let count) = outcome { counter.withLock { $0.append(count) } }
          }
        }
      }
      #expect(counter.withLock { $0 } == Array(0..<200))
      var told = false
      #expect(throws: Refusal.self) {
        try engine.write { _ -> Void in
          throw Refusal()
        } settled: { outcome in
          if case .failure(is Refusal) = outcome { told = true }
        }
      }
      #expect(told)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `a write that waits inside another is refused instead of waiting for ever`(
    kind: EngineKind
  ) throws {
    try EngineUnderTest(kind).run { engine in
      var isRefusedAfter = false
      try engine.write { group in
        #expect(engine.isWritingThread)
        let error = #expect(throws: KeyValueError.self) {
          try engine.write { try $0.put([2], [1]) }
        }
        #expect(error?.code == .misuse)
        try group.put([1], [1])
      } settled: { _ in
        isRefusedAfter = (try? engine.write { try $0.put([2], [1]) }) == nil
      }
      #expect(isRefusedAfter)
      #expect(!engine.isWritingThread)
      try #expect(engine.contents() == [Pair([1], [1])])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `closing runs what waits, and a write after it is refused`(kind: EngineKind) throws {
    let test = EngineUnderTest(kind)
    let engine = try test.open()
    let outcomes = Outcomes()
    let held = HeldWriter(engine)
    for number in 0..<5 {
      outcomes.submit("\(number)", to: engine) { try $0.put([1, UInt8(number)], [1]) }
    }
    held.release()
    try engine.close()
    #expect(outcomes.wait(for: 5) == (0..<5).map { "\($0) durable" })
    outcomes.submit("late", to: engine) { try $0.put([1], [1]) }
    #expect(outcomes.wait(for: 1).last == "late failed")
    try test.run { try #expect($0.contents().count == 5) }
  }
}

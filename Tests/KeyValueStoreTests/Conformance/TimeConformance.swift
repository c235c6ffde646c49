import KeyValueStore
import Synchronization
import Testing

@Suite("Versions and read times, on every engine")
struct TimeConformance {
  @Test(arguments: EngineKind.allCases)
  func `versions increase within a group, over reopening and a clock that steps back`(
    kind: EngineKind
  ) throws {
    let test = EngineUnderTest(kind)
    var versions: [Int64] = []
    for step in [1_000, 0, -60_000_000, 5, 90_000_000, -3_600_000_000] as [Int64] {
      test.clock.advance(by: step)
      try test.run { engine in
        for _ in 0..<3 {
          try engine.write { group in
            versions.append(try group.allocateVersion())
            versions.append(try group.allocateVersion())
            try group.putMarker(bytes("k"))
          }
        }
      }
    }
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test(arguments: EngineKind.allCases)
  func `no version falls at or below a read time handed out before a restart`(
    kind: EngineKind
  ) throws {
    let test = EngineUnderTest(kind)
    var last: Int64 = 0
    for step in [10, 30_000_000, -100_000_000, 400_000, 700_000, -1] as [Int64] {
      test.clock.advance(by: step)
      let time = try test.run { engine in try engine.read { try $0.readTime() } }
      #expect(time >= last)
      last = try test.run { engine in
        try engine.write { group in
          try group.putMarker(bytes("k"))
          return try group.allocateVersion()
        }
      }
      #expect(last > time)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `a version follows the clock when the clock is ahead`(kind: EngineKind) throws {
    let test = EngineUnderTest(kind, now: 5_000_000)
    try test.run { engine in
      try #expect(engine.write { try $0.allocateVersion() } == 5_000_000)
      test.clock.advance(by: 250)
      try #expect(engine.read { try $0.readTime() } == 5_000_250)
      try #expect(engine.write { try $0.allocateVersion() } == 5_000_251)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `a view opened before or during a group has a read time below it`(
    kind: EngineKind
  ) throws {
    let test = EngineUnderTest(kind)
    try test.run { engine in
      try engine.read { before in
        let version = try engine.write { group in
          let version = try group.allocateVersion()
          try group.put(bytes("k"), [1])
          test.clock.advance(by: 1_000)
          let during = try engine.read { try $0.readTime() }
          #expect(during < version)
          return version
        }
        try #expect(before.readTime() < version)
        try #expect(before.get(bytes("k")) == nil)
        try #expect(engine.read { try $0.readTime() } >= version)
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `a group that threw does not hold back read times`(kind: EngineKind) throws {
    struct Refusal: Error {}
    let test = EngineUnderTest(kind, now: 1_000)
    try test.run { engine in
      #expect(throws: Refusal.self) {
        try engine.write { group in
          _ = try group.allocateVersion()
          throw Refusal()
        }
      }
      test.clock.advance(by: 77)
      try #expect(engine.read { try $0.readTime() } == 1_077)
    }
  }

  @Test(arguments: EngineKind.withMemory)
  func `the time that needs no disk agrees with the one that may`(kind: EngineKind) throws {
    let test = EngineUnderTest(kind)
    try test.run { engine in
      try engine.put([("a", "1")])
      test.clock.advance(by: 3_600_000_000)
      _ = try engine.read { try $0.readTime() }
      test.clock.advance(by: 10)
      try engine.read { view in
        let cached = try view.cachedReadTime()
        let time = try view.readTime()
        #expect(cached == time)
        guard case .found(let value) = try view.getCached(bytes("a")) else {
          Issue.record("a value in memory is not found")
          return
        }
        #expect(value == bytes("1"))
      }
    }
  }

  /// Writers log each commit under its version; views must hold exactly the versions up to their
  /// read time, and no view may have a lower time than one that was known before it was opened.
  @Test(arguments: EngineKind.allCases)
  func `views hold exactly the commits up to their read time`(kind: EngineKind) throws {
    let test = EngineUnderTest(kind)
    try test.run { engine in
      let observations = Mutex<[(time: Int64, held: [Int64])]>([])
      let known = Mutex<Int64>(0)
      try concurrently(4) { thread in
        for round in 0..<150 {
          if thread < 2 {
            try Self.logCommits(engine, count: round % 3 + 1, clock: test.clock)
          } else {
            try Self.observe(engine, known, observations)
          }
        }
      }
      let all = try engine.read { try Self.versions($0) }
      #expect(all.count == 600)
      for (time, held) in observations.withLock({ $0 }) {
        #expect(held == all.filter { $0 <= time })
      }
    }
  }

  private static func logCommits(
    _ engine: any KeyValueEngine,
    count: Int,
    clock: ManualClock
  ) throws {
    clock.advance(by: 3)
    try engine.write { group in
      for _ in 0..<count {
        try group.putMarker(numberKey("v", group.allocateVersion()))
      }
    }
  }

  private static func observe(
    _ engine: any KeyValueEngine,
    _ known: borrowing Mutex<Int64>,
    _ observations: borrowing Mutex<[(time: Int64, held: [Int64])]>
  ) throws {
    let floor = known.withLock { $0 }
    let (time, held) = try engine.read { view in
      // Now and then the time is asked for late, when groups have landed since.
      let early = Bool.random() ? try view.readTime() : nil
      let held = try versions(view)
      return (try early ?? view.readTime(), held)
    }
    #expect(time >= floor)
    known.withLock { $0 = max($0, time) }
    observations.withLock { $0.append((time, held)) }
  }

  private static func versions(_ view: any KeyValueSnapshot) throws -> [Int64] {
    try view.pairs(KeyRange(prefix: bytes("v"))).map { pair in
      pair.key.withUnsafeBytes(number(inKey:))
    }
  }
}

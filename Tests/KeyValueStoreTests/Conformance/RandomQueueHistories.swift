import Dispatch
import KeyValueStore
import ModelTestSupport
import Synchronization
import Testing

@Suite("Random writes of many authors at once against a plain model, on every engine")
struct RandomQueueHistories {
  private struct Refusal: Error {}

  /// Bodies run one at a time, so that a model can follow them: each sees what the model holds, and
  /// changes it unless it fails.
  @Test(arguments: EngineKind.allCases, [1, 2, UInt64.random(in: 3...UInt64.max)])
  func `each body sees those before it, and those that fail leave nothing`(
    kind: EngineKind,
    seed: UInt64
  ) throws {
    print("random writes of many authors, seed \(seed)")
    let test = EngineUnderTest(kind)
    let shadow = Shadow()
    for round in 0..<3 {
      try test.run { engine in
        try concurrently(6) { author in
          var generator = SeededSource(seed: seed &+ UInt64(round * 6 + author))
          Self.write(to: engine, shadow, &generator)
        }
        try Self.compare(engine, shadow, seed)
      }
      // What was told to be durable is there when the engine is opened again.
      try test.run { try Self.compare($0, shadow, seed) }
    }
    let versions = shadow.versions
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
  }

  private static func write(
    to engine: any KeyValueEngine,
    _ shadow: Shadow,
    _ generator: inout SeededSource
  ) {
    let pending = DispatchGroup()
    for _ in 0..<40 {
      let seed = generator.next()
      pending.enter()
      engine.submit(
        QueuedWrite(
          seed % 3 == 0 ? .background : .interactive,
          mayLead: seed.isMultiple(of: 2)
        ) { group in
          try body(of: seed, in: group, shadow)
        } completion: { outcome in
          shadow.settled(outcome)
          pending.leave()
        }
      )
      if Int.random(in: 0..<4, using: &generator) == 0 { pending.wait() }
    }
    pending.wait()
  }

  private static func body(
    of seed: UInt64,
    in group: any KeyValueGroup,
    _ shadow: Shadow
  ) throws {
    var generator = SeededSource(seed: seed)
    var model = shadow.model
    var versions: [Int64] = []
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      let key = [UInt8.random(in: 1...3, using: &generator), .random(in: 0...9, using: &generator)]
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        let size = Int.random(in: 1...(seed % 50 == 0 ? 100_000 : 20), using: &generator)
        let value = [UInt8](repeating: .random(in: 0...255, using: &generator), count: size)
        try group.put(key, value)
        model[key] = value
      case 5, 6:
        try group.delete(key)
        model[key] = nil
      case 7: try #expect(group.get(key) == model[key], "seed \(seed)")
      case 8: versions.append(try group.allocateVersion())
      default:
        try #expect(group.pairs(KeyRange(prefix: [key[0]])) == pairs(of: model, key[0]))
      }
    }
    guard !seed.isMultiple(of: 4) else { throw Refusal() }
    shadow.succeed(model, versions)
  }

  private static func pairs(of model: [[UInt8]: [UInt8]], _ prefix: UInt8? = nil) -> [Pair] {
    model.filter { prefix == nil || $0.key.first == prefix }.map { Pair($0.key, $0.value) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  private static func compare(
    _ engine: any KeyValueEngine,
    _ shadow: Shadow,
    _ seed: UInt64
  ) throws {
    let found = try engine.contents()
    #expect(found == pairs(of: shadow.model), "seed \(seed)")
    #expect(shadow.unexpected == 0, "seed \(seed)")
  }

  /// The content that the engine should hold, as its writing thread has left it.
  private final class Shadow: Sendable {
    private struct State {
      var model: [[UInt8]: [UInt8]] = [:]
      var versions: [Int64] = []
      var unexpected = 0
    }

    private let state = Mutex(State())

    var model: [[UInt8]: [UInt8]] { state.withLock { $0.model } }

    var versions: [Int64] { state.withLock { $0.versions } }

    /// Outcomes that are neither good nor a refusal.
    var unexpected: Int { state.withLock { $0.unexpected } }

    /// A body has left this, and taken those versions.
    func succeed(_ model: [[UInt8]: [UInt8]], _ versions: [Int64]) {
      state.withLock { state in
        state.model = model
        state.versions += versions
      }
    }

    func settled(_ outcome: Result<Void, any Error>) {
      if case .failure(let error) = outcome, !(error is Refusal) {
        state.withLock { $0.unexpected += 1 }
      }
    }
  }
}

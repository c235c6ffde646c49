import KeyValueStore
import ModelTestSupport
import Testing

/// A dictionary, sorted when asked: slow and plainly right.
private struct Model: Equatable {
  private(set) var values: [[UInt8]: [UInt8]] = [:]

  mutating func apply(_ key: [UInt8], _ value: [UInt8]?) {
    values[key] = value
  }

  func pairs(_ range: KeyRange, reversed: Bool) -> [Pair] {
    let sorted = values.keys
      .filter { key in
        !key.lexicographicallyPrecedes(range.lower)
          && (range.upper.map { key.lexicographicallyPrecedes($0) } ?? true)
      }
      .sorted { $0.lexicographicallyPrecedes($1) }
      .compactMap { key in values[key].map { Pair(key, $0) } }
    return reversed ? sorted.reversed() : sorted
  }
}

@Suite("Random histories against a plain model, on every engine")
struct RandomHistories {
  private struct Refusal: Error {}

  @Test(arguments: EngineKind.allCases, [1, 2, 3, UInt64.random(in: 4...UInt64.max)])
  func `groups, savepoints, scans and restarts agree with the model`(
    kind: EngineKind,
    seed: UInt64
  ) throws {
    print("random history, seed \(seed)")
    var generator = SeededSource(seed: seed)
    let test = EngineUnderTest(kind)
    var model = Model()
    for _ in 0..<4 {
      try test.run { engine in
        for _ in 0..<40 {
          try Self.runGroup(engine, &model, &generator)
          try Self.compare(try Self.scan(engine, &generator), model, seed)
        }
      }
    }
  }

  private static func runGroup(
    _ engine: any KeyValueEngine,
    _ model: inout Model,
    _ generator: inout SeededSource
  ) throws {
    var working = model
    var saved: [Model] = []
    let isRefused = Int.random(in: 0..<8, using: &generator) == 0
    do {
      try engine.write { group in
        for _ in 0..<Int.random(in: 1...40, using: &generator) {
          try step(group, &working, &saved, &generator)
        }
        if isRefused { throw Refusal() }
      }
      model = working
    } catch is Refusal {
      return
    }
  }

  private static func step(
    _ group: any KeyValueGroup,
    _ model: inout Model,
    _ saved: inout [Model],
    _ generator: inout SeededSource
  ) throws {
    let key = randomKey(&generator)
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<9:
      let value = randomValue(&generator)
      try group.put(key, value)
      model.apply(key, value)
    case 9..<13:
      try group.delete(key)
      model.apply(key, nil)
    case 13:
      try group.setSavepoint()
      saved.append(model)
    case 14:
      guard let last = saved.popLast() else { return }
      try group.rollbackToSavepoint()
      model = last
    case 15:
      guard saved.popLast() != nil else { return }
      try group.releaseSavepoint()
    case 16:
      _ = try group.allocateVersion()
    case 17:
      try #expect(group.get(key) == model.values[key])
    default:
      let (range, reversed) = randomRange(&generator)
      try #expect(group.pairs(range, reversed: reversed) == model.pairs(range, reversed: reversed))
    }
  }

  private typealias Scan = (range: KeyRange, reversed: Bool, found: [Pair], all: [Pair])

  private static func scan(
    _ engine: any KeyValueEngine,
    _ generator: inout SeededSource
  ) throws -> Scan {
    let (range, reversed) = randomRange(&generator)
    return try engine.read { view in
      (range, reversed, try view.pairs(range, reversed: reversed), try view.pairs())
    }
  }

  private static func compare(_ scan: Scan, _ model: Model, _ seed: UInt64) throws {
    let everything = KeyRange(lower: [], upper: nil)
    #expect(scan.found == model.pairs(scan.range, reversed: scan.reversed), "seed \(seed)")
    #expect(scan.all == model.pairs(everything, reversed: false), "seed \(seed)")
  }

  private static func randomKey(_ generator: inout SeededSource) -> [UInt8] {
    let alphabet: [UInt8] = [0x00, 0x01, 0x61, 0x7F, 0x80, 0xFF]
    let length = Int.random(in: 0...3, using: &generator)
    return [UInt8.random(in: 1...3, using: &generator)]
      + (0..<length).map { _ in alphabet[Int.random(in: 0..<6, using: &generator)] }
  }

  private static func randomValue(_ generator: inout SeededSource) -> [UInt8] {
    let isLong = Int.random(in: 0..<40, using: &generator) == 0
    let length = Int.random(in: 1...(isLong ? 40_000 : 12), using: &generator)
    return [UInt8](repeating: UInt8.random(in: 0...255, using: &generator), count: length)
  }

  private static func randomRange(_ generator: inout SeededSource) -> (KeyRange, Bool) {
    let lower = Bool.random(using: &generator) ? [] : randomKey(&generator)
    let upper = Bool.random(using: &generator) ? nil : randomKey(&generator)
    return (KeyRange(lower: lower, upper: upper), Bool.random(using: &generator))
  }
}

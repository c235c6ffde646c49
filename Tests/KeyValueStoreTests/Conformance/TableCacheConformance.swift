import KeyValueRocksDB
import KeyValueStore
import ModelTestSupport
import Testing

/// With more tables than readers of tables stay open, most keys lie where a read that may not touch
/// the disk does not even find a filter.
@Suite("Reads that may not touch the disk, of many more tables than readers are open")
struct TableCacheConformance {
  private static let count: Int64 = 3_000

  @Test(arguments: EngineKind.withMemory)
  func `keys are found or missing as they are, or not known`(kind: EngineKind) throws {
    try Self.fill(kind).run { engine in
      var generator = SeededSource(seed: 1)
      var tally = Tally()
      for _ in 0..<Self.count {
        let number = Int64.random(in: 0..<Self.count, using: &generator)
        let key = numberKey("k", number)
        switch try engine.get(key, cachedOnly: true) {
        case .found(let value): tally.note(known: true, isRight: value == Self.value(number))
        case .missing: tally.note(known: true, isRight: Self.value(number) == nil)
        case .incomplete: tally.note(known: false, isRight: true)
        }
        // Some are read, so that some readers and blocks are in memory.
        if number % 7 == 0 {
          try #expect(engine.read { try $0.get(key) } == Self.value(number))
        }
      }
      tally.expectAllRight(kind)
    }
  }

  @Test(arguments: EngineKind.withMemory)
  func `views in memory and cached gets of views see keys as they are, or nothing`(
    kind: EngineKind
  ) throws {
    try Self.fill(kind).run { engine in
      var generator = SeededSource(seed: 2)
      var tally = Tally()
      for _ in 0..<Self.count {
        let number = Int64.random(in: 0..<Self.count, using: &generator)
        let key = numberKey("k", number)
        let expected = Self.value(number)
        let inMemory = try engine.readInMemory(steps: 1) { try $0.get(key) }
        tally.note(known: inMemory != nil, isRight: inMemory.map { $0 == expected } ?? true)
        try engine.read { view in
          switch try view.getCached(key) {
          case .found(let value): tally.note(known: true, isRight: value == expected)
          case .missing: tally.note(known: true, isRight: expected == nil)
          case .incomplete: tally.note(known: false, isRight: true)
          }
          if number % 7 == 0 { try #expect(view.get(key) == expected) }
        }
      }
      tally.expectAllRight(kind)
    }
  }

  @Test(arguments: EngineKind.withMemory, [false, true])
  func `cursors in memory pass over no key`(kind: EngineKind, reversed: Bool) throws {
    try Self.fill(kind).run { engine in
      var generator = SeededSource(seed: 3)
      var tally = Tally()
      // Tables are merged meanwhile; a cursor knows something once few of them overlap.
      for round in 0..<500 where round == 0 || !tally.isAnyKnown {
        for _ in 0..<Self.count {
          let number = Int64.random(in: 0..<Self.count - 2, using: &generator)
          let found = try engine.readInMemory(steps: 3) { view in
            let range = KeyRange(prefix: bytes("k"))
            return try Self.three(from: number, view.cursor(over: range, reversed: reversed))
          }
          let expected = Self.three(from: number, reversed: reversed)
          tally.note(known: found != nil, isRight: found.map { $0 == expected } ?? true)
          if number % 7 == 0 {
            let range = KeyRange(
              lower: numberKey("k", max(0, number - 6)),
              upper: numberKey("k", number + 7)
            )
            _ = try engine.read { try $0.pairs(range) }
          }
        }
      }
      tally.expectAllRight(kind)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `groups read every key as it is`(kind: EngineKind) throws {
    try Self.fill(kind).run { engine in
      var generator = SeededSource(seed: 4)
      try engine.write { group in
        for round in 0..<Self.count / 2 {
          let number = Int64.random(in: 0..<Self.count, using: &generator)
          try #expect(group.get(numberKey("k", number)) == Self.value(number))
          // From here on reads go through an indexed batch.
          if round == Self.count / 4 {
            try group.put(bytes("other"), bytes("value"))
            try #expect(group.get(bytes("other")) == bytes("value"))
            try group.setSavepoint()
          }
        }
        let numbers = try group.pairs(KeyRange(prefix: bytes("k"))).map { pair in
          pair.key.withUnsafeBytes(number(inKey:))
        }
        #expect(numbers == (0..<Self.count).filter { Self.value($0) != nil })
      }
    }
  }

  /// Answers given and right ones.
  private struct Tally {
    private var known = 0
    private var unknown = 0
    private var wrong = 0

    var isAnyKnown: Bool { known > 0 }

    mutating func note(known isKnown: Bool, isRight: Bool) {
      if isKnown { known += 1 } else { unknown += 1 }
      if !isRight { wrong += 1 }
    }

    /// Also that there was something to get wrong.
    func expectAllRight(_ kind: EngineKind) {
      #expect(wrong == 0)
      #expect(known > 0)
      if kind == .rocksDB { #expect(unknown > 0) }
    }
  }

  private static func fill(_ kind: EngineKind) throws -> EngineUnderTest {
    let test = EngineUnderTest(kind, configuration: .manyTables)
    try test.run { engine in
      // A dozen values fill a memtable.
      for start in stride(from: 0, to: count, by: 10) {
        try engine.write { group in
          for number in start..<start + 10 {
            guard let value = value(number) else { continue }
            try group.put(numberKey("k", number), value)
          }
        }
      }
    }
    if let tables = try test.tables { #expect(tables >= 50) }
    return test
  }

  /// Every third key does not exist.
  private static func value(_ number: Int64) -> [UInt8]? {
    guard number % 3 != 0 else { return nil }
    return [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 5_000)
  }

  private static func three(from number: Int64, _ cursor: any KeyValueCursor) throws -> [Int64] {
    var found: [Int64] = []
    var isValid = try cursor.seek(numberKey("k", number))
    while isValid {
      found.append(KeyValueStoreTests.number(inKey: cursor.key))
      if found.count == 3 { break }
      isValid = try cursor.next()
    }
    return found
  }

  private static func three(from number: Int64, reversed: Bool) -> [Int64] {
    let numbers = reversed ? Array((0...number).reversed()) : Array(number..<count)
    return Array(numbers.lazy.filter { value($0) != nil }.prefix(3))
  }
}

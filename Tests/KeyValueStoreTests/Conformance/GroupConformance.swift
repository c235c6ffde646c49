import KeyValueStore
import Testing

@Suite("A group of writes, on every engine")
struct GroupConformance {
  private struct Refusal: Error {}

  @Test(arguments: EngineKind.allCases)
  func `is visible whole after it ends and not before`(kind: EngineKind) throws {
    let test = EngineUnderTest(kind)
    try test.run { engine in
      try engine.put([("a", "1")])
      try engine.write { group in
        try group.put(bytes("a"), bytes("2"))
        try group.put(bytes("b"), bytes("3"))
        try #expect(engine.contents() == [Pair("a", "1")])
      }
      try #expect(engine.contents() == [Pair("a", "2"), Pair("b", "3")])
    }
    try test.run { try #expect($0.contents() == [Pair("a", "2"), Pair("b", "3")]) }
  }

  @Test(arguments: EngineKind.allCases)
  func `that throws writes nothing`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put([("a", "1")])
      #expect(throws: Refusal.self) {
        try engine.write { group in
          _ = try group.allocateVersion()
          try group.delete(bytes("a"))
          throw Refusal()
        }
      }
      try #expect(engine.contents() == [Pair("a", "1")])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `sees its own writes in gets and both ways in scans`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put([("a", "1"), ("b", "2"), ("d", "4")])
      try engine.write { group in
        try group.put(bytes("c"), bytes("3"))
        try group.delete(bytes("b"))
        try group.put(bytes("d"), bytes("5"))
        try #expect(group.get(bytes("b")) == nil)
        try #expect(group.get(bytes("d")) == bytes("5"))
        let expected = [Pair("a", "1"), Pair("c", "3"), Pair("d", "5")]
        try #expect(group.pairs() == expected)
        try #expect(group.pairs(reversed: true) == expected.reversed())
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `rolls back to nested savepoints one by one`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put([("a", "0")])
      try engine.write { group in
        try group.setSavepoint()
        try group.put(bytes("a"), bytes("1"))
        try group.setSavepoint()
        try group.put(bytes("a"), bytes("2"))
        try group.put(bytes("b"), bytes("2"))
        try #expect(group.pairs() == [Pair("a", "2"), Pair("b", "2")])
        try group.rollbackToSavepoint()
        try #expect(group.pairs() == [Pair("a", "1")])
        try group.put(bytes("c"), bytes("1"))
        try group.rollbackToSavepoint()
        try #expect(group.pairs() == [Pair("a", "0")])
        try group.put(bytes("d"), bytes("3"))
      }
      try #expect(engine.contents() == [Pair("a", "0"), Pair("d", "3")])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `refuses empty values`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.write { group in
        #expect(throws: KeyValueError.self) { try group.put([1], []) }
        try group.put([2], [0])
      }
      try #expect(engine.contents() == [Pair([2], [0])])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `keeps what a released savepoint covered, until an outer rollback`(
    kind: EngineKind
  ) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.write { group in
        try group.put(bytes("a"), bytes("0"))
        try group.setSavepoint()
        try group.put(bytes("b"), bytes("1"))
        try group.setSavepoint()
        try group.put(bytes("c"), bytes("2"))
        try group.releaseSavepoint()
        try group.setSavepoint()
        try group.put(bytes("d"), bytes("3"))
        try group.rollbackToSavepoint()
        try #expect(group.pairs().map(\.key) == [bytes("a"), bytes("b"), bytes("c")])
        try group.rollbackToSavepoint()
        try #expect(group.pairs() == [Pair("a", "0")])
      }
      try #expect(engine.contents() == [Pair("a", "0")])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `refuses a rollback or release without a savepoint`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.write { group in
        #expect(throws: KeyValueError.self) { try group.rollbackToSavepoint() }
        try group.setSavepoint()
        try group.releaseSavepoint()
        #expect(throws: KeyValueError.self) { try group.rollbackToSavepoint() }
        #expect(throws: KeyValueError.self) { try group.releaseSavepoint() }
        try group.put(bytes("a"), bytes("1"))
      }
      try #expect(engine.contents() == [Pair("a", "1")])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `refuses keys that are the engine's own`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.write { group in
        for key in [[], [0], [0, 1], [0, 1, 2]] as [[UInt8]] {
          #expect(throws: KeyValueError.self) { try group.put(key, [1]) }
          #expect(throws: KeyValueError.self) { try group.delete(key) }
        }
        _ = try group.allocateVersion()
        try group.put([1], [7])
      }
      try #expect(engine.contents() == [Pair([1], [7])])
      try #expect(engine.read { try $0.pairs(reversed: true) } == [Pair([1], [7])])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `keeps markers, long values and every byte`(kind: EngineKind) throws {
    let test = EngineUnderTest(kind)
    let long = [UInt8](repeating: 0xA5, count: 3 << 20)
    let all = [UInt8](1...255) + [0, 0xFF, 0]
    try test.run { engine in
      try engine.write { group in
        try group.put(all, long)
        try group.putMarker([0xFF, 0xFF])
      }
    }
    try test.run { engine in
      try #expect(engine.contents() == [Pair(all, long), Pair([0xFF, 0xFF], [0])])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `waits for the one before it`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      let counter = bytes("counter")
      try concurrently(4) { _ in
        for _ in 0..<50 {
          try engine.write { group in
            let seen = try group.get(counter).map { Int64(bigEndian: $0) } ?? 0
            try group.put(counter, withUnsafeBytes(of: (seen + 1).bigEndian) { Array($0) })
          }
        }
      }
      try #expect(engine.read { try $0.get(counter) }.map { Int64(bigEndian: $0) } == 200)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `is refused by a closed engine`(kind: EngineKind) throws {
    let engine = try EngineUnderTest(kind).open()
    try engine.close()
    #expect(throws: KeyValueError.self) { try engine.write { try $0.put([1], [1]) } }
    #expect(throws: KeyValueError.self) { try engine.read { try $0.get([1]) } }
    #expect(throws: KeyValueError.self) { try engine.get([1], cachedOnly: true) }
    try engine.close()
  }
}

extension Int64 {
  fileprivate init(bigEndian bytes: [UInt8]) {
    self = bytes.reduce(0) { $0 << 8 | Int64($1) }
  }
}

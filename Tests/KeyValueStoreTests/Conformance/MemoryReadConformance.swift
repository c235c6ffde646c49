import KeyValueStore
import PostgresTestSupport
import Testing

@Suite("Reads that may not touch the disk, on every engine")
struct MemoryReadConformance {
  @Test(arguments: EngineKind.withMemory)
  func `what memory holds is found as a view finds it`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put([("a", "1"), ("b", "2"), ("c", "3")])
      let found = try engine.readInMemory(steps: 5) { view in
        let cursor = try view.cursor(over: KeyRange(prefix: []), reversed: true)
        #expect(try cursor.next())
        #expect(Array(cursor.key) == bytes("c"))
        #expect(try cursor.seek(bytes("a")))
        #expect(try view.get(bytes("x")) == nil)
        return try view.get(bytes("b"))
      }
      #expect(found == bytes("2"))
    }
  }

  @Test(arguments: EngineKind.withMemory)
  func `one step too many is no answer`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put([("a", "1"), ("b", "2")])
      let twoOfTwo = try engine.readInMemory(steps: 2) { view in
        _ = try view.get(bytes("a"))
        return try view.get(bytes("b"))
      }
      #expect(twoOfTwo == bytes("2"))
      let threeOfTwo = try engine.readInMemory(steps: 2) { view in
        let cursor = try view.cursor(over: KeyRange(prefix: []), reversed: false)
        while try cursor.next() {}
        return true
      }
      #expect(threeOfTwo == nil)
    }
  }

  @Test(arguments: EngineKind.withMemory)
  func `a view in memory has a view's read time`(kind: EngineKind) throws {
    let test = EngineUnderTest(kind)
    try test.run { engine in
      try engine.write { group in
        _ = try group.allocateVersion()
        try group.putMarker(bytes("a"))
      }
      test.clock.advance(by: 10)
      let time = try engine.readInMemory(steps: 0) { try $0.readTime() }
      #expect(time == test.clock.clock.now())
    }
  }

  @Test(.enabled(if: PostgresServer.isInstalled, Comment(rawValue: PostgresServer.missing)))
  func `an engine without memory says that it does not know`() throws {
    try EngineUnderTest(.postgres).run { engine in
      try engine.put([("a", "1")])
      let found = try engine.readInMemory(steps: 5) { try $0.get(bytes("a")) }
      #expect(found == nil)
      let time = try engine.readInMemory(steps: 5) { try $0.readTime() }
      #expect(time == nil)
      try #expect(!engine.get(bytes("a"), cachedOnly: true).isComplete)
      try engine.read { view in try #expect(!view.getCached(bytes("a")).isComplete) }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `a group reads its own writes, however it went before`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put([("a", "1"), ("b", "2"), ("d", "4")])
      try engine.write { group in
        try group.put(bytes("c"), bytes("3"))
        try group.delete(bytes("b"))
        #expect(try group.get(bytes("a")) == bytes("1"))
        #expect(try group.get(bytes("b")) == nil)
        try group.put(bytes("a"), bytes("one"))
        let cursor = try group.cursor(over: KeyRange(prefix: []), reversed: false)
        var seen: [[UInt8]] = []
        while try cursor.next() { seen.append(Array(cursor.key) + Array(cursor.value)) }
        #expect(seen == ["aone", "c3", "d4"].map(bytes))
        try group.setSavepoint()
        try group.put(bytes("a"), bytes("never"))
        try group.rollbackToSavepoint()
      }
      #expect(try engine.read { try $0.get(bytes("a")) } == bytes("one"))
      #expect(try engine.read { try $0.get(bytes("b")) } == nil)
    }
  }
}

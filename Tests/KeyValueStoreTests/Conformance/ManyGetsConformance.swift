import KeyValueStore
import Testing

@Suite("Gets of many keys, on every engine")
struct ManyGetsConformance {
  private static let keys = ["b", "x", "a", "b", "deleted", "d"].map(bytes)

  @Test(arguments: EngineKind.allCases)
  func `answer for each key what a get of it alone does, in views and groups`(
    kind: EngineKind
  ) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put([("a", "1"), ("b", "2"), ("d", "4"), ("deleted", "0")])
      try engine.write { try $0.delete(bytes("deleted")) }
      let values = ["2", nil, "1", "2", nil, "4"].map { $0.map(bytes) }
      try engine.read { view in
        try #expect(view.get(Self.keys).map { try $0.get() } == values)
        try #expect(view.get([[UInt8]]()).isEmpty)
      }
      try engine.write { group in
        try group.put(bytes("x"), bytes("9"))
        try group.delete(bytes("a"))
        let changed = ["2", "9", nil, "2", nil, "4"].map { $0.map(bytes) }
        try #expect(group.get(Self.keys).map { try $0.get() } == changed)
      }
    }
  }

  @Test(arguments: EngineKind.withMemory)
  func `say for each key whether memory was enough`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put([("a", "1"), ("b", "2")])
      let known = try engine.readInMemory(steps: 2) { view in
        try view.get(["a", "b", "c"].map(bytes)).map { result in
          do {
            return try result.get() != nil
          } catch is NotInMemory {
            return false
          }
        }
      }
      #expect(known == [true, true, false])
    }
  }
}

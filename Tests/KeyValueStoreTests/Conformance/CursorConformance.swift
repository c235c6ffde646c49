import KeyValueStore
import Testing

@Suite("A cursor, on every engine")
struct CursorConformance {
  private static let pairs = [("b", "1"), ("d", "2"), ("d1", "3"), ("f", "4")]

  struct Scan: Sendable, CustomTestStringConvertible {
    let lower: String
    let upper: String?
    let found: String

    var testDescription: String { "\(lower)..<\(upper ?? "end")" }
  }

  static let scans = [
    Scan(lower: "", upper: nil, found: "b d d1 f"),
    Scan(lower: "b", upper: "f", found: "b d d1"),
    Scan(lower: "c", upper: "d1", found: "d"),
    Scan(lower: "c", upper: "d0", found: "d"),
    Scan(lower: "d", upper: "d", found: ""),
    Scan(lower: "e", upper: "c", found: ""),
    Scan(lower: "f", upper: nil, found: "f"),
    Scan(lower: "g", upper: nil, found: ""),
    Scan(lower: "", upper: "b", found: ""),
  ]

  @Test(arguments: EngineKind.allCases, scans)
  func `walks a range both ways, in views and groups`(kind: EngineKind, scan: Scan) throws {
    let range = KeyRange(lower: bytes(scan.lower), upper: scan.upper.map(bytes))
    let expected = scan.found.split(separator: " ").map { bytes(String($0)) }
    try EngineUnderTest(kind).run { engine in
      try engine.put(Self.pairs)
      try engine.read { view in
        try #expect(view.pairs(range).map(\.key) == expected)
        try #expect(view.pairs(range, reversed: true).map(\.key) == expected.reversed())
      }
    }
    try EngineUnderTest(kind).run { engine in
      try engine.put([("b", "1"), ("d1", "0"), ("e", "9")])
      try engine.write { group in
        try group.delete(bytes("e"))
        for (key, value) in Self.pairs.dropFirst() {
          try group.put(bytes(key), bytes(value))
        }
        try #expect(group.pairs(range).map(\.key) == expected)
        try #expect(group.pairs(range, reversed: true).map(\.key) == expected.reversed())
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `seeks to a key or beyond it within its range`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put(Self.pairs)
      try engine.read { view in
        let range = KeyRange(lower: bytes("c"), upper: bytes("f"))
        let up = try view.cursor(over: range, reversed: false)
        try #expect(Self.seeks(up, ["a", "d", "d0", "c", "e"]) == ["d", "d", "d1", "d", nil])
        let down = try view.cursor(over: range, reversed: true)
        try #expect(Self.seeks(down, ["z", "f", "d", "d0", "c"]) == ["d1", "d1", "d", "d", nil])
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `goes on from where it sought and stays at its end`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put(Self.pairs)
      try engine.read { view in
        let cursor = try view.cursor(over: KeyRange(lower: [], upper: nil), reversed: false)
        try #expect(cursor.seek(bytes("c")))
        #expect(cursor.pair == Pair("d", "2"))
        try #expect(cursor.next())
        #expect(cursor.pair == Pair("d1", "3"))
        try #expect(cursor.next())
        try #expect(!cursor.next())
        try #expect(!cursor.next())
        try #expect(cursor.seek(bytes("b")))
        #expect(cursor.pair == Pair("b", "1"))
      }
    }
  }

  @Test(arguments: EngineKind.allCases, [false, true])
  func `follows its group's writes, the deletion of its own key included`(
    kind: EngineKind,
    reversed: Bool
  ) throws {
    try EngineUnderTest(kind).run { engine in
      let keys = (10..<40).map { "k\($0)" }
      try engine.put(keys.map { ($0, "v") })
      try engine.write { group in
        let range = KeyRange(prefix: bytes("k"))
        let cursor = try group.cursor(over: range, reversed: reversed)
        var seen: [[UInt8]] = []
        while try cursor.next() {
          let key = Array(cursor.key)
          seen.append(key)
          try group.delete(key)
          try group.put(bytes("l") + key, [1])
        }
        let expected = keys.map(bytes)
        #expect(seen == (reversed ? expected.reversed() : expected))
        try #expect(group.pairs(range).isEmpty)
      }
      try #expect(engine.contents().count == 30)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `sees what its group adds ahead of it and rolls back beneath it`(
    kind: EngineKind
  ) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put([("a", "0"), ("m", "0")])
      try engine.write { group in
        let cursor = try group.cursor(over: KeyRange(lower: [], upper: nil), reversed: false)
        try #expect(cursor.next())
        try group.setSavepoint()
        try group.put(bytes("c"), bytes("1"))
        try #expect(cursor.next())
        #expect(cursor.pair == Pair("c", "1"))
        try group.rollbackToSavepoint()
        try #expect(cursor.next())
        #expect(cursor.pair == Pair("m", "0"))
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `of a view does not see later groups`(kind: EngineKind) throws {
    try EngineUnderTest(kind).run { engine in
      try engine.put(Self.pairs)
      try engine.read { view in
        let cursor = try view.cursor(over: KeyRange(lower: [], upper: nil), reversed: false)
        try #expect(cursor.next())
        try engine.write { group in
          try group.delete(bytes("d"))
          try group.put(bytes("c"), bytes("9"))
        }
        try #expect(cursor.next())
        #expect(cursor.pair == Pair("d", "2"))
        try #expect(view.get(bytes("c")) == nil)
      }
    }
  }

  private static func seeks(
    _ cursor: any KeyValueCursor,
    _ keys: [String]
  ) throws -> [String?] {
    try keys.map { key in
      try cursor.seek(bytes(key)) ? String(decoding: cursor.key, as: UTF8.self) : nil
    }
  }
}

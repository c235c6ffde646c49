import KeyValueStore
import ModelTestSupport
import PostgresTestSupport
import Testing

@testable import KeyValuePostgres

@Suite(
  "What the tables hold",
  .enabled(if: PostgresServer.isInstalled, Comment(rawValue: PostgresServer.missing))
)
struct TableTests {
  /// Keys that share their first bytes, some longer than an index takes.
  @Test(arguments: [1, 2, UInt64.random(in: 3...UInt64.max)])
  func `long keys lie among short ones as they sort`(seed: UInt64) throws {
    print("long keys, seed \(seed)")
    var generator = SeededSource(seed: seed)
    let engine = try PostgresStore().open()
    let model = MemoryEngine()
    for round in 0..<12 {
      let keys = (0..<12).map { _ in Self.randomKey(&generator) }
      for store in [engine, model] as [any KeyValueEngine] {
        try store.write { group in
          for (number, key) in keys.enumerated() {
            if number % 4 == 3 {
              try group.delete(key)
            } else {
              try group.put(key, [UInt8(number + 1)])
            }
          }
          if round % 5 == 4 { try group.delete(keys[0]) }
        }
      }
      for reversed in [false, true] {
        try #expect(
          engine.keys(reversed: reversed) == model.keys(reversed: reversed),
          "seed \(seed)"
        )
      }
      let expected = try model.read { view in try view.get(keys).map { try $0.get() } }
      let found = try engine.read { view in try view.get(keys).map { try $0.get() } }
      #expect(found == expected, "seed \(seed)")
      let (low, high) = (Self.randomKey(&generator), Self.randomKey(&generator))
      try #expect(Self.walk(engine, low, high) == Self.walk(model, low, high), "seed \(seed)")
      try #expect(engine.write { try $0.get(keys[1]) } == model.read { try $0.get(keys[1]) })
    }
    try engine.close()
  }

  /// A walk that begins anew at keys of its own, so that pages are left and come back to.
  private static func walk(
    _ engine: any KeyValueEngine,
    _ first: [UInt8],
    _ second: [UInt8]
  ) throws -> [[UInt8]] {
    try engine.read { view in
      var seen: [[UInt8]] = []
      for reversed in [false, true] {
        let cursor = try view.cursor(over: KeyRange(prefix: [1]), reversed: reversed)
        for target in [first, second, first] {
          guard try cursor.seek(target) else { continue }
          repeat { seen.append(Array(cursor.key)) } while try seen.count % 7 != 0 && cursor.next()
        }
      }
      return seen
    }
  }

  private static func randomKey(_ generator: inout SeededSource) -> [UInt8] {
    let length = [1, 3, 1_990, 2_000, 2_001, 2_700, 9_000].randomElement(using: &generator) ?? 1
    let filler = UInt8.random(in: 7...8, using: &generator)
    return [1] + [UInt8](repeating: filler, count: length)
      + [UInt8.random(in: 0...3, using: &generator)]
  }

  @Test(arguments: [false, true])
  func `pages end where rows or bytes are many`(reversed: Bool) throws {
    let engine = try PostgresStore().open()
    let keys = (10_000..<13_000).map { bytes("k\($0)") }
    try engine.write { group in
      for (number, key) in keys.enumerated() {
        try group.put(key, [UInt8](repeating: 7, count: number % 100 == 50 ? 400_000 : 10))
      }
    }
    try #expect(engine.keys(reversed: reversed) == (reversed ? keys.reversed() : keys))
    try engine.close()
  }

  @Test func `a view keeps its state while many pages are read`() throws {
    let engine = try PostgresStore().open()
    try engine.write { group in
      for number in 1_000..<2_000 { try group.putMarker(bytes("k\(number)")) }
    }
    try engine.read { view in
      let cursor = try view.cursor(over: KeyRange(prefix: bytes("k")), reversed: false)
      var count = 0
      while try cursor.next() {
        count += 1
        if count == 10 { try engine.write { try $0.delete(bytes("k1999")) } }
      }
      #expect(count == 1_000)
    }
    try engine.close()
  }

  @Test func `tables of a newer program are refused`() throws {
    let store = try PostgresStore()
    try store.open().close()
    try store.run("UPDATE \(store.schema).timeline SET format = format + 1")
    let error = #expect(throws: KeyValueError.self) { try store.open() }
    #expect(error?.code == .newerFormat)
  }

  @Test func `a schema is taken by whoever owns it and may make none`() throws {
    let store = try PostgresStore()
    let role = "owner_of_\(store.schema)"
    try store.run("CREATE ROLE \(role); CREATE SCHEMA \(store.schema) AUTHORIZATION \(role)")
    var configuration = store.configuration()
    let separator = configuration.address.contains("?") ? "&" : "?"
    configuration.address += "\(separator)options=-c%20role%3D\(role)"
    let engine = try PostgresEngine(configuration)
    try engine.write { try $0.put(bytes("a"), bytes("1")) }
    try engine.close()
    try #expect(
      store.run(
        "SELECT count(*) FROM pg_tables WHERE schemaname = '\(store.schema)' AND tableowner <> '\(role)'"
      ).number(0, 0) == 0
    )
  }

  @Test func `engines that begin at the same time make the tables once`() throws {
    let store = try PostgresStore()
    let writers = try (0..<3).map { _ in try store.startWriter("count", "1") }
    for writer in writers { #expect(writer.finish().count == 1) }
    let engine = try store.open()
    try #expect(SharedCounter.value(engine) == 3)
    try engine.close()
  }

  @Test(arguments: [
    (
      "postgres://ana:secret@db.example:5432/app?sslmode=require",
      "postgres://ana@db.example:5432/app"
    ),
    ("postgres://db.example/app", "postgres://db.example/app"),
    ("postgres:///app?host=/run&user=ana&password=secret", "postgres:///app"),
    ("postgres://ana:se?cret@db.example/app?sslmode=require", "postgres://ana@db.example/app"),
    ("postgres://ana:secret@[2001:db8::1]:5432/app", "postgres://ana@[2001:db8::1]:5432/app"),
    ("postgres://a.example:1,b.example/app?user=x@y", "postgres://a.example:1,b.example/app"),
    ("postgres://ana:sec%40ret@%2Frun/app", "postgres://ana@%2Frun/app"),
    ("postgres://ana:sec@ret@db.example/app", "postgres://…"),
    ("postgres://ana:sec/ret@db.example/app", "postgres://…"),
    ("postgres://ana:sec%ret@db.example/app", "postgres://…"),
    ("postgres://ana:sec?r/et@db.example/app", "postgres://…"),
  ])
  func `no password is shown`(address: String, shown: String) {
    let configuration = PostgresConfiguration(address: address)
    #expect(configuration.shownAddress == shown)
    guard !configuration.isClear else { return }
    let error = #expect(throws: KeyValueError.self) { try PostgresEngine(configuration) }
    #expect(error?.code == .misuse && error?.message.contains("ret") == false)
  }
}

import BaseText
import CacheTestSupport
import DocumentCodec
import FirestoreModel
import ModelTestSupport
import Testing

@testable import FirestoreSync

/// Queries find the same with indexes and without, whatever happened to the documents before.
struct FieldIndexTests {
  @Test(arguments: LocalStoreTests.Kind.allCases)
  func `random queries find the same with indexes and without`(kind: LocalStoreTests.Kind) throws {
    var usedCount = 0
    for seed in 1...(kind == .memory ? 40 : 15) {
      let file = try CacheFile()
      defer { file.remove() }
      let store: any LocalStore = kind == .memory ? MemoryLocalStore() : try file.open()
      var trial = try IndexTrial(seed: UInt64(seed), store)
      usedCount += try trial.run()
    }
    #expect(usedCount > 100)
  }

  @Test(arguments: LocalStoreTests.Kind.allCases)
  func `a query that reads much for little gets an index`(kind: LocalStoreTests.Kind) throws {
    let file = try CacheFile()
    defer { file.remove() }
    let store: any LocalStore = kind == .memory ? MemoryLocalStore() : try file.open()
    let engine = try IndexTrial.engine(store)
    try engine.cache.transaction(.applyRemoteEvent) {
      try engine.cache.saveDocuments((0..<450).map { Self.document($0, group: $0 / 3) })
    }
    var query = Query(scope: .collection("c"))
    query.filter = .field(FieldPath(["group"]), .equal, .integer(7))
    let listened = try ListenQuery(query)
    #expect(try engine.cachedResults(listened).documents.count == 3)
    #expect(!engine.hasUnfinishedIndexes)
    engine.setMakesIndexes(true)
    #expect(try engine.cachedResults(listened).documents.count == 3)
    #expect(engine.hasUnfinishedIndexes)
    var steps = 0
    while engine.hasUnfinishedIndexes {
      #expect(try Self.indexed(listened, engine) == nil)
      try engine.fillIndexes()
      steps += 1
    }
    #expect(steps == 4)
    #expect(try Self.indexed(listened, engine)?.count == 3)
    // Another engine over the same store knows it.
    #expect(try Self.indexed(listened, IndexTrial.engine(store))?.count == 3)
    try engine.configureIndexes([])
    #expect(try Self.indexed(listened, engine) == nil)
    #expect(try store.transaction(.start) { try store.fieldIndexes() }.isEmpty)
  }

  @Test func `an index is filled on after the file was closed`() throws {
    let file = try CacheFile()
    defer { file.remove() }
    let definition = try #require(
      FieldIndex.Definition("c", [FieldIndex.Field(FieldPath(["group"]), .ascending)])
    )
    do {
      let engine = try IndexTrial.engine(try file.open())
      try engine.cache.transaction(.applyRemoteEvent) {
        try engine.cache.saveDocuments((0..<300).map { Self.document($0, group: 1) })
      }
      try engine.configureIndexes([definition])
      try engine.fillIndexes()
    }
    let engine = try IndexTrial.engine(try file.open())
    #expect(engine.hasUnfinishedIndexes)
    while engine.hasUnfinishedIndexes { try engine.fillIndexes() }
    var query = Query(scope: .collection("c"))
    query.filter = .field(FieldPath(["group"]), .equal, .integer(1))
    #expect(try Self.indexed(try ListenQuery(query), engine)?.count == 300)
  }

  private static func indexed(_ query: ListenQuery, _ engine: SyncEngine) throws -> Documents? {
    try engine.cache.transaction(.executeQuery) { try engine.cache.indexedResults(query) }
  }

  private static func document(_ number: Int, group: Int) -> CachedDocument {
    IndexTrial.document(
      ResourcePath(["c", Text("d\(number)")]),
      MapValue([MapValue.Entry(key: "group", value: .integer(Int64(group)))])
    )
  }
}

/// Two engines that are told the same, of which one has indexes.
private struct IndexTrial {
  private static let database = DatabaseID(project: "p")
  private static let fields = ["a", "b", "m.x", "t"]

  private var random: RandomValues
  private let indexed: SyncEngine
  private let plain: SyncEngine
  private var time: Int64 = 1

  init(seed: UInt64, _ store: any LocalStore) throws {
    random = RandomValues(seed: seed)
    indexed = try Self.engine(store)
    plain = try Self.engine(MemoryLocalStore())
  }

  static func engine(_ store: any LocalStore) throws -> SyncEngine {
    try SyncEngine(.init(database: database, policy: .leastRecentlyUsed), store: store)
  }

  static func document(_ path: ResourcePath, _ fields: MapValue) -> CachedDocument {
    CachedDocument(
      name: DocumentName(database: database, path: path),
      content: .found(DocumentFields(encoding: fields)),
      version: CommitVersion(microseconds: 1),
      readTime: CommitVersion(microseconds: 1)
    )
  }

  /// Returns for how many queries there was an index.
  mutating func run() throws -> Int {
    var usedCount = 0
    try change()
    try indexed.configureIndexes((0..<6).compactMap { _ in definition() })
    for _ in 0..<4 {
      while indexed.hasUnfinishedIndexes, random.int(0..<6) > 0 { try indexed.fillIndexes() }
      try change()
      while indexed.hasUnfinishedIndexes { try indexed.fillIndexes() }
      for _ in 0..<25 { usedCount += try compare() ? 1 : 0 }
    }
    return usedCount
  }

  private mutating func compare() throws -> Bool {
    guard let query = query() else { return false }
    let found = try indexed.cachedResults(query).documents.map { "\($0.path.string) \($0.content)" }
    let expected = try plain.cachedResults(query).documents.map {
      "\($0.path.string) \($0.content)"
    }
    #expect(found == expected, "\(query)")
    return try indexed.cache.transaction(.executeQuery) {
      try indexed.cache.indexedResults(query) != nil
    }
  }

  // MARK: Documents

  /// Saves, removes and writes some documents.
  private mutating func change() throws {
    let saved = (0..<60).map { _ in Self.document(path(), map()) }
    let removed = Set((0..<5).map { _ in path() })
    let written = (0..<4).map { _ in
      Write(
        name: DocumentName(database: Self.database, path: path()),
        operation: .update(DocumentFields(encoding: map()), mask: nil)
      )
    }
    time += 1
    for engine in [indexed, plain] {
      try engine.cache.transaction(.applyRemoteEvent) {
        try engine.cache.saveDocuments(saved)
        try engine.cache.removeDocuments(removed)
      }
      _ = engine.handle(
        .write(Int(time), written, localWriteTime: Timestamp(microseconds: time))
      )
    }
  }

  private mutating func path() -> ResourcePath {
    let id = Text("d\(random.int(0..<81))")
    return random.int(0..<5) == 0 ? ResourcePath(["x", "y", "c", id]) : ResourcePath(["c", id])
  }

  private mutating func map() -> MapValue {
    var map = MapValue()
    for field in Self.fields where random.int(0..<7) > 0 {
      map.set(value(), at: FieldPath(field.split(separator: ".").map { Text(String($0)) }))
    }
    return map
  }

  private mutating func value() -> Value {
    let few: [Value] = [
      .integer(1), .integer(2), .double(1), .double(1.5), .double(.nan), .null, .string("a"),
      .string("b"), .string(""), .boolean(true), .integer(-3), .double(-0.0), .integer(0),
    ]
    switch random.int(0..<10) {
    case 0: return random.value()
    case 1, 2: return .array((0...random.int(0..<4)).map { _ in few[random.int(0..<13)] })
    default: return few[random.int(0..<13)]
    }
  }

  private mutating func field() -> FieldPath {
    let name = Self.fields[random.int(0..<4)]
    return FieldPath(name.split(separator: ".").map { Text(String($0)) })
  }

  private mutating func definition() -> FieldIndex.Definition? {
    let kinds: [FieldIndex.Kind] = [.ascending, .descending, .contains]
    return FieldIndex.Definition(
      "c",
      (0...random.int(0..<3)).map { _ in FieldIndex.Field(field(), kinds[random.int(0..<3)]) }
    )
  }

  // MARK: Queries

  /// A random query; nil for one that Firestore refuses.
  private mutating func query() -> ListenQuery? {
    var query = Query(scope: random.int(0..<4) == 0 ? .collectionGroup("c") : .collection("c"))
    let filters = (0...random.int(0..<3)).map { _ in filter() }
    query.filter =
      filters.count == 1 ? filters[0] : random.int(0..<4) == 0 ? .or(filters) : .and(filters)
    for _ in 0..<random.int(0..<3) {
      query.orders.append(Order(field(), random.bool() ? .ascending : .descending))
    }
    if random.bool() { query.limit = random.int(1..<7) }
    if random.int(0..<5) == 0, !query.orders.isEmpty {
      query.start = Cursor(values: [value()], before: random.bool())
    }
    do {
      return try ListenQuery(query, limitType: random.bool() ? .first : .last)
    } catch {
      return nil
    }
  }

  private mutating func filter() -> Filter {
    let field = field()
    switch random.int(0..<10) {
    case 0: return .field(field, .lessThan, value())
    case 1: return .field(field, .greaterThanOrEqual, value())
    case 2: return .field(field, .lessThanOrEqual, value())
    case 3: return .field(field, .greaterThan, value())
    case 4: return .field(field, .notEqual, value())
    case 5: return .field(field, .in, .array([value(), value()]))
    case 6: return .field(field, .arrayContains, value())
    case 7: return .field(field, .arrayContainsAny, .array([value(), value()]))
    default: return .field(field, .equal, value())
    }
  }
}

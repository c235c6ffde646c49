import BaseText
import CacheTestSupport
import DocumentCodec
import FirestoreModel
import FirestoreSync
import Foundation

// What the engine takes over a durable cache: a line a measure. Build it in release mode.

let file = try CacheFile()
defer { file.remove() }
var benchmark = CacheBenchmark(file)
try benchmark.run()

/// An engine over a file, without a network.
struct CacheBenchmark {
  private let file: CacheFile
  private let clock = ContinuousClock()
  private var nextID = 1

  init(_ file: CacheFile) { self.file = file }

  mutating func run() throws {
    try fill("large", 100_000)
    try fill("middle", 10_000)
    try fill("small", 1_000)
    try measureStart()
    try measureFirstSnapshot()
    try measureScan()
    try measureWrites()
    try measureAcknowledgements(documents: 1_000)
    try measureAcknowledgements(documents: 1)
  }

  private func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  // MARK: What is cached

  private func document(_ collection: Text, _ number: Int) -> CachedDocument {
    let path = ResourcePath([collection, Text("product-\(number)")])
    return CachedDocument(
      name: DocumentName(database: file.database, path: path),
      content: .found(DocumentFields(encoding: fields(number))),
      version: CommitVersion(microseconds: 1_000),
      createTime: CommitVersion(microseconds: 1_000),
      readTime: CommitVersion(microseconds: 1_000)
    )
  }

  private func fields(_ number: Int) -> MapValue {
    MapValue([
      MapValue.Entry(key: "group", value: .integer(Int64(number / 20))),
      MapValue.Entry(key: "name", value: .string(Text("Product \(number)"))),
      MapValue.Entry(key: "price", value: .double(Double(number % 977) + 0.99)),
      MapValue.Entry(key: "text", value: .string(Text(String(repeating: "words ", count: 87)))),
    ])
  }

  private func fill(_ collection: Text, _ count: Int) throws {
    let store = try file.open()
    let took = try clock.measure {
      for start in stride(from: 0, to: count, by: 10_000) {
        try store.transaction(.applyRemoteEvent) {
          try store.save((start..<min(start + 10_000, count)).map { document(collection, $0) })
        }
      }
    }
    say("store \(count) documents of 600 bytes: \(took)")
  }

  // MARK: Measures

  /// A new engine over the reopened file, without a network.
  private func engine() throws -> SyncEngine {
    let configuration = SyncEngine.Configuration(
      database: file.database,
      policy: .leastRecentlyUsed
    )
    let engine = try SyncEngine(configuration, store: try file.open())
    _ = engine.handle(.disableNetwork)
    return engine
  }

  private mutating func listen(_ engine: SyncEngine, _ query: ListenQuery) -> Int {
    nextID += 1
    var count = 0
    for effect in engine.handle(.listen(nextID, query, ListenOptions())) {
      if case .snapshot(_, let snapshot) = effect { count = snapshot.documents.count }
    }
    return count
  }

  private func query(_ collection: Text, group: Int) throws -> ListenQuery {
    var query = Query(scope: .collection(collection))
    query.filter = .field(FieldPath(["group"]), .equal, .integer(Int64(group)))
    return try ListenQuery(query)
  }

  /// From nothing to the first snapshot of a query that was listened to in an earlier life.
  private mutating func measureStart() throws {
    let query = try query("large", group: 77)
    let store = try file.open()
    try store.transaction(.allocateTarget) {
      var data = TargetData(target: query.target, id: 2, sequenceNumber: 1)
      data.resumeToken = [1]
      data.snapshotVersion = CommitVersion(microseconds: 2_000)
      data.lastLimboFreeVersion = CommitVersion(microseconds: 2_000)
      try store.save(data)
      try store.addKeys(
        (77 * 20..<78 * 20).map { document("large", $0).path },
        toTarget: 2
      )
      var globals = try store.globals()
      globals.highestTargetID = 2
      try store.save(globals)
    }
    try file.close()
    var count = 0
    let took = try clock.measure { count = listen(try engine(), query) }
    say("start with 111,000 cached documents to a first snapshot of \(count): \(took)")
  }

  private mutating func measureFirstSnapshot() throws {
    for _ in 0..<3 {
      let engine = try engine()
      let query = try ListenQuery(Query(scope: .collection("middle")))
      var count = 0
      let took = clock.measure { count = listen(engine, query) }
      say("first snapshot of \(count) documents from the cache: \(took)")
    }
  }

  private mutating func measureScan() throws {
    let engine = try engine()
    for group in [4_000, 4_001] {
      let query = try query("large", group: group)
      var count = 0
      let took = clock.measure { count = listen(engine, query) }
      say("query of \(count) among 100,000 without an index: \(took)")
    }
  }

  private func set(_ path: ResourcePath, _ number: Int) -> Write {
    Write(
      name: DocumentName(database: file.database, path: path),
      operation: .update(DocumentFields(encoding: fields(number)), mask: nil)
    )
  }

  private mutating func measureWrites() throws {
    let engine = try engine()
    _ = listen(engine, try ListenQuery(Query(scope: .collection("small"))))
    var times: [Duration] = []
    for number in 0..<500 {
      let write = set(ResourcePath(["small", Text("product-\(number)")]), number + 5)
      times.append(
        clock.measure {
          _ = engine.handle(.write(number, [write], localWriteTime: Timestamp(microseconds: 0)))
        }
      )
    }
    times.sort()
    say("a set to its snapshot, 1,000 documents listened to: p50 \(times[250]) p99 \(times[495])")
  }

  private mutating func measureAcknowledgements(documents: Int) throws {
    let engine = try engine()
    _ = engine.handle(.changeUser("acknowledged \(documents)"))
    for number in 0..<1_000 {
      let write = set(ResourcePath(["queued", Text("\(number % documents)")]), number)
      _ = engine.handle(.write(number, [write], localWriteTime: Timestamp(microseconds: 0)))
    }
    var stream = 0
    for effect in engine.handle(.enableNetwork) {
      if case .openWrite(let id) = effect { stream = id }
    }
    _ = engine.handle(.writeOpened(stream))
    _ = engine.handle(.writeShaken(stream, token: [1]))
    let took = clock.measure {
      for number in 0..<1_000 {
        let version = CommitVersion(microseconds: 10_000 + Int64(number))
        _ = engine.handle(
          .writeAcknowledged(
            stream,
            token: [1],
            commitVersion: version,
            results: [WriteResult(updateTime: version)]
          )
        )
      }
    }
    say("1,000 acknowledgements of \(documents) documents: \(took)")
  }
}

import BaseText
import CacheTestSupport
import DocumentCodec
import FirestoreModel
import FirestoreSync
import Testing

/// The least recently used go, over both stores; in files over restarts too.
struct GarbageCollectionTests {
  private static let all = CollectionParameters(threshold: 0, percentile: 100)

  @Test(arguments: LocalStoreTests.Kind.allCases)
  func `what is listened to or written stays, all else goes`(kind: LocalStoreTests.Kind) throws {
    let client = try CollectionClient(kind)
    defer { client.remove() }
    let old = try client.listen("old", documents: ["a", "b"])
    try client.listen("shown", documents: ["c"])
    client.write("old/b")
    client.unlisten(old)
    #expect(client.collect(Self.all) == CollectionCount(targets: 1, documents: 1))
    #expect(try client.cached(["old/a", "old/b", "shown/c"]) == ["old/b", "shown/c"])
    #expect(client.collect(Self.all) == CollectionCount(targets: 0, documents: 0))
  }

  @Test(arguments: LocalStoreTests.Kind.allCases)
  func `a cache below its size keeps everything`(kind: LocalStoreTests.Kind) throws {
    let client = try CollectionClient(kind)
    defer { client.remove() }
    client.unlisten(try client.listen("old", documents: ["a"]))
    let parameters = CollectionParameters(threshold: 1 << 20, percentile: 100)
    #expect(client.collect(parameters) == CollectionCount(targets: 0, documents: 0))
    #expect(try client.cached(["old/a"]) == ["old/a"])
  }

  @Test(arguments: LocalStoreTests.Kind.allCases)
  func `the least recently used goes first`(kind: LocalStoreTests.Kind) throws {
    let client = try CollectionClient(kind)
    defer { client.remove() }
    client.unlisten(try client.listen("first", documents: ["a"]))
    client.unlisten(try client.listen("second", documents: ["b"]))
    // Used once more, from the cache.
    client.unlisten(try client.listen("first", documents: []))
    let half = CollectionParameters(threshold: 0, percentile: 50)
    #expect(client.collect(half)?.targets == 1)
    #expect(try client.cached(["first/a", "second/b"]) == ["first/a"])
  }

  @Test func `what was used after a restart is younger than what was used before it`() throws {
    let client = try CollectionClient(.durable)
    defer { client.remove() }
    client.unlisten(try client.listen("first", documents: ["a"]))
    for _ in 0..<20 { try client.useOffline("first") }
    try client.restart()
    client.unlisten(try client.listen("second", documents: ["b"]))
    let half = CollectionParameters(threshold: 0, percentile: 50)
    #expect(client.collect(half)?.targets == 1)
    #expect(try client.cached(["first/a", "second/b"]) == ["second/b"])
  }

  @Test func `what was collected takes up nothing`() throws {
    let client = try CollectionClient(.durable)
    defer { client.remove() }
    for round in 0..<5 {
      let ids = (0..<200).map { "d\(round)-\($0)" }
      client.unlisten(try client.listen("c\(round)", documents: ids))
      #expect(client.collect(Self.all) == CollectionCount(targets: 1, documents: 200))
      #expect(try client.cachedBytes() == 0)
    }
  }
}

/// The counts of a collection.
private struct CollectionCount: Equatable {
  let targets: Int
  let documents: Int
}

/// An engine whose server says what a test tells it.
private final class CollectionClient {
  private let file: CacheFile
  private var store: any LocalStore
  private var engine: SyncEngine
  private var nextID = 0
  private var version: Int64 = 1_000
  private var stream: StreamID?

  init(_ kind: LocalStoreTests.Kind) throws {
    file = try CacheFile()
    switch kind {
    case .memory: store = MemoryLocalStore()
    case .durable: store = try file.open()
    }
    engine = try Self.engine(store, file.database)
    note(engine.handle(.start))
  }

  private static func engine(_ store: any LocalStore, _ database: DatabaseID) throws -> SyncEngine {
    try SyncEngine(.init(database: database, policy: .leastRecentlyUsed), store: store)
  }

  func remove() { file.remove() }

  /// Begins anew with what the file has.
  func restart() throws {
    stream = nil
    store = try file.open()
    engine = try Self.engine(store, file.database)
    note(engine.handle(.start))
  }

  /// Listens to a collection, in which the server has those documents.
  @discardableResult
  func listen(_ collection: String, documents ids: [String]) throws -> CallbackID {
    nextID += 1
    let query = try ListenQuery(Query(scope: .collection(Text(collection))))
    let effects = engine.handle(.listen(nextID, query, ListenOptions()))
    note(effects)
    guard let target = asked(effects) else {
      Issue.record("the server was not asked for \(collection)")
      return nextID
    }
    say(.target(.added, ids: [target], resumeToken: [], readTime: nil))
    for id in ids { say(change(ResourcePath([Text(collection), Text(id)]), target)) }
    version += 10
    let time = CommitVersion(microseconds: version)
    say(.target(.current, ids: [target], resumeToken: [1], readTime: time))
    say(.target(.noChange, ids: [], resumeToken: [1], readTime: time))
    return nextID
  }

  /// Listens to a collection in the cache for a moment; the server is not asked.
  func useOffline(_ collection: String) throws {
    nextID += 1
    let query = try ListenQuery(Query(scope: .collection(Text(collection))))
    note(engine.handle(.listen(nextID, query, ListenOptions(source: .cache))))
    note(engine.handle(.unlisten(nextID)))
  }

  /// The target that the server is asked for, on a stream that is opened if need be.
  private func asked(_ effects: [SyncEffect]) -> TargetID? {
    var effects = effects
    for case .openWatch(let id) in effects { effects += engine.handle(.watchOpened(id)) }
    for case .listen(_, let data) in effects { return data.id }
    return nil
  }

  private func change(_ path: ResourcePath, _ target: TargetID) -> WatchChange {
    let map = MapValue([
      MapValue.Entry(key: "text", value: .string(Text(String(repeating: "x", count: 500))))
    ])
    let document = CachedDocument(
      name: DocumentName(database: file.database, path: path),
      content: .found(DocumentFields(encoding: map)),
      version: CommitVersion(microseconds: version)
    )
    return .document(path, document, targets: [target], removedTargets: [])
  }

  private func say(_ change: WatchChange) {
    guard let stream else {
      Issue.record("there is no stream")
      return
    }
    note(engine.handle(.watchChanged(stream, change)))
  }

  private func note(_ effects: [SyncEffect]) {
    for effect in effects {
      switch effect {
      case .openWatch(let id): stream = id
      case .closeWatch: stream = nil
      default: break
      }
    }
  }

  /// Ends a listener, which the server confirms.
  func unlisten(_ id: CallbackID) {
    let effects = engine.handle(.unlisten(id))
    note(effects)
    for case .unlisten(_, let target) in effects {
      say(.target(.removed(nil), ids: [target], resumeToken: [], readTime: nil))
    }
  }

  func write(_ path: String) {
    nextID += 1
    let write = Write(
      name: DocumentName(
        database: file.database,
        path: ResourcePath(path.split(separator: "/").map { Text(String($0)) })
      ),
      operation: .update(.empty, mask: nil)
    )
    let time = Timestamp(microseconds: 0)
    note(engine.handle(.write(nextID, [write], localWriteTime: time)))
  }

  func collect(_ parameters: CollectionParameters) -> CollectionCount? {
    for case .garbageCollected(let result) in engine.handle(.collectGarbage(parameters)) {
      return CollectionCount(targets: result.removedTargets, documents: result.removedDocuments)
    }
    return nil
  }

  /// Those of the documents of which the cache has the server's state.
  func cached(_ paths: [String]) throws -> [String] {
    let known = paths.map { ResourcePath($0.split(separator: "/").map { Text(String($0)) }) }
    let found = try store.transaction(.readDocument) { try store.documents(known) }
    return zip(paths, known).filter { found[$0.1] != nil }.map(\.0)
  }

  func cachedBytes() throws -> Int {
    try store.transaction(.readDocument) { try store.documentBytes() }
  }
}

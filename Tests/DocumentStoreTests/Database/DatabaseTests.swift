import BaseText
import FirestoreModel
import KeyValueStore
import Synchronization
import Testing

@testable import DocumentStore

@Suite struct DatabaseTests {
  private let other = DatabaseID(project: "demo", database: "other")

  @Test func `an unknown database is refused unless it makes itself`() async throws {
    let fixture = try StoreFixture { $0.autoCreateDatabases = false }
    let error = await refusal { _ = try fixture.database }
    #expect(error?.code == .notFound)
    #expect(error?.message == "The database (default) does not exist for project demo")
    let made = try fixture.store.createDatabase(StoreFixture.id)
    #expect(try fixture.database === made)
    let twice = await refusal { _ = try fixture.store.createDatabase(StoreFixture.id) }
    #expect(twice?.code == .alreadyExists)
    try fixture.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `databases are apart from one another and survive a restart`(
    _ kind: TestEngineKind
  ) async throws {
    let storage = TestStorage(kind)
    let first = try StoreFixture(storage)
    try await first.database.commit(set("a/x", ["n": .integer(1)]))
    #expect(try first.store.database(other).get("a/x") == nil)
    #expect(try first.store.listDatabases().map(\.id) == [StoreFixture.id, other])
    try first.close()
    let second = try StoreFixture(storage) { $0.autoCreateDatabases = false }
    #expect(try second.database.fields("a/x") == map(["n": .integer(1)]))
    #expect(try second.store.listDatabases().map(\.id) == [StoreFixture.id, other])
    try second.close()
  }

  @Test(arguments: TestEngineKind.allCases)
  func `clearing empties a database at once and erases its keys over restarts`(
    _ kind: TestEngineKind
  ) async throws {
    let storage = TestStorage(kind)
    let first = try StoreFixture(storage)
    let old = try first.database
    for number in 0..<40 {
      let writes = (0..<50).map { set(ResourcePath(["a", Text("\(number)-\($0)")]), ["n": .null]) }
      _ = try await old.commit(CommitProposal(writes: writes))
    }
    try await first.store.database(other).commit(
      Write(
        name: DocumentName(database: other, path: "a/x"),
        operation: .update(.empty, mask: nil)
      )
    )
    try first.store.clear(StoreFixture.id)
    let new = try first.database
    #expect(new !== old && new.incarnation > old.incarnation)
    #expect(try new.get("a/0-0") == nil)
    #expect(await refusal { _ = try old.get("a/0-0") }?.code == .notFound)
    #expect(await refusal { try await old.commit(set("a/x", [:])) }?.code == .notFound)
    try await new.commit(set("a/new", [:]))
    _ = try first.store.performMaintenance()
    #expect(try keys(of: old.incarnation, first.engine) > 0)
    try first.close()

    let second = try StoreFixture(storage)
    try second.maintain()
    #expect(try keys(of: old.incarnation, second.engine) == 0)
    #expect(try second.database.get("a/new") != nil)
    #expect(try second.store.database(other).get("a/x") != nil)
    #expect(try second.store.performMaintenance() == false)
    try second.close()
  }

  @Test func `a deleted database is gone and its id is free`() async throws {
    let fixture = try StoreFixture { $0.autoCreateDatabases = false }
    let database = try fixture.store.createDatabase(StoreFixture.id)
    try await database.commit(set("a/x", [:]))
    try fixture.store.deleteDatabase(StoreFixture.id)
    #expect(await refusal { _ = try fixture.database }?.code == .notFound)
    #expect(await refusal { try fixture.store.deleteDatabase(StoreFixture.id) }?.code == .notFound)
    #expect(try fixture.store.listDatabases().isEmpty)
    let again = try fixture.store.createDatabase(StoreFixture.id)
    #expect(try again.get("a/x") == nil)
    try fixture.maintain()
    #expect(try keys(of: database.incarnation, fixture.engine) == 0)
    try fixture.close()
  }

  @Test func `a store of a newer format is refused, untouched`() throws {
    let storage = TestStorage(.memory)
    let engine = try storage.openEngine()
    try engine.write { try $0.put(MetaKey.format, [0, 0, 0, 8]) }
    #expect(throws: KeyValueError.self) {
      _ = try Databases(engine: engine, configuration: StoreConfiguration())
    }
    #expect(try engine.read { try $0.get(MetaKey.format) } == [0, 0, 0, 8])
    // A look at single records finds it, too.
    let found: [([UInt8]?, Bool)] = [([0, 0, 0, 8], false), ([0, 0, 0, 7], true), (nil, true)]
    for (stored, isKnown) in found {
      let isFine = (try? Databases.checkFormat { _ in stored }) != nil
      #expect(isFine == isKnown)
    }
  }

  @Test func `commits after the end of the store are refused`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    fixture.store.close()
    #expect(await refusal { try await database.commit(set("a/x", [:])) }?.code == .unavailable)
    try fixture.engine.close()
  }

  @Test func `what waits when the store ends is answered`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let id = try database.beginTransaction(.readWrite())
    _ = try await database.read("a/x", in: id)
    async let refused = refusal { try await database.commit(set("a/x", [:])) }
    while !Task.isCancelled, database.locks.waiting == 0 { await Task.yield() }
    fixture.store.close()
    #expect(await refused?.code == .unavailable)
    try fixture.engine.close()
  }

  @Test func `a damaged document fails its own writers only`() async throws {
    let fixture = try StoreFixture()
    let database = try fixture.database
    let key = DocumentKey("a/broken", in: database.incarnation).bytes
    try fixture.engine.write { try $0.put(key, [1, 2, 3]) }
    #expect(await refusal { try await database.commit(set("a/broken", [:])) }?.code == .dataLoss)
    let dependent = CommitProposal(
      writes: [set("a/x", [:])],
      readSet: [ReadDependency(path: "a/broken", version: .zero)]
    )
    #expect(await refusal { _ = try await database.commit(dependent) }?.code == .dataLoss)
    try await database.commit(set("a/x", [:]))
    #expect(await refusal { _ = try database.get("a/broken") }?.code == .dataLoss)
    try fixture.close()
  }

  @Test func `damage is told by kind and key, and only after the disk was asked`() async throws {
    let told = Mutex<[KeyValueError]>([])
    let fixture = try StoreFixture {
      $0.damageObserver = { error in told.withLock { $0.append(error) } }
    }
    let database = try fixture.database
    try await database.commit(set("a/well", ["n": .integer(1)]))
    let key = DocumentKey("a/broken", in: database.incarnation).bytes
    try fixture.engine.write { try $0.put(key, [1, 2, 3]) }
    #expect(database.getCached("a/broken").isUnknown)
    #expect(try database.readInMemory(steps: 10) { try $0.liveDocument(key) } == .none)
    #expect(told.withLock { $0.isEmpty })
    #expect(await refusal { _ = try database.get("a/broken") }?.code == .dataLoss)
    #expect(await refusal { try await database.commit(set("a/broken", [:])) }?.code == .dataLoss)
    #expect(try database.get("a/well") != nil)
    let errors = told.withLock { $0 }
    #expect(errors.count == 2)
    for error in errors {
      #expect(error.metadata["record"] == "a document")
      #expect(error.metadata["key"] == Hexadecimal.text(key))
    }
    try fixture.close()
  }

  private func keys(of incarnation: Incarnation, _ engine: any KeyValueEngine) throws -> Int {
    try engine.read { snapshot in
      var count = 0
      for space in KeySpace.perDatabase {
        let range = KeyRange(prefix: space.prefix(incarnation))
        let cursor = try snapshot.cursor(over: range, reversed: false)
        while try cursor.next() { count += 1 }
      }
      return count
    }
  }
}

extension CachedDocument {
  fileprivate var isUnknown: Bool {
    if case .unknown = self { return true }
    return false
  }
}

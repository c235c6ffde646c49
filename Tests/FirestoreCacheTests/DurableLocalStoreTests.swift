import CacheTestSupport
import DocumentCodec
import FirestoreCache
import FirestoreModel
import FirestoreSync
import Foundation
import GRDB
import Testing

/// Tests of properties that only a store in a file has.
struct DurableLocalStoreTests {
  private struct Failure: Error {}

  private let file: CacheFile
  private let path = ResourcePath(["c", "a"])

  init() throws { file = try CacheFile() }

  private func document(_ number: Int64) -> CachedDocument {
    let map = MapValue([MapValue.Entry(key: "n", value: .integer(number))])
    return CachedDocument(
      name: DocumentName(database: file.database, path: path),
      content: .found(DocumentFields(encoding: map)),
      version: CommitVersion(microseconds: number)
    )
  }

  private var write: Write {
    Write(name: DocumentName(database: file.database, path: path), operation: .delete)
  }

  private func batch(_ id: BatchID) -> MutationBatch {
    let time = Timestamp(microseconds: 1)
    return MutationBatch(id: id, localWriteTime: time, baseWrites: [], writes: [write])
  }

  /// Why the file cannot be opened; nil where it can.
  private func errorOfOpening() -> CacheError.Code? {
    do {
      try DurableLocalStore.open(file.url, database: file.database).close()
      return nil
    } catch let error as CacheError {
      return error.code
    } catch {
      return .unusable
    }
  }

  private func openOrReplace() -> DurableLocalStore.Opened {
    DurableLocalStore.openOrReplace(file.url, database: file.database)
  }

  /// Runs SQL on the closed file.
  private func run(_ sql: String) throws {
    let queue = try DatabaseQueue(path: file.url.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test func `what was stored is there after closing`() throws {
    defer { file.remove() }
    let store = try file.open()
    try store.transaction(.start) {
      try store.save([document(1)])
      try store.append(batch(3), user: "u")
    }
    try file.close()
    let reopened = try file.open()
    let (found, batches) = try reopened.transaction(.start) {
      (try reopened.documents([path]), try reopened.batches(user: "u"))
    }
    #expect(found[path]?.version == CommitVersion(microseconds: 1))
    #expect(batches == [batch(3)])
  }

  @Test func `after settling the file alone has everything`() throws {
    defer { file.remove() }
    let store = try file.open()
    for number in 1...3 {
      try store.transaction(.writeLocally) { try store.append(batch(number), user: "u") }
      try store.settle()
      let copy = CacheFile(folder: file.folder.appendingPathComponent("\(number)"))
      try FileManager.default.createDirectory(at: copy.folder, withIntermediateDirectories: true)
      // Without the log that lies beside it.
      try FileManager.default.copyItem(at: file.url, to: copy.url)
      let copied = try copy.open()
      let batches = try copied.transaction(.start) { try copied.batches(user: "u") }
      #expect(batches == (1...number).map { batch($0) })
      try copy.close()
    }
  }

  @Test func `a transaction that throws changes nothing`() throws {
    defer { file.remove() }
    let store = try file.open()
    #expect(throws: Failure.self) {
      try store.transaction(.start) {
        try store.save([document(1)])
        try store.append(batch(1), user: "u")
        throw Failure()
      }
    }
    // The numbers that the undone transaction gave out are given out again.
    let other = ResourcePath(["d", "x"])
    try store.transaction(.start) { try store.addKeys([other], toTarget: 2) }
    try store.transaction(.start) { () throws -> Void in
      #expect(try store.documents([path]).isEmpty)
      #expect(try store.documentBytes() == 0)
      #expect(try store.batches(user: "u").isEmpty)
      #expect(try store.keys(ofTarget: 2) == [other])
    }
  }

  @Test func `a file in use is told from others, and memory takes its place`() throws {
    defer { file.remove() }
    _ = try file.open()
    #expect(errorOfOpening() == .inUse)
    let opened = openOrReplace()
    #expect(opened.problem?.code == .inUse)
    #expect(opened.store is MemoryLocalStore)
    try file.close()
    #expect(openOrReplace().problem == nil)
  }

  @Test func `a file of a newer version is left alone`() throws {
    defer { file.remove() }
    _ = try file.open()
    try file.close()
    // The version is at a fixed offset of an SQLite file's header.
    var bytes = try Data(contentsOf: file.url)
    bytes[63] += 1
    try bytes.write(to: file.url)
    let opened = openOrReplace()
    #expect(opened.problem?.code == .newerVersion)
    #expect(opened.store is MemoryLocalStore)
    #expect(try Data(contentsOf: file.url) == bytes)
  }

  @Test func `a file that is no database is replaced`() throws {
    defer { file.remove() }
    try Data(repeating: 0x41, count: 20_000).write(to: file.url)
    let opened = openOrReplace()
    #expect(opened.problem?.code == .damaged)
    #expect(opened.store is DurableLocalStore)
    try opened.store.transaction(.start) { try opened.store.append(batch(1), user: nil) }
    let aside = file.folder.appendingPathComponent("cache.sqlite.damaged")
    #expect(try Data(contentsOf: aside).count == 20_000)
  }

  @Test func `queued writes are taken over from a damaged file`() throws {
    defer { file.remove() }
    let store = try file.open()
    try store.transaction(.writeLocally) {
      try store.append(batch(4), user: "u")
      try store.append(batch(5), user: nil)
    }
    try file.close()
    // The totals are lost: the file counts as damaged, the queue can be read.
    try run("DELETE FROM totals")
    let opened = openOrReplace()
    #expect(opened.problem?.code == .damaged)
    let again = opened.store
    try again.transaction(.start) { () throws -> Void in
      #expect(try again.batches(user: "u") == [batch(4)])
      #expect(try again.batches(user: nil) == [batch(5)])
      #expect(try again.overlays([path], user: "u") == [path: Overlay(batch: 4, change: .delete)])
      #expect(try again.globals().highestBatchID == 5)
    }
  }

  @Test func `a folder that cannot be one gives memory and an error`() throws {
    defer { file.remove() }
    try Data().write(to: file.folder.appendingPathComponent("flat"))
    let url = file.folder.appendingPathComponent("flat/cache.sqlite")
    let opened = DurableLocalStore.openOrReplace(url, database: file.database)
    #expect(opened.problem?.code == .unusable)
    #expect(opened.store is MemoryLocalStore)
  }

  @Test func `a full file fails a write and keeps what was there`() throws {
    defer { file.remove() }
    let store = try file.open()
    try store.transaction(.start) { try store.append(batch(1), user: nil) }
    try store.limitPages(to: 40)
    let large = MapValue([
      MapValue.Entry(key: "b", value: .bytes([UInt8](repeating: 7, count: 400_000)))
    ])
    let full = CachedDocument(
      name: DocumentName(database: file.database, path: path),
      content: .found(DocumentFields(encoding: large)),
      version: CommitVersion(microseconds: 1)
    )
    #expect(throws: (any Error).self) {
      try store.transaction(.applyRemoteEvent) { try store.save([full]) }
    }
    try store.transaction(.start) { () throws -> Void in
      #expect(try store.documents([path]).isEmpty)
      #expect(try store.batches(user: nil) == [batch(1)])
    }
    try store.limitPages(to: 1_000_000)
    try store.transaction(.start) { try store.save([full]) }
    #expect(try store.transaction(.start) { try store.documents([path]) }.count == 1)
  }
}

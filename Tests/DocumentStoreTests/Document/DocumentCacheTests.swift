import FirestoreModel
import Synchronization
import Testing

@testable import DocumentStore

/// The last number that was acknowledged; nil when there are no more.
private final class Progress: Sendable {
  private let state = Mutex<Int64?>(0)

  var acknowledged: Int64? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// Documents that are not read again.
@Suite struct DocumentCacheTests {
  private func document(_ number: Int64) throws -> StoredDocument {
    let version = CommitVersion(microseconds: number)
    return StoredDocument(createTime: version, updateTime: version, fields: .empty)
  }

  @Test func `what a group may have overwritten since it was read is not kept`() throws {
    let writes = RecentWrites()
    let cache = DocumentCache(bytes: 1 << 20, recentWrites: writes)
    let key: [UInt8] = [1, 2, 3]
    let early = cache.lease()
    early.keep(try document(1), key)
    #expect(early.document(key) == (try document(1)))
    // A group writes it; somebody who read before keeps what they read, late.
    writes.note(key)
    cache.remove(key)
    #expect(early.document(key) == nil)
    early.keep(try document(1), key)
    #expect(early.document(key) == nil)
    cache.lease().keep(try document(1), key)
    #expect(cache.lease().document(key) == nil)
    writes.groupLanded()
    early.keep(try document(1), key)
    #expect(cache.lease().document(key) == nil)
    let late = cache.lease()
    late.keep(try document(2), key)
    #expect(late.document(key) == (try document(2)))
    // Their views are older than that state.
    #expect(early.document(key) == nil)
  }

  @Test func `memory is bounded, and what is read stays`() throws {
    let cache = DocumentCache(bytes: 1 << 20, recentWrites: RecentWrites())
    let lease = cache.lease()
    let kept: [UInt8] = [0xFF]
    lease.keep(try document(0), kept)
    let keys = (0..<20_000).map { number in withUnsafeBytes(of: number) { Array($0) } }
    for key in keys {
      lease.keep(try document(1), key)
      #expect(lease.document(kept) != nil)
    }
    #expect((3_000...7_000).contains(keys.count { lease.document($0) != nil }))
    let none = DocumentCache(bytes: 0, recentWrites: RecentWrites())
    none.lease().keep(try document(1), kept)
    #expect(none.lease().document(kept) == nil)
  }

  @Test func `what is read once drives nothing out of a full cache`() throws {
    let cache = DocumentCache(bytes: 1 << 20, recentWrites: RecentWrites())
    let lease = cache.lease()
    let keys = (0..<100_000).map { number in withUnsafeBytes(of: number) { Array($0) } }
    for key in keys.prefix(20_000) { lease.keep(try document(1), key) }
    let before = keys.count { lease.document($0) != nil }
    // A look moves what it finds to the young generation, and may drive out of the old one.
    let known = keys.filter { lease.document($0) != nil }
    #expect(before > 2_500 && known.count > 2_500)
    for key in keys.suffix(80_000) { lease.keep(try document(1), key) }
    #expect(keys.suffix(80_000).count { lease.document($0) != nil } < 800)
    #expect(known.count { lease.document($0) != nil } > known.count * 9 / 10)
    // Read twice within a short time it is put in.
    for key in keys.suffix(100) {
      lease.keep(try document(1), key)
      lease.keep(try document(1), key)
    }
    #expect(keys.suffix(100).allSatisfy { lease.document($0) != nil })
  }

  @Test(arguments: TestEngineKind.allCases)
  func `readers never see a document go back`(_ kind: TestEngineKind) async throws {
    let fixture = try StoreFixture(kind)
    let database = try fixture.database
    try await database.commit(set("a/x", ["n": .integer(0)]))
    let progress = Progress()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          var seen: Int64 = 0
          while let acknowledged = progress.acknowledged {
            for fields in [
              try database.get("a/x")?.fields,
              try database.read(.now) { view in
                try database.document(DocumentKey("a/x", in: database.incarnation), in: view)
              }?.fields,
            ] {
              guard case .integer(let number)? = fields?.decoded()["n"] else {
                Issue.record("the document is gone")
                return
              }
              #expect(number >= acknowledged && number >= seen)
              seen = number
            }
            await Task.yield()
          }
        }
      }
      for number in 1...Int64(300) {
        try await database.commit(set("a/x", ["n": .integer(number)]))
        progress.acknowledged = number
      }
      progress.acknowledged = nil
      try await group.waitForAll()
    }
    try fixture.close()
  }
}

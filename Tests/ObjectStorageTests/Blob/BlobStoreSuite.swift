import ObjectStorage
import Testing

/// The requirements on every blob store; a store's tests call `run`.
struct BlobStoreSuite {
  let store: any BlobStore

  func run() async throws {
    try await testWhole()
    try await testUnfinished()
    try await testResume()
    try await testRemove()
    try await testEmpty()
    try await testAtOnce()
  }

  private func bytes(_ id: BlobID) async throws -> [UInt8] {
    let reader = try await store.open(id)
    return try await reader.read(at: 0, count: Int(reader.size) + 10)
  }

  private func testWhole() async throws {
    let id = BlobID.random()
    let content = pattern(300_000)
    let writer = try await store.begin(id)
    try await writer.write(Array(content[..<100_000]))
    try await writer.write(Array(content[100_000...]))
    try await writer.finish()
    #expect(try await bytes(id) == content)
    let reader = try await store.open(id)
    #expect(reader.size == 300_000)
    #expect(try await reader.read(at: 299_990, count: 100) == Array(content[299_990...]))
    #expect(try await reader.read(at: 300_000, count: 1) == [])
    #expect(try await isListed(id))
    try await store.remove(id)
  }

  private func testUnfinished() async throws {
    let id = BlobID.random()
    let writer = try await store.begin(id)
    try await writer.write([1, 2, 3])
    #expect(await code { _ = try await store.open(id) } == .notFound)
    #expect(try await !isListed(id))
    await writer.close()
    try await store.remove(id)
    #expect(try await !store.unfinishedBlobs().contains(id))
  }

  /// Checks that persisted bytes are there; the client has to send later ones again.
  private func testResume() async throws {
    let id = BlobID.random()
    let content = pattern(6 << 20)
    let first = try await store.begin(id)
    try await first.write(Array(content[..<(5 << 20)]))
    let progress = try await first.persist()
    #expect(progress.offset <= 5 << 20)
    try await first.write([9, 9, 9])
    await first.close()
    let kept = try await store.openUnfinished(id, progress)
    #expect(kept.size == progress.offset)
    #expect(
      try await kept.read(at: 0, count: 5 << 20) == Array(content[..<Int(progress.offset)])
    )
    let second = try await store.resume(id, at: progress)
    try await second.write(Array(content[Int(progress.offset)...]))
    try await second.finish()
    #expect(try await bytes(id) == content)
    try await store.remove(id)
  }

  private func testAtOnce() async throws {
    let id = BlobID.random()
    let content = pattern(70_000)
    try await store.store(id, content)
    #expect(try await bytes(id) == content)
    #expect(try await store.contents(id, size: 70_000) == content)
    #expect(try await store.contents(id, size: 80_000) == content)
    #expect(try await store.contents(id, size: 9) == Array(content[..<9]))
    #expect(try await isListed(id))
    #expect(try await !store.unfinishedBlobs().contains(id))
    try await store.remove(id)
    #expect(await code { _ = try await store.contents(id, size: 1) } == .notFound)
  }

  private func testRemove() async throws {
    let id = BlobID.random()
    let writer = try await store.begin(id)
    try await writer.write([1])
    try await writer.finish()
    try await store.remove(id)
    #expect(await code { _ = try await store.open(id) } == .notFound)
    #expect(await code { _ = try await store.resume(id, at: BlobProgress(offset: 1)) } == .notFound)
    try await store.remove(id)
  }

  private func testEmpty() async throws {
    let id = BlobID.random()
    try await (try await store.begin(id)).finish()
    #expect(try await bytes(id) == [])
    try await store.remove(id)
  }

  private func isListed(_ id: BlobID) async throws -> Bool {
    for shard in 0..<store.shardCount {
      if try await store.finishedBlobs(inShard: shard).contains(id) { return true }
    }
    return false
  }
}

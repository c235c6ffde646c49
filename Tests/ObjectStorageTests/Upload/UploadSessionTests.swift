import BaseText
import Foundation
import KeyValueStore
import Synchronization
import Testing

@testable import ObjectStorage

@Suite struct UploadSessionTests {
  private static func begin(
    _ bucket: Bucket,
    size: Int64? = nil
  ) async throws -> UploadSession {
    let new = NewObject(try ObjectName("a"), expected: ExpectedContent(size: size))
    return try await bucket.beginSession(new, initiator: [7])
  }

  @Test func `chunks make an object, also over restarts`() async throws {
    let first = try StorageFixture()
    let content = pattern(900_000)
    let session = try await Self.begin(try await first.bucket(), size: 900_000)
    #expect(
      try await session.receive(at: 0, Parts(bytes: Array(content[..<300_000])))
        == .active(received: 300_000)
    )
    let second = try first.reopened()
    let again = try await second.storage.session(session.id)
    #expect(again !== session && again.initiator == [7] && again.project == "p")
    let bucket = try await second.bucket()
    #expect(try await again.status(bucket) == .active(received: 300_000))
    _ = try await again.receive(at: 300_000, isLast: true, Parts(bytes: Array(content[300_000...])))
    let object = try await again.finish(bucket)
    #expect(try await bucket.bytes(of: object) == content)
    #expect(try await again.finish(bucket) == object)
    #expect(try await again.status(bucket) == .finished(object))
    let third = try first.reopened()
    let known = try await third.storage.session(session.id)
    #expect(try await known.status(try await third.bucket()) == .finished(object))
    second.threads.stop()
    third.threads.stop()
    try first.close()
  }

  @Test func `damaged bytes of an unfinished upload are not taken for what came`() async throws {
    let first = try StorageFixture()
    let session = try await Self.begin(try await first.bucket())
    _ = try await session.receive(at: 0, Parts(bytes: pattern(300_000)))
    let folder = first.directory + "/unfinished"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let file = URL(fileURLWithPath: "\(folder)/\(name)")
    var bytes = try Data(contentsOf: file)
    bytes[123_456] ^= 1
    try bytes.write(to: file)
    let second = try first.reopened()
    let again = try await second.storage.session(session.id)
    let rest = Parts(bytes: pattern(10))
    #expect(await code { _ = try await again.receive(at: 300_000, isLast: true, rest) } == .corrupt)
    second.threads.stop()
    try first.close()
  }

  @Test func `of many uploads at once each goes on without reading its bytes again`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    var ids: [UploadID] = []
    for _ in 0..<150 {
      let session = try await Self.begin(bucket)
      _ = try await session.receive(at: 0, Parts(bytes: pattern(1_000)))
      ids.append(session.id)
    }
    #expect(fixture.storage.sessions.count < ids.count)
    for id in ids {
      let session = try await fixture.storage.session(id)
      _ = try await session.receive(at: 1_000, isLast: true, Parts(bytes: pattern(500)))
      let object = try await session.finish(bucket)
      #expect(try await bucket.bytes(of: object) == pattern(1_000) + pattern(500))
    }
    #expect(fixture.storage.uploadHashes.computedAgain == 0)
    #expect(try await fixture.storage.differences() == [])
    try fixture.close()
  }

  @Test func `hashes of more uploads than are kept are computed again`() {
    let hashes = UploadHashes(limit: 2)
    let ids = (0..<3).map { _ in UploadID.random() }
    for id in ids { hashes.keep(ContentHasher(), of: id) }
    #expect(ids.filter { hashes.hasher(of: $0, upTo: 0) != nil }.count == 2)
    #expect(hashes.hasher(of: ids[2], upTo: 0) != nil)
    #expect(hashes.hasher(of: ids[2], upTo: 1) == nil)
    hashes.remove(ids[2])
    #expect(hashes.hasher(of: ids[2], upTo: 0) == nil)
  }

  @Test(arguments: [[10_000_000], [9_000_001, 4_095, 995_904], [3, 8_388_605, 1_611_392]])
  func `a large file has its bytes wherever requests end`(chunks: [Int]) async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let block = pattern(100_000)
    let content = (0..<100).flatMap { _ in block }
    let session = try await Self.begin(bucket)
    var end = 0
    for chunk in chunks {
      let part = Parts(bytes: Array(content[end..<end + chunk]), size: 65_537)
      end += chunk
      #expect(
        try await session.receive(at: Int64(end - chunk), part) == .active(received: Int64(end))
      )
    }
    let object = try await session.finish(bucket)
    #expect(object.size == 10_000_000)
    #expect(try await bucket.bytes(of: object) == content)
    #expect(try await fixture.storage.differences() == [])
    try fixture.close()
  }

  @Test func `what a cut request brought is kept`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let content = pattern(400_000)
    let session = try await Self.begin(bucket)
    let cut = Parts(bytes: Array(content[..<123_456]), isCut: true)
    await #expect(throws: Parts.Gone.self) { try await session.receive(at: 0, cut) }
    #expect(try await session.status(bucket) == .active(received: 123_456))
    // A chunk that was begun anew overlaps what is there.
    _ = try await session.receive(
      at: 100_000,
      isLast: true,
      Parts(bytes: Array(content[100_000...]))
    )
    let object = try await session.finish(bucket, size: 400_000)
    #expect(try await bucket.bytes(of: object) == content)
    try fixture.close()
  }

  @Test(arguments: [.max, 1 << 62, 5 << 40 + 1, -1, .min] as [Int64])
  func `a size that no object has is refused before anything is counted by it`(
    size: Int64
  ) async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.quotaBytes = 1 << 20 }
    try await bucket.put("b", "some bytes")
    _ = try await Self.begin(bucket, size: 10)
    #expect(await code { _ = try await Self.begin(bucket, size: size) } == .invalid)
    let new = NewObject(try ObjectName("a"), expected: ExpectedContent(size: size))
    #expect(await code { _ = try await bucket.beginUpload(new) } == .invalid)
    #expect(try fixture.files() == (1, 0))
    try fixture.close()
  }

  @Test(arguments: [.max, .min, 0, -1] as [Int64])
  func `an upload keeps preconditions on any generation`(generation: Int64) async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    try await bucket.put("a", "1")
    var new = NewObject(try ObjectName("a"))
    new.preconditions.notGeneration = generation
    new.preconditions.notMetageneration = .max
    let session = try await bucket.beginSession(new, initiator: [])
    let again = try fixture.reopened()
    let kept = try await again.storage.session(session.id).object.preconditions
    // -1 is as good as nothing: no generation is.
    #expect(kept.notGeneration == (generation == -1 ? nil : generation))
    #expect(kept.notMetageneration == .max)
    again.threads.stop()
    try fixture.close()
  }

  @Test func `gaps, surplus and wrong sizes are refused`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let session = try await Self.begin(bucket, size: 10)
    #expect(await code { _ = try await session.receive(at: 1, Parts(bytes: [1])) } == .invalid)
    #expect(
      await code { _ = try await session.receive(at: 0, Parts(bytes: pattern(11))) } == .invalid
    )
    _ = try await session.receive(at: 0, Parts(bytes: pattern(5)))
    #expect(await code { _ = try await session.finish(bucket) } == .invalid)
    #expect(try await session.status(bucket) == .active(received: 5))
    _ = try await session.receive(at: 5, Parts(bytes: pattern(5)))
    #expect(
      await code {
        _ = try await session.finish(bucket, ExpectedContent(crc32c: 1))
      } == .contentMismatch
    )
    #expect(await code { _ = try await fixture.storage.session(session.id) } == .notFound)
    #expect(try fixture.files() == (0, 0))
    try fixture.close()
  }

  @Test func `a cancelled upload is known as cancelled until its time is over`() async throws {
    let fixture = try StorageFixture { $0.uploadLimits.project.count = 1 }
    let bucket = try await fixture.bucket()
    let session = try await Self.begin(bucket)
    _ = try await session.receive(at: 0, Parts(bytes: pattern(5)))
    try await session.cancel()
    let again = try await fixture.storage.session(session.id)
    #expect(again !== session)
    for session in [session, again] {
      try await session.cancel()
      #expect(try await session.status(bucket) == .cancelled)
      #expect(await !session.isOpen)
      #expect(await !session.isFinished)
      #expect(await code { _ = try await session.receive(at: 5, Parts(bytes: [1])) } == .gone)
      #expect(await code { _ = try await session.finish(bucket) } == .gone)
    }
    #expect(try fixture.files() == (0, 0))
    // It counts no more.
    let next = try await Self.begin(bucket)
    try await next.cancel()
    try await Self.expectNoneOpen(fixture)
    let reopened = try fixture.reopened()
    let known = try await reopened.storage.session(session.id)
    #expect(try await known.status(try await reopened.bucket()) == .cancelled)
    _ = try await reopened.storage.removeOrphans()
    reopened.time.advance(days: 8)
    try await reopened.storage.endExpiredUploads()
    #expect(await code { _ = try await reopened.storage.session(session.id) } == .notFound)
    try await Self.expectNoneOpen(reopened)
    try reopened.close()
  }

  @Test func `a finished upload is not cancelled, and one that ends is forgotten`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let session = try await Self.begin(bucket)
    _ = try await session.receive(at: 0, isLast: true, Parts(bytes: pattern(5)))
    let object = try await session.finish(bucket)
    try await session.cancel()
    #expect(try await session.status(bucket) == .finished(object))
    #expect(await session.isFinished)
    let other = try await Self.begin(bucket)
    try await other.end()
    #expect(await code { _ = try await fixture.storage.session(other.id) } == .notFound)
    try fixture.close()
  }

  @Test func `preconditions are asked at the start and at the end`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let new = NewObject(try ObjectName("a"), preconditions: .absent)
    let session = try await bucket.beginSession(new, initiator: [])
    _ = try await session.receive(at: 0, Parts(bytes: [1]))
    try await bucket.put("a", "other")
    #expect(await code { _ = try await session.finish(bucket) } == .conditionNotMet)
    #expect(
      await code { _ = try await bucket.beginSession(new, initiator: []) } == .conditionNotMet
    )
    #expect(try await bucket.text("a") == "other")
    #expect(try fixture.files() == (1, 0))
    try fixture.close()
  }

  @Test func `an upload whose blob was finished before a crash is finished after`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let session = try await Self.begin(bucket)
    let content = pattern(300_000)
    _ = try await session.receive(at: 0, Parts(bytes: content))
    let record = try await fixture.storage.read { try $0.upload(session.id) }
    let blob = try #require(record?.blob)
    // As if the server had stopped between the rename and the commit.
    let progress = BlobProgress(offset: 300_000)
    try await fixture.blobs.resume(blob, at: progress).finish()
    let again = try fixture.reopened()
    #expect(try await again.storage.removeOrphans() == 0)
    let late = try await again.storage.session(session.id)
    #expect(try await late.status(bucket) == .active(received: 300_000))
    let object = try await late.finish(try await again.bucket())
    #expect(try await bucket.bytes(of: object) == content)
    again.threads.stop()
    try fixture.close()
  }

  @Test func `an upload that nobody finished is forgotten in time`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let session = try await Self.begin(bucket)
    _ = try await session.receive(at: 0, Parts(bytes: pattern(5)))
    fixture.time.advance(days: 6)
    try await fixture.storage.sweep()
    #expect(try fixture.files() == (0, 1))
    fixture.time.advance(days: 2)
    try await fixture.storage.sweep()
    #expect(try fixture.files() == (0, 0))
    #expect(await code { _ = try await fixture.storage.session(session.id) } == .notFound)
    try fixture.close()
  }

  @Test func `unfinished uploads are bounded, and count no more when they are over`() async throws {
    let fixture = try StorageFixture {
      $0.uploadLimits.project.count = 2
      $0.uploadLimits.all.count = 3
    }
    let bucket = try await fixture.bucket()
    let first = try await Self.begin(bucket)
    let second = try await Self.begin(bucket)
    #expect(await code { _ = try await Self.begin(bucket) } == .quotaExceeded)
    let other = try await fixture.storage.bucket(fixture.permit("q.appspot.com", project: "q"))
    _ = try await Self.begin(other)
    #expect(await code { _ = try await Self.begin(other) } == .quotaExceeded)
    try await first.cancel()
    _ = try await Self.begin(bucket)
    _ = try await second.receive(at: 0, isLast: true, Parts(bytes: [1]))
    _ = try await second.finish(bucket)
    _ = try await Self.begin(bucket)
    #expect(await code { _ = try await Self.begin(bucket) } == .quotaExceeded)
    fixture.time.advance(days: 8)
    try await fixture.storage.sweep()
    try await Self.expectNoneOpen(fixture)
    try fixture.close()
  }

  private static func begin(
    _ bucket: Bucket,
    of caller: Text?,
    in network: Text? = nil,
    size: Int64? = nil
  ) async throws -> UploadSession {
    let expected = ExpectedContent(size: size)
    let new = NewObject(try ObjectName("o"), expected: expected)
    return try await bucket.beginSession(new, initiator: [], caller: caller, network: network)
  }

  private static func expectNoneOpen(_ fixture: StorageFixture) async throws {
    let keys = try await fixture.storage.read { view in
      let range = KeyRange(prefix: StorageKey.prefix(.openUploads))
      let cursor = try view.cursor(over: range, reversed: false)
      var count = 0
      while try cursor.next() { count += 1 }
      return count
    }
    #expect(keys == 0)
  }

  @Test func `a caller has a share of the unfinished uploads`() async throws {
    let fixture = try StorageFixture { $0.uploadLimits.caller.count = 1 }
    let bucket = try await fixture.bucket()
    let ana = try await Self.begin(bucket, of: "ana")
    #expect(await code { _ = try await Self.begin(bucket, of: "ana") } == .quotaExceeded)
    let bea = try await Self.begin(bucket, of: "bea")
    let administrators = [
      try await Self.begin(bucket, of: nil), try await Self.begin(bucket, of: nil),
    ]
    try await ana.cancel()
    let again = try await Self.begin(bucket, of: "ana")
    for session in [bea, again] + administrators { try await session.cancel() }
    try await Self.expectNoneOpen(fixture)
    try fixture.close()
  }

  @Test func `a network's accounts, however many, leave room to others`() async throws {
    let fixture = try StorageFixture { $0.uploadLimits.project.count = 64 }
    let bucket = try await fixture.bucket()
    var open: [UploadSession] = []
    func begin(_ caller: Text?, _ network: Text?) async -> Bool {
      guard let session = try? await Self.begin(bucket, of: caller, in: network)
      else { return false }
      open.append(session)
      return true
    }
    var number = 0
    while await begin(Text("user \(number)"), "one") { number += 1 }
    #expect(number == 32)
    // A new network has a sixteenth, and all of them together leave an eighth to administrators.
    for network in 2...7 {
      var count = 0
      while await begin(Text("user of \(network)"), Text("network \(network)")) { count += 1 }
      #expect(count == 4)
    }
    #expect(await !begin("ana", "new"))
    var administrators = 0
    while await begin(nil, nil) { administrators += 1 }
    #expect(administrators == 8)
    for session in open { try await session.cancel() }
    try await Self.expectNoneOpen(fixture)
    try fixture.close()
  }

  @Test func `bytes count by what is announced, and else as they come`() async throws {
    let fixture = try StorageFixture { $0.uploadLimits.caller.bytes = 20 << 20 }
    let bucket = try await fixture.bucket()
    #expect(
      await code { _ = try await Self.begin(bucket, of: "ana", size: 21 << 20) } == .quotaExceeded
    )
    let known = try await Self.begin(bucket, of: "ana", size: 11 << 20)
    #expect(
      await code { _ = try await Self.begin(bucket, of: "ana", size: 10 << 20) } == .quotaExceeded
    )
    let unknown = try await Self.begin(bucket, of: "ana")
    let bytes = [UInt8](repeating: 7, count: 9 << 20)
    let content = Parts(bytes: Array(bytes.prefix(1 << 20)), size: 1 << 16)
    _ = try await unknown.receive(at: 0, content)
    // It counts for eight megabytes more than the first part has: the next step is beyond the bound.
    let rest = Parts(bytes: Array(bytes.dropFirst(1 << 20)), size: 1 << 16)
    #expect(
      await code { _ = try await unknown.receive(at: 1 << 20, rest) } == .quotaExceeded
    )
    // What fitted is kept, and goes on after a restart when there is room.
    try await known.cancel()
    let reopened = try fixture.reopened()
    let session = try await reopened.storage.session(unknown.id)
    let same = try await reopened.bucket()
    guard case .active(let received) = try await session.status(same) else {
      Issue.record("the upload is over")
      return
    }
    #expect(received > 8 << 20 && received < 9 << 20)
    let missing = Parts(bytes: Array(bytes[Int(received)...]), size: 1 << 16)
    _ = try await session.receive(at: received, isLast: true, missing)
    #expect(try await session.finish(same).size == 9 << 20)
    try await Self.expectNoneOpen(reopened)
    reopened.threads.stop()
    try fixture.close()
  }

  @Test func `an upload does not land in a bucket that took the name of its own`() async throws {
    let fixture = try StorageFixture()
    let permit = try fixture.permit("mine")
    let bucket = try await fixture.storage.makeBucket(permit, BucketConfiguration())
    let session = try await Self.begin(bucket)
    _ = try await session.receive(at: 0, Parts(bytes: pattern(100)))
    try await bucket.delete()
    #expect(await code { _ = try await fixture.storage.session(session.id) } == .notFound)
    let other = try await fixture.storage.makeBucket(permit, BucketConfiguration())
    #expect(await code { _ = try await fixture.storage.session(session.id) } == .notFound)
    #expect(await code { _ = try await session.finish(other) } == .notFound)
    #expect(try await other.text("a") == nil)
    #expect(try fixture.files() == (0, 0))
    try fixture.close()
  }

  @Test func `an upload's preconditions by tags are kept over a restart`() async throws {
    let first = try StorageFixture()
    let bucket = try await first.bucket()
    var new = NewObject(try ObjectName("a"))
    new.preconditions.notEntityTags = ["*", "x"]
    let id = try await bucket.beginSession(new, initiator: [7]).id
    try await bucket.put("a", "1")
    let second = try first.reopened()
    let session = try await second.storage.session(id)
    #expect(session.object.preconditions == new.preconditions)
    let again = try await second.bucket()
    #expect(await code { _ = try await session.finish(again) } == .conditionNotMet)
    #expect(try await again.text("a") == "1")
    second.threads.stop()
    try first.close()
  }

  @Test func `uploads beside each other keep the disk's reserve together`() async throws {
    let fixture = try StorageFixture()
    var configuration = fixture.storage.configuration
    configuration.reservedBytes = 32 << 20
    let disk = SmallDisk(base: fixture.blobs, room: 48 << 20)
    let storage = ObjectStorage(
      engine: fixture.engine,
      blobs: disk,
      threads: fixture.threads,
      configuration: configuration
    )
    let bucket = try await storage.bucket(fixture.permit())
    var (begun, refused): ([ObjectUpload], [ObjectUpload]) = ([], [])
    for number in 0..<32 {
      let upload = try await bucket.beginUpload(NewObject(try ObjectName("\(number)")))
      let isRefused = await code { try await upload.write([1]) } == .insufficientStorage
      if isRefused { refused.append(upload) } else { begun.append(upload) }
    }
    // Each has its byte and a step.
    #expect(begun.count == 15)
    for upload in begun {
      let bytes = [UInt8](repeating: 7, count: Int(RoomGrant.step))
      #expect(await code { try await upload.write(bytes) } == nil)
    }
    for upload in begun + refused { await upload.cancel() }
    begun = []
    refused = []
    #expect(storage.room.granted == 0)
    try await bucket.put("small", "There is room again.")
    try fixture.close()
  }

  @Test func `the disk's reserve is not used by what comes in one request`() async throws {
    let fixture = try StorageFixture()
    var configuration = fixture.storage.configuration
    configuration.reservedBytes = 32 << 20
    let storage = ObjectStorage(
      engine: fixture.engine,
      blobs: SmallDisk(base: fixture.blobs, room: 48 << 20),
      threads: fixture.threads,
      configuration: configuration
    )
    let bucket = try await storage.bucket(fixture.permit())
    let large = Parts(bytes: [UInt8](repeating: 7, count: 40 << 20), size: 1 << 20)
    let new = NewObject(try ObjectName("o"))
    #expect(await code { _ = try await bucket.upload(new, from: large) } == .insufficientStorage)
    let session = try await Self.begin(bucket, of: nil)
    #expect(await code { _ = try await session.receive(at: 0, large) } == .insufficientStorage)
    guard case .active(let received) = try await session.status(bucket) else {
      Issue.record("the upload is over")
      return
    }
    #expect(received > 8 << 20 && received <= 16 << 20)
    try await session.cancel()
    #expect(try fixture.files() == (0, 0))
    try await bucket.put("small", "There is room again.")
    try fixture.close()
  }
}

/// A disk with room for so many bytes, of which what was written and not removed takes some.
private final class SmallDisk: BlobStore {
  private let base: any BlobStore
  private let room: Int64
  private let written = Mutex<[BlobID: Int64]>([:])

  init(base: any BlobStore, room: Int64) {
    self.base = base
    self.room = room
  }

  var shardCount: Int { base.shardCount }

  func begin(_ id: BlobID) async throws -> any BlobWriter {
    Writer(base: try await base.begin(id)) { count in
      self.written.withLock { $0[id, default: 0] += count }
    }
  }

  func resume(_ id: BlobID, at progress: BlobProgress) async throws -> any BlobWriter {
    try await base.resume(id, at: progress)
  }

  func open(_ id: BlobID) async throws -> any BlobReader { try await base.open(id) }

  func openUnfinished(_ id: BlobID, _ progress: BlobProgress) async throws -> any BlobReader {
    try await base.openUnfinished(id, progress)
  }

  func remove(_ id: BlobID) async throws {
    try await base.remove(id)
    written.withLock { $0[id] = nil }
  }

  func finishedBlobs(inShard shard: Int) async throws -> [BlobID] {
    try await base.finishedBlobs(inShard: shard)
  }

  func unfinishedBlobs() async throws -> [BlobID] { try await base.unfinishedBlobs() }

  func availableBytes() async throws -> Int64? {
    room - written.withLock { $0.values.reduce(0, +) }
  }

  private final class Writer: BlobWriter {
    private let base: any BlobWriter
    private let note: @Sendable (Int64) -> Void

    init(base: any BlobWriter, note: @escaping @Sendable (Int64) -> Void) {
      self.base = base
      self.note = note
    }

    func write(_ bytes: [UInt8]) async throws {
      try await base.write(bytes)
      note(Int64(bytes.count))
    }

    func persist() async throws -> BlobProgress { try await base.persist() }

    func finish() async throws { try await base.finish() }

    func close() async { await base.close() }
  }
}

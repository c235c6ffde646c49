import FirestoreModel
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
      } == .invalid
    )
    #expect(await code { _ = try await fixture.storage.session(session.id) } == .notFound)
    #expect(try fixture.files() == (0, 0))
    try fixture.close()
  }

  @Test func `a cancelled upload is gone, whoever comes after`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let session = try await Self.begin(bucket)
    _ = try await session.receive(at: 0, Parts(bytes: pattern(5)))
    try await session.cancel()
    try await session.cancel()
    #expect(await code { _ = try await session.receive(at: 5, Parts(bytes: [1])) } == .notFound)
    #expect(await code { _ = try await session.finish(bucket) } == .notFound)
    #expect(await code { _ = try await fixture.storage.session(session.id) } == .notFound)
    #expect(try fixture.files() == (0, 0))
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
    let fixture = try StorageFixture { $0.uploadLimits = (project: 2, all: 3) }
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
    let open = try await fixture.storage.read {
      try ($0.openUploads(of: "p"), $0.openUploads(of: ""))
    }
    #expect(open == (0, 0))
    try fixture.close()
  }
}

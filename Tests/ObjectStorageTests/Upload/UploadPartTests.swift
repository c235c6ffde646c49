import Access
import BaseText
import Testing

@testable import ObjectStorage

/// Parts of multipart uploads, which count as what is unfinished.
@Suite struct UploadPartTests {
  private static func store(_ fixture: StorageFixture) async throws -> Bucket {
    try await fixture.storage.makeBucket(
      fixture.permit("some-parts", project: UploadPart.project.string),
      BucketConfiguration()
    )
  }

  private static func put(
    _ part: UploadPart,
    _ name: String,
    _ bytes: Int,
    of project: Text,
    _ store: Bucket
  ) async throws {
    var new = NewObject(try ObjectName(name))
    part.describe(&new.attributes, of: project)
    _ = try await store.upload(new, from: Parts(bytes: pattern(bytes)))
  }

  private static func open(
    _ fixture: StorageFixture,
    _ project: Text
  ) async throws -> (count: Int64, bytes: Int64) {
    let open = try await fixture.storage.read {
      try $0.openUploads(StorageKey.openUploads(project))
    }
    return (open.count, open.bytes)
  }

  @Test func `parts count for their project from their commit to their deletion`() async throws {
    let fixture = try StorageFixture()
    let store = try await Self.store(fixture)
    try await Self.put(.upload, "u", 5, of: "p", store)
    try await Self.put(.part, "1", 100, of: "p", store)
    try await Self.put(.part, "2", 50, of: "p", store)
    try await Self.put(.part, "1", 70, of: "p", store)
    try await Self.put(.part, "3", 9, of: "q", store)
    #expect(try await Self.open(fixture, "p") == (1, 125))
    #expect(try await Self.open(fixture, "q") == (0, 9))
    #expect(try await Self.open(fixture, "") == (1, 134))
    for name in ["u", "1", "2", "3"] { try await store.delete(try ObjectName(name)) }
    for project in ["p", "q", ""] as [Text] {
      #expect(try await Self.open(fixture, project) == (0, 0))
    }
    try fixture.close()
  }

  @Test func `parts and resumable uploads share the bounds of a project`() async throws {
    let fixture = try StorageFixture {
      $0.uploadLimits.project = UploadLimits.Bound(count: 2, bytes: 1_000)
    }
    let store = try await Self.store(fixture)
    let bucket = try await fixture.bucket()
    let new = NewObject(try ObjectName("o"), expected: ExpectedContent(size: 600))
    let session = try await bucket.beginSession(new, initiator: [])
    try await Self.put(.upload, "u", 5, of: "p", store)
    #expect(
      await code { try await Self.put(.upload, "v", 5, of: "p", store) } == .quotaExceeded
    )
    #expect(await code { try await Self.put(.part, "1", 396, of: "p", store) } == .quotaExceeded)
    try await Self.put(.part, "1", 395, of: "p", store)
    try await Self.put(.part, "1", 395, of: "q", store)
    try await session.cancel()
    try await Self.put(.part, "2", 500, of: "p", store)
    try fixture.close()
  }

  @Test func `parts are no project's, whose quota is for objects`() async throws {
    let fixture = try StorageFixture { $0.projectQuotaBytes = 10 }
    try await Self.put(.part, "1", 100, of: "p", try await Self.store(fixture))
    let bucket = try await fixture.bucket()
    #expect(await code { try await bucket.put("a", "more than ten") } == .quotaExceeded)
    try await bucket.put("a", "few")
    try fixture.close()
  }

  @Test func `objects of other buckets count for nothing, whatever their metadata`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    try await Self.put(.upload, "u", 5, of: "p", bucket)
    #expect(try await Self.open(fixture, "p") == (0, 0))
    try await bucket.delete(try ObjectName("u"))
    #expect(try await Self.open(fixture, "") == (0, 0))
    try fixture.close()
  }

  @Test func `what is said of parts does not become the object's`() {
    var attributes = ObjectAttributes()
    attributes.metadata = ["a": "b"]
    UploadPart.upload.describe(&attributes, of: "p")
    UploadPart.part.describe(&attributes, of: "p")
    UploadPart.strip(&attributes)
    #expect(attributes.metadata == ["a": "b"])
  }
}

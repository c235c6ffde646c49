import BaseStatus
import Testing

@testable import Access
@testable import ObjectStorage

/// Uploads whose bytes come so slowly that the right to them may have ended meanwhile.
@Suite struct LateUploadTests {
  private static func permit(
    due: ContinuousClock.Instant,
    _ check: @escaping BucketPermit.Check
  ) -> BucketPermit {
    let id = BucketID(project: "p", name: "p.appspot.com")
    return BucketPermit(id, .administrator, account: .init(check: check, due: due))
  }

  @Test func `an upload whose account lost its right while its bytes came stores nothing`()
    async throws
  {
    let fixture = try StorageFixture()
    let permit = Self.permit(due: .now) { () throws(ServiceError) in throw AccessControl.denied }
    let bucket = try await fixture.storage.bucket(permit)
    let upload = try await bucket.beginUpload(NewObject(try ObjectName("late")))
    try await upload.write([1, 2, 3])
    await #expect(throws: ServiceError.self) { _ = try await upload.finish() }
    await upload.cancel()
    #expect(await code { _ = try await bucket.object(ObjectName("late")) } == .notFound)
    try fixture.close()
  }

  @Test func `an upload that is quick asks no account again`() async throws {
    let fixture = try StorageFixture()
    let permit = Self.permit(due: .now + .seconds(3_600)) { () throws(ServiceError) in
      throw AccessControl.denied
    }
    let bucket = try await fixture.storage.bucket(permit)
    let upload = try await bucket.beginUpload(NewObject(try ObjectName("quick")))
    try await upload.write([1, 2, 3])
    #expect(try await upload.finish().size == 3)
    try fixture.close()
  }
}

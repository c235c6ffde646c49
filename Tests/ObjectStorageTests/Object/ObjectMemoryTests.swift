import Foundation
import Testing

@testable import ObjectStorage

/// Downloads that memory answers alone.
@Suite struct ObjectMemoryTests {
  private static func name(_ text: String) throws -> ObjectName { try ObjectName(text) }

  /// The text of an object as memory has it; nil where that does not suffice.
  private static func remembered(_ text: String, _ fixture: StorageFixture) throws -> String? {
    let permit = try fixture.permit()
    let bucket = try BucketName("p.appspot.com")
    return try fixture.storage.objectInMemory(name(text), ofBucket: bucket) { _ in permit }
      .map { String(decoding: $0.content, as: UTF8.self) }
  }

  @Test func `an object is remembered once it was downloaded`() async throws {
    let fixture = try StorageFixture()
    #expect(try Self.remembered("a", fixture) == nil)
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "1")
    #expect(try Self.remembered("a", fixture) == nil)
    #expect(try await bucket.smallContent(of: object) == Array("1".utf8))
    #expect(try Self.remembered("a", fixture) == "1")
    try FileManager.default.removeItem(atPath: fixture.blobs.finishedPath(object.blob))
    #expect(try Self.remembered("a", fixture) == "1")
    try fixture.close()
  }

  @Test func `what changed is not remembered as it was`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let first = try await bucket.put("a", "1")
    _ = try await bucket.smallContent(of: first)
    let second = try await bucket.put("a", "2")
    #expect(try Self.remembered("a", fixture) == nil)
    // Who had read the object before it was replaced keeps what nobody gets.
    _ = try? await bucket.smallContent(of: first)
    #expect(try Self.remembered("a", fixture) == nil)
    _ = try await bucket.smallContent(of: second)
    #expect(try Self.remembered("a", fixture) == "2")
    let third = try await bucket.update(second.name) { $0.contentType = "text/plain" }
    #expect(try Self.remembered("a", fixture) == nil)
    _ = try await bucket.smallContent(of: third)
    try await bucket.delete(third.name)
    #expect(try Self.remembered("a", fixture) == nil)
    try fixture.close()
  }

  @Test func `a bucket made anew has nothing of the old one`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "1")
    _ = try await bucket.smallContent(of: object)
    try await bucket.delete(object.name)
    try await bucket.delete()
    #expect(try Self.remembered("a", fixture) == nil)
    _ = try await fixture.bucket()
    #expect(try Self.remembered("a", fixture) == nil)
    try fixture.close()
  }

  @Test func `large objects and older versions are not remembered`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.isVersioned = true }
    let large = try await bucket.upload(
      NewObject(Self.name("large")),
      from: Parts(bytes: pattern((64 << 10) + 1))
    )
    #expect(try await bucket.smallContent(of: large) == nil)
    let first = try await bucket.put("a", "1")
    try await bucket.put("a", "2")
    let older = try await bucket.object(first.name, generation: first.generation)
    #expect(try await bucket.smallContent(of: older) == Array("1".utf8))
    #expect(try Self.remembered("a", fixture) == nil)
    try fixture.close()
  }

  @Test func `what is remembered keeps to its bound, and what is used stays`() async throws {
    let fixture = try StorageFixture()
    let object = try await fixture.bucket().put("a", "1")
    try fixture.close()
    let memory = ObjectMemory(bytes: 32 * 40_000)
    func isKept(_ number: Int) -> Bool { memory.object(Array("\(number)".utf8)) != nil }
    let content = pattern(10_000)
    for number in 0..<400 {
      memory.keep(object, content, Array("\(number)".utf8))
      #expect(isKept(0))
    }
    let kept = (0..<400).count(where: isKept)
    #expect(kept > 30 && kept <= 32 * 4)
    #expect(memory.takes(20_000) && !memory.takes(20_001))
    #expect(!ObjectMemory(bytes: 0).takes(1))
  }

  @Test func `content that is not all there is not told`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "12")
    try Data("1".utf8).write(
      to: URL(fileURLWithPath: fixture.blobs.finishedPath(object.blob))
    )
    #expect(await code { _ = try await bucket.smallContent(of: object) } == .corrupt)
    try FileManager.default.removeItem(atPath: fixture.blobs.finishedPath(object.blob))
    #expect(await code { _ = try await bucket.smallContent(of: object) } == .corrupt)
    try await bucket.delete(object.name)
    #expect(await code { _ = try await bucket.smallContent(of: object) } == .notFound)
    try fixture.close()
  }
}

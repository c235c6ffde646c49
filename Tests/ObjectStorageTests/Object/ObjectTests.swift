import BaseText
import Checksums
import Foundation
import Testing

@testable import ObjectStorage

@Suite struct ObjectTests {
  @Test func `what was uploaded is there, with its hashes and attributes`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    var new = NewObject(try ObjectName("users/é/1"))
    new.attributes.contentType = "image/png"
    new.attributes.metadata = ["é": "1", "e\u{301}": "2"]
    let content = pattern(1_000_000)
    let object = try await bucket.upload(new, from: Parts(bytes: content, size: 70_000))
    #expect(object.size == 1_000_000 && object.metageneration == 1)
    var crc = CRC32C()
    crc.update(content)
    #expect(object.hashes.crc32c == crc.value)
    let found = try await bucket.object(new.name)
    #expect(found == object)
    #expect(found.attributes.metadata.count == 2)
    #expect(try await bucket.bytes(of: found) == content)
    #expect(try await bucket.bytes(of: found, 999_990..<1_000_000) == Array(content[999_990...]))
    #expect(try await bucket.text("users/e\u{301}/1") == nil)
    let again = try fixture.reopened()
    #expect(try await again.bucket().object(new.name) == object)
    again.threads.stop()
    try fixture.close()
  }

  @Test(arguments: [
    "", ".", "..", "a\nb", "a\rb", "a\0b", ".well-known/acme-challenge/x",
    String(repeating: "é", count: 513),
  ])
  func `what cannot be a name is refused`(name: String) {
    #expect(throws: StorageError.self) { try ObjectName(name) }
  }

  @Test func `content that is not what was said of it is not stored`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let md5 = Array(repeating: UInt8(7), count: 16)
    for expected in [
      ExpectedContent(size: 4), ExpectedContent(size: 6), ExpectedContent(crc32c: 1),
      ExpectedContent(md5: md5),
    ] {
      let new = NewObject(try ObjectName("a"), expected: expected)
      #expect(
        await code { _ = try await bucket.upload(new, from: Parts(bytes: [1, 2, 3, 4, 5])) }
          == (expected.size == nil ? .contentMismatch : .invalid)
      )
    }
    let cut = Parts(bytes: [1, 2], isCut: true)
    await #expect(throws: Parts.Gone.self) {
      try await bucket.upload(NewObject(try ObjectName("a")), from: cut)
    }
    #expect(try await bucket.text("a") == nil)
    #expect(try fixture.files() == (0, 0))
    #expect(try await bucket.usage() == BucketUsage())
    try fixture.close()
  }

  @Test func `preconditions are decided with the write`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let first = try await bucket.put("a", "1", .absent)
    #expect(await code { try await bucket.put("a", "2", .absent) } == .conditionNotMet)
    var same = ObjectPreconditions()
    same.generation = first.generation
    same.metageneration = 1
    let second = try await bucket.put("a", "2", same)
    #expect(second.generation > first.generation)
    #expect(await code { try await bucket.put("a", "3", same) } == .conditionNotMet)
    var other = ObjectPreconditions()
    other.notGeneration = second.generation
    #expect(
      await code { _ = try await bucket.object(second.name, other) } == .notModified
    )
    #expect(await code { try await bucket.delete(second.name, other) } == .conditionNotMet)
    #expect(try await bucket.text("a") == "2")
    try fixture.close()
  }

  @Test func `of many who make one object at once one wins`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let outcomes = await withTaskGroup(of: StorageError.Code?.self) { group in
      for number in 0..<16 {
        group.addTask { await code { try await bucket.put("a", "\(number)", .absent) } }
      }
      return await group.reduce(into: [StorageError.Code?]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == nil } == 1)
    #expect(outcomes.count { $0 == .conditionNotMet } == 15)
    #expect(try fixture.files() == (1, 0))
    try fixture.close()
  }

  @Test func `attributes change alone`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "1")
    let changed = try await bucket.update(object.name) { $0.metadata["k"] = "v" }
    #expect(changed.generation == object.generation && changed.metageneration == 2)
    #expect(changed.entityTag != object.entityTag)
    #expect(try await bucket.text("a") == "1")
    let large = Text(String(repeating: "x", count: 9_000))
    #expect(
      await code { _ = try await bucket.update(object.name) { $0.metadata["k"] = large } }
        == .invalid
    )
    #expect(
      await code { _ = try await bucket.update(object.name) { $0.contentType = "a\nb" } }
        == .invalid
    )
    #expect(await code { _ = try await bucket.update(ObjectName("b")) { _ in } } == .notFound)
    try fixture.close()
  }

  @Test func `a bucket with versions keeps what was replaced and deleted`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.isVersioned = true }
    let first = try await bucket.put("a", "1")
    let second = try await bucket.put("a", "2")
    #expect(try await bucket.object(first.name, generation: first.generation).isLive == false)
    try await bucket.delete(first.name)
    #expect(try await bucket.text("a") == nil)
    var query = ObjectQuery()
    query.versions = .all
    let page = try await bucket.list(query)
    #expect(page.objects.map(\.generation) == [first.generation, second.generation])
    let old = try await bucket.object(first.name, generation: first.generation)
    #expect(try await bucket.bytes(of: old) == Array("1".utf8))
    try await bucket.delete(first.name, generation: first.generation)
    try await bucket.delete(first.name, generation: second.generation)
    #expect(try await bucket.usage() == BucketUsage())
    try await fixture.storage.removeReleasedBlobs()
    #expect(try fixture.files() == (0, 0))
    try fixture.close()
  }

  @Test func `what was deleted is restored until its time is over`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.softDeleteSeconds = 604_800 }
    let object = try await bucket.put("a", "1")
    try await bucket.delete(object.name)
    #expect(try await bucket.text("a") == nil)
    #expect(
      await code { _ = try await bucket.object(object.name, generation: object.generation) }
        == .notFound
    )
    let restored = try await bucket.restore(object.name, generation: object.generation)
    #expect(restored.generation > object.generation)
    #expect(try await bucket.text("a") == "1")
    #expect(try await bucket.usage().objects == 1)
    try await bucket.delete(object.name)
    var query = ObjectQuery()
    query.versions = .softDeleted
    #expect(try await bucket.list(query).objects.map(\.generation) == [restored.generation])
    try await fixture.storage.sweep()
    #expect(try fixture.files() == (1, 0))
    fixture.time.advance(days: 365 * 100)
    try await fixture.storage.sweep()
    #expect(try await bucket.list(query).objects.isEmpty)
    #expect(try fixture.files() == (0, 0))
    try fixture.close()
  }

  @Test func `what is held is neither deleted nor replaced`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "1")
    _ = try await bucket.update(object.name) { $0.isHeld = true }
    #expect(await code { try await bucket.delete(object.name) } == .forbidden)
    #expect(await code { try await bucket.put("a", "2") } == .forbidden)
    _ = try await bucket.update(object.name) { $0.isHeld = false }
    #expect(await code { try await bucket.delete(object.name) } == nil)
    try fixture.close()
  }

  @Test func `copies share bytes and live without each other`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let other = try await fixture.bucket("p.firebasestorage.app")
    let source = try await bucket.put("a", "text")
    _ = try await bucket.update(source.name) { $0.contentType = "text/plain" }
    let copy = ObjectCopy(source.name, to: NewObject(try ObjectName("b")))
    let made = try await bucket.copy(copy, to: other)
    #expect(made.attributes.contentType == "text/plain" && made.hashes == source.hashes)
    #expect(try fixture.files().finished == 1)
    try await bucket.delete(source.name)
    try await fixture.storage.removeReleasedBlobs()
    #expect(try await other.text("b") == "text")
    #expect(await code { _ = try await bucket.copy(copy, to: other) } == .notFound)
    let move = ObjectCopy(made.name, to: NewObject(try ObjectName("c")))
    _ = try await other.move(move)
    #expect(try await other.text("b") == nil)
    #expect(try await other.text("c") == "text")
    try await other.delete(try ObjectName("c"))
    try await fixture.storage.removeReleasedBlobs()
    #expect(try fixture.files() == (0, 0))
    try fixture.close()
  }

  @Test(arguments: [false, true], [false, true])
  func `an object that replaces itself keeps its bytes`(
    isVersioned: Bool,
    isMoved: Bool
  ) async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.isVersioned = isVersioned }
    let first = try await bucket.put("a", "text")
    // Twice: the second time the source is itself a copy.
    for _ in 0..<2 {
      let copy = ObjectCopy(first.name, to: NewObject(first.name))
      let made = try await isMoved ? bucket.move(copy) : bucket.copy(copy, to: bucket)
      #expect(made.blob == first.blob && made.generation > first.generation)
      try await fixture.storage.removeReleasedBlobs()
      #expect(try await bucket.text("a") == "text")
    }
    #expect(try await bucket.usage().objects == (isVersioned ? 3 : 1))
    #expect(try fixture.files() == (1, 0))
    try fixture.close()
  }

  @Test(arguments: [false, true])
  func `what is put while an object is moved is moved, and not lost`(isVersioned: Bool) async throws
  {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.isVersioned = isVersioned }
    let old = try await bucket.put("a", "old")
    let copy = ObjectCopy(old.name, to: NewObject(try ObjectName("b")))
    try await bucket.put("a", "new")
    await #expect(throws: SourceChanged.self) { _ = try await bucket.move(old, copy) }
    #expect(try await bucket.text("a") == "new")
    #expect(try await bucket.text("b") == nil)
    var stale = copy
    stale.sourcePreconditions.generation = old.generation
    #expect(await code { _ = try await bucket.move(stale) } == .conditionNotMet)
    _ = try await bucket.move(copy)
    #expect(try await bucket.text("a") == nil)
    #expect(try await bucket.text("b") == "new")
    #expect(try await bucket.usage().objects == (isVersioned ? 3 : 1))
    #expect(try await fixture.storage.differences().isEmpty)
    try fixture.close()
  }

  @Test func `a hold that comes while an object is moved counts`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let free = try await bucket.put("a", "1")
    let copy = ObjectCopy(free.name, to: NewObject(try ObjectName("b")))
    _ = try await bucket.update(free.name) { $0.isHeld = true }
    await #expect(throws: SourceChanged.self) { _ = try await bucket.move(free, copy) }
    #expect(await code { _ = try await bucket.move(copy) } == .forbidden)
    #expect(try await bucket.text("a") == "1")
    #expect(try await bucket.text("b") == nil)
    try fixture.close()
  }

  @Test func `an older version is moved without the live one`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.isVersioned = true }
    let old = try await bucket.put("a", "old")
    try await bucket.put("a", "new")
    var copy = ObjectCopy(old.name, to: NewObject(try ObjectName("b")))
    copy.generation = old.generation
    _ = try await bucket.move(copy)
    #expect(try await bucket.text("a") == "new")
    #expect(try await bucket.text("b") == "old")
    #expect(try await bucket.usage().objects == 2)
    try fixture.close()
  }

  @Test func `preconditions by tags are of the object that is there`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    func put(_ text: String, _ tags: [String]?, not: [String]? = nil) async -> StorageError.Code? {
      var conditions = ObjectPreconditions()
      conditions.entityTags = tags
      conditions.notEntityTags = not
      let those = conditions
      return await code { try await bucket.put("a", text, those) }
    }
    #expect(await put("1", ["*"]) == .conditionNotMet)
    #expect(await put("1", nil, not: ["*"]) == nil)
    #expect(await put("2", nil, not: ["*"]) == .conditionNotMet)
    let tag = try await bucket.object(try ObjectName("a")).entityTag
    #expect(await put("2", nil, not: ["x", tag]) == .conditionNotMet)
    #expect(await put("2", ["x"]) == .conditionNotMet)
    #expect(await put("2", ["x", tag]) == nil)
    #expect(await put("3", [tag]) == .conditionNotMet)
    #expect(await put("3", ["*"], not: [tag]) == nil)
    #expect(try await bucket.text("a") == "3")
    try fixture.close()
  }

  @Test func `a tag of content is its MD5, or that of the parts that it came in`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let whole = try await bucket.put("a", "hello")
    #expect(whole.contentTag == "5d41402abc4b2a76b9719d911017c592")
    let changed = try await bucket.update(whole.name) { $0.contentType = "text/plain" }
    #expect(changed.contentTag == whole.contentTag && changed.entityTag != whole.entityTag)
    var new = NewObject(try ObjectName("parts"))
    new.partsTag = "0123-2"
    let joined = try await bucket.upload(new, from: Parts(bytes: [1, 2]))
    #expect(joined.contentTag == "0123-2" && joined.hashes.md5 != nil)
    #expect(try await bucket.object(new.name) == joined)
    let copy = ObjectCopy(new.name, to: NewObject(try ObjectName("copy")))
    #expect(try await bucket.copy(copy, to: bucket).contentTag == "0123-2")
    let composed = try await bucket.compose(
      [ComposeSource(whole.name)],
      into: NewObject(try ObjectName("composed"))
    )
    #expect(composed.contentTag == "-" + composed.entityTag)
    for tag in [whole.contentTag, changed.entityTag] {
      var conditions = ObjectPreconditions()
      conditions.entityTags = [tag]
      #expect(throws: Never.self) { try conditions.check(changed) }
      #expect(throws: StorageError.self) { try conditions.check(joined) }
    }
    try fixture.close()
  }

  @Test func `an object that is copied onto itself with other attributes keeps its bytes`()
    async throws
  {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "text")
    var copy = ObjectCopy(object.name, to: NewObject(object.name))
    copy.target.attributes.storageClass = "NEARLINE"
    copy.keepsAttributes = false
    let made = try await bucket.copy(copy, to: bucket)
    #expect(made.attributes.storageClass == "NEARLINE" && made.blob == object.blob)
    try await fixture.storage.removeReleasedBlobs()
    #expect(try await bucket.text("a") == "text")
    try await bucket.delete(object.name)
    try await fixture.storage.removeReleasedBlobs()
    #expect(try fixture.files() == (0, 0))
    try fixture.close()
  }

  @Test func `objects are composed of others`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    try await bucket.put("a", "one ")
    try await bucket.put("b", "two")
    let sources = try ["a", "b", "a"].map { ComposeSource(try ObjectName($0)) }
    let made = try await bucket.compose(sources, into: NewObject(try ObjectName("c")))
    #expect(made.componentCount == 3 && made.hashes.md5 == nil)
    // None of the sources' types is that of the whole.
    #expect(made.attributes.contentType == nil)
    #expect(try await bucket.text("c") == "one twoone ")
    var crc = CRC32C()
    crc.update(Array("one twoone ".utf8))
    #expect(made.hashes.crc32c == crc.value)
    let many = try (0..<33).map { _ in ComposeSource(try ObjectName("a")) }
    #expect(
      await code { _ = try await bucket.compose(many, into: NewObject(made.name)) } == .invalid
    )
    #expect(await code { _ = try await bucket.compose([], into: NewObject(made.name)) } == .invalid)
    try fixture.close()
  }

  @Test func `a custom time goes forward alone, and a new object begins anew`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let name = try ObjectName("a")
    try await bucket.put("a", "1")
    func set(_ time: Int64?, _ nanos: Int64 = 0) async -> StorageError.Code? {
      await code {
        _ = try await bucket.update(name) {
          ($0.customTime, $0.customTimeNanos) = (time, nanos)
        }
      }
    }
    #expect(await set(nil) == nil)
    #expect(await set(-5, 7) == nil)
    for (time, nanos) in [(nil, 0), (-6, 999), (-5, 6)] as [(Int64?, Int64)] {
      #expect(await set(time, nanos) == .invalid)
    }
    #expect(await set(-5, 7) == nil)
    #expect(await set(-5, 8) == nil)
    #expect(await set(10) == nil)
    let reopened = try fixture.reopened()
    let stored = try await reopened.bucket().object(name)
    #expect(stored.attributes.customTime == 10 && stored.attributes.customTimeNanos == 0)
    // What was refused changed nothing.
    #expect(stored.metageneration == 6)
    try await reopened.bucket().put("a", "2")
    #expect(try await reopened.bucket().object(name).attributes.customTime == nil)
    try reopened.close()
  }

  @Test func `a damaged source is not composed of`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "one")
    let path = fixture.blobs.finishedPath(object.blob)
    try Data("onf".utf8).write(to: URL(fileURLWithPath: path))
    let sources = [ComposeSource(object.name)]
    #expect(
      await code { _ = try await bucket.compose(sources, into: NewObject(try ObjectName("c"))) }
        == .corrupt
    )
    #expect(try fixture.files() == (1, 0))
    try fixture.close()
  }
}

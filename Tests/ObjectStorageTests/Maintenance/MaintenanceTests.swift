import Foundation
import Testing

@testable import ObjectStorage

@Suite struct MaintenanceTests {
  @Test func `orphans are removed, and nothing else`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    try await bucket.put("a", "1")
    let session = try await bucket.beginSession(NewObject(try ObjectName("b")), initiator: [])
    _ = try await session.receive(at: 0, Parts(bytes: [1]))
    let upload = try await bucket.beginUpload(NewObject(try ObjectName("c")))
    try await upload.write(Array(repeating: 1, count: ObjectContent.partBytes))
    for isFinished in [true, false] {
      let writer = try await fixture.blobs.begin(.random())
      try await writer.write([1])
      if isFinished { try await writer.finish() }
    }
    #expect(try fixture.files() == (2, 3))
    #expect(try await fixture.storage.removeOrphans() == 2)
    #expect(try fixture.files() == (1, 2))
    _ = try await upload.finish()
    _ = try await session.finish(bucket)
    #expect(try await fixture.storage.removeOrphans() == 0)
    #expect(try fixture.files() == (3, 0))
    try fixture.close()
  }

  @Test func `a blob that is marked as released and has an object stays`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "1")
    try fixture.engine.write { try $0.putMarker(StorageKey.releasedBlob(object.blob)) }
    try await fixture.storage.removeReleasedBlobs()
    #expect(try await bucket.text("a") == "1")
    let marked = try await fixture.storage.read { try $0.releasedBlobs(limit: 1) }
    #expect(marked.isEmpty)
    try fixture.close()
  }

  @Test func `a blob that is retained again is released no longer`() async throws {
    let fixture = try StorageFixture()
    let blob = BlobID.random()
    let released = try fixture.engine.write { group in
      try group.retain(blob, size: 1)
      try group.release(blob)
      let released = try group.releasedBlobs(limit: 2)
      try group.retain(blob, size: 1)
      return released
    }
    #expect(released == [blob])
    let marked = try await fixture.storage.read { try $0.releasedBlobs(limit: 1) }
    #expect(marked.isEmpty)
    try fixture.close()
  }

  @Test func `a sweep beside uploads takes nothing away`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        group.addTask { try await bucket.put("o\(number)", "\(number)") }
      }
      group.addTask {
        for _ in 0..<5 { _ = try await fixture.storage.removeOrphans() }
        return try await bucket.put("last", "last")
      }
      try await group.waitForAll()
    }
    for number in 0..<40 { #expect(try await bucket.text("o\(number)") == "\(number)") }
    try fixture.close()
  }

  @Test func `lifecycle rules delete by age, prefix and count of versions`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    var aged = LifecycleRule(.delete)
    aged.age = 30
    aged.prefixes = ["tmp/"]
    var versions = LifecycleRule(.delete)
    versions.newerVersions = 2
    let rules = [aged, versions]
    _ = try await bucket.update {
      $0.lifecycle = rules
      $0.isVersioned = true
    }
    try await bucket.put("tmp/a", "1")
    for text in ["1", "2", "3", "4"] { try await bucket.put("kept", text) }
    try await fixture.storage.sweep()
    var query = ObjectQuery()
    query.versions = .all
    #expect(try await bucket.names(query).objects == ["kept", "kept", "tmp/a"])
    fixture.time.advance(days: 365 * 100)
    try await fixture.storage.sweep()
    #expect(try await bucket.names(ObjectQuery()).objects == ["kept"])
    #expect(try await bucket.text("kept") == "4")
    try fixture.close()
  }

  @Test func `lifecycle rules take any number of days that they are given`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    for number in [-1, Int64(Int32.max) + 1, .max] {
      var rule = LifecycleRule(.delete)
      rule.age = number
      let rules = [rule]
      #expect(await code { _ = try await bucket.update { $0.lifecycle = rules } } == .invalid)
    }
    var rule = LifecycleRule(.delete)
    rule.age = Int64(Int32.max)
    let rules = [rule]
    _ = try await bucket.update { $0.lifecycle = rules }
    let object = try await bucket.put("a", "1")
    try await fixture.storage.sweep()
    #expect(try await bucket.text("a") == "1")
    for (days, passed) in [(0, true), (1, true), (2, false)] as [(Int64, Bool)] {
      rule.age = days
      let now = object.created + 86_400_000_000
      #expect(rule.matches(object, newer: 0, now: now) == passed)
      #expect(!rule.matches(object, newer: 0, now: object.created - 1))
    }
    try fixture.close()
  }

  @Test func `a missing file is told as damage, not as a missing object`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "1")
    try FileManager.default.removeItem(atPath: fixture.blobs.finishedPath(object.blob))
    #expect(await code { _ = try await bucket.content(of: object) } == .corrupt)
    try fixture.close()
  }

  @Test func `a full disk refuses uploads and lets deletes go on`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "1")
    let full = try StorageFixture(
      engine: fixture.engine,
      directory: fixture.directory
    ) { $0.reservedBytes = .max / 2 }
    let same = try await full.bucket()
    #expect(await code { try await same.put("b", "1") } == .insufficientStorage)
    #expect(
      await code {
        _ = try await same.beginSession(NewObject(object.name), initiator: [])
      } == .insufficientStorage
    )
    try await same.delete(object.name)
    #expect(try await bucket.text("a") == nil)
    full.threads.stop()
    try fixture.close()
  }

  @Test func `a verification finds bits that turned, bytes that are missing and wrong counts`()
    async throws
  {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let other = try await fixture.bucket("p.firebasestorage.app")
    var objects: [StoredObject] = []
    for number in 0..<100 { objects.append(try await bucket.put("o\(number)", "text \(number)")) }
    try await other.put("x", "x")
    #expect(try await fixture.storage.differences() == [])
    let flipped = URL(fileURLWithPath: fixture.blobs.finishedPath(objects[3].blob))
    var bytes = try Data(contentsOf: flipped)
    bytes[2] ^= 1
    try bytes.write(to: flipped)
    let short = URL(fileURLWithPath: fixture.blobs.finishedPath(objects[4].blob))
    try Data("t".utf8).write(to: short)
    try FileManager.default.removeItem(atPath: fixture.blobs.finishedPath(objects[5].blob))
    let stored = other.stored
    try fixture.engine.write { try $0.delete(StorageKey.usage(stored.number)) }
    #expect(
      try await fixture.storage.differences() == [
        "p.appspot.com/o3: the bytes have another CRC32C",
        "p.appspot.com/o4: 1 bytes are stored, 6 were uploaded",
        "p.appspot.com/o5: its bytes are missing",
        "p.firebasestorage.app: its usage says 0 objects of 0 bytes; there are 1 of 1",
      ]
    )
    try fixture.close()
  }

  @Test(arguments: [1_000, 10, 1])
  func `a verification counts who names each blob, in parts or not`(_ atOnce: Int) async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    var objects: [StoredObject] = []
    for number in 0..<30 { objects.append(try await bucket.put("o\(number)", "text \(number)")) }
    let names: @Sendable () async throws -> [String] = {
      try await fixture.storage.verifyBlobs(atOnce: atOnce)
    }
    #expect(try await names() == [])
    let (more, fewer) = (objects[3].blob, objects[4].blob)
    try fixture.engine.write { group in
      try group.put(StorageKey.blob(more), BlobReferences(count: 2, size: 6).bytes)
      try group.delete(StorageKey.object(bucket.stored.number, objects[4].name))
    }
    let found = [
      "blob \(more): its record says 2 objects; there are 1",
      "blob \(fewer): its record says 1 objects; there are 0",
    ]
    #expect(try await names().sorted() == found.sorted())
    try fixture.close()
  }
}

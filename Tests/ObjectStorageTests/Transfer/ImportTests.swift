import Access
import Testing

@testable import ObjectStorage

@Suite struct ImportTests {
  /// The bucket into which objects are imported, and an import's state of it.
  private struct Target {
    let fixture: StorageFixture
    let bucket: Bucket

    init(softDeleteSeconds: Int64 = 604_800, isVersioned: Bool = false) async throws {
      fixture = try StorageFixture()
      bucket = try await fixture.bucket()
      _ = try await bucket.update {
        $0.softDeleteSeconds = softDeleteSeconds
        $0.isVersioned = isVersioned
      }
    }

    private var permit: AdministratorPermit {
      AccessControl.administratorPermit(atRest: fixture.databases)
    }

    /// Imports an object as a command does: with bytes of its own, unless it is there.
    func take(_ object: ImportedObject, _ text: String) async throws {
      guard try await fixture.storage.imported(object, in: bucket.stored, permit) == nil else {
        return
      }
      let bytes = try await fixture.storage.beginImport(permit)
      try await bytes.write(Array(text.utf8))
      let blob = try await bytes.finish(object.hashes)
      _ = try await finish(object, blob, isNew: true)
    }

    func finish(
      _ object: ImportedObject,
      _ bytes: ImportedBytes,
      isNew: Bool
    ) async throws -> StoredObject {
      try await fixture.storage.finishImport(
        object,
        bytes,
        isNew: isNew,
        in: bucket.stored,
        permit
      )
    }

    /// All generations, in every state.
    func generations() async throws -> [StoredObject] {
      let bucket = bucket.stored
      return try await fixture.storage.read {
        try $0.generations(of: bucket, .all, from: [], limit: .max).0
      }
    }

    /// Returns the differences that a verification finds after released bytes are gone; nothing is
    /// there that no object has.
    func differences() async throws -> [String] {
      try await fixture.storage.removeReleasedBlobs()
      var differences = try await fixture.storage.differences()
      let blobs = Set(try await generations().map(\.blob))
      let files = try fixture.files()
      if files != (blobs.count, 0) { differences.append("\(files) for \(blobs.count) blobs") }
      return differences
    }
  }

  @Test func `a deleted object that is imported and deleted again counts once`() async throws {
    let target = try await Target()
    let exported = try await target.bucket.put("a", "text")
    for _ in 0..<2 {
      try await target.bucket.delete(exported.name)
      try await target.take(ImportedObject(exported), "text")
      #expect(try await target.bucket.text("a") == "text")
      let found = try await target.generations()
      #expect(found.map(\.generation) == [exported.generation])
      let usage = try await target.bucket.usage()
      #expect(usage.objects == 1 && usage.bytes == 4)
      #expect(try await target.differences() == [])
    }
    try target.fixture.close()
  }

  @Test(arguments: [false, true])
  func `a standby follows what is deleted and replaced`(isVersioned: Bool) async throws {
    let (source, standby) = (
      try await Target(isVersioned: isVersioned), try await Target(isVersioned: isVersioned)
    )
    func follow() async throws {
      for _ in 0..<2 {
        for object in try await source.generations() {
          let text = String(decoding: try await source.bucket.bytes(of: object), as: UTF8.self)
          try await standby.take(ImportedObject(object), text)
        }
        let (there, here) = (try await source.generations(), try await standby.generations())
        #expect(here.map(\.generation) == there.map(\.generation))
        #expect(here.map(\.state) == there.map(\.state))
        #expect(try await standby.differences() == [])
      }
    }
    let first = try await source.bucket.put("a", "first")
    try await follow()
    try await source.bucket.delete(first.name)
    try await follow()
    #expect(try await standby.bucket.text("a") == nil)
    try await source.bucket.put("a", "second")
    try await follow()
    try await source.bucket.put("a", "third")
    try await follow()
    #expect(try await standby.bucket.text("a") == "third")
    let usage = try await source.bucket.usage()
    #expect(try await standby.bucket.usage() == usage)
    try source.fixture.close()
    try standby.fixture.close()
  }

  @Test func `an import of what has the same bytes as what gives way keeps them`() async throws {
    let target = try await Target(softDeleteSeconds: 0)
    let object = try await target.bucket.put("a", "text")
    var changed = ImportedObject(object)
    changed.metageneration += 1
    let stored = try await target.finish(changed, ImportedBytes(object.blob), isNew: false)
    #expect(stored.generation == object.generation && stored.blob == object.blob)
    #expect(try await target.differences() == [])
    #expect(try await target.bucket.text("a") == "text")
    try target.fixture.close()
  }

  @Test func `a live object that is held is not replaced by an older state of it`() async throws {
    let target = try await Target()
    let object = try await target.bucket.put("a", "text")
    _ = try await target.bucket.update(object.name) { $0.isHeld = true }
    var deleted = ImportedObject(object)
    deleted.state = .softDeleted(at: 1, until: .max)
    let older = deleted
    #expect(await code { try await target.take(older, "text") } == .forbidden)
    #expect(try await target.bucket.text("a") == "text")
    #expect(try await target.differences() == [])
    try target.fixture.close()
  }
}

extension ImportedObject {
  /// An object as an export has it.
  fileprivate init(_ object: StoredObject) {
    self.init(
      object.name,
      generation: object.generation,
      metageneration: object.metageneration,
      attributes: object.attributes,
      hashes: object.hashes,
      componentCount: object.componentCount,
      created: object.created,
      updated: object.updated,
      state: object.state
    )
  }
}

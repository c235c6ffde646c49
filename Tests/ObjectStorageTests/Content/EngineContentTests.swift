import Access
import KeyValueStore
import Testing

@testable import ObjectStorage

/// Small content, whose bytes are in the engine.
@Suite struct EngineContentTests {
  private static func fixture(_ limit: Int? = EngineContent.largest) throws -> StorageFixture {
    try StorageFixture { $0.engineContentBytes = limit }
  }

  /// The ids of all blobs whose bytes the engine has.
  private static func kept(_ fixture: StorageFixture) async throws -> Set<BlobID> {
    try await fixture.storage.read { view in
      let prefix = StorageKey.prefix(.content)
      let cursor = try view.cursor(over: KeyRange(prefix: prefix), reversed: false)
      var ids: Set<BlobID> = []
      while try cursor.next() {
        if let id = BlobID(Array(cursor.key[prefix.count...])) { ids.insert(id) }
      }
      return ids
    }
  }

  @Test(arguments: [
    (0, false, false), (1, true, false), (32_768, true, false), (32_769, false, true),
    (300_000, false, true),
  ])
  func `content is a value of the engine up to a size, and a file beyond`(
    size: Int,
    isValue: Bool,
    isFile: Bool
  ) async throws {
    let fixture = try Self.fixture()
    let bucket = try await fixture.bucket()
    let content = pattern(size)
    let object = try await bucket.upload(
      NewObject(try ObjectName("a")),
      from: Parts(bytes: content)
    )
    #expect(object.hashes.size == Int64(size))
    #expect(try await bucket.bytes(of: object) == content)
    #expect(try await Self.kept(fixture) == (isValue ? [object.blob] : []))
    #expect(try fixture.files() == (isFile ? 1 : 0, 0))
    if size < 64 << 10 { #expect(try await bucket.smallContent(of: object) == content) }
    #expect(try await fixture.storage.differences().isEmpty)
    try await bucket.delete(object.name)
    try await fixture.storage.removeReleasedBlobs()
    #expect(try await Self.kept(fixture).isEmpty)
    #expect(try fixture.files() == (0, 0))
    try fixture.close()
  }

  @Test(arguments: [nil, 100])
  func `a lower bound keeps less in the engine, and none nothing`(limit: Int?) async throws {
    let fixture = try Self.fixture(limit)
    let bucket = try await fixture.bucket()
    let sizes = [0, 100, 101]
    for size in sizes {
      let new = NewObject(try ObjectName("\(size)"))
      let object = try await bucket.upload(new, from: Parts(bytes: pattern(size)))
      #expect(try await bucket.bytes(of: object) == pattern(size))
    }
    #expect(try await Self.kept(fixture).count == (limit == nil ? 0 : 1))
    #expect(try fixture.files().finished == (limit == nil ? 3 : 1))
    try fixture.close()
  }

  @Test func `ranges are of the content`() async throws {
    let fixture = try Self.fixture()
    let bucket = try await fixture.bucket()
    let content = pattern(20_000)
    let object = try await bucket.upload(
      NewObject(try ObjectName("a")),
      from: Parts(bytes: content)
    )
    for range in [0..<Int64(1), 19_999..<20_000, 5..<15_000] {
      let expected = Array(content[Int(range.lowerBound)..<Int(range.upperBound)])
      #expect(try await bucket.bytes(of: object, range) == expected)
    }
    let stored = try await bucket.content(of: object)
    // It is in no file.
    #expect(try await !stored.forEachFilePart(0..<20_000) { _ in })
    try fixture.close()
  }

  @Test func `copies share the value until the last one is gone`() async throws {
    let fixture = try Self.fixture()
    let bucket = try await fixture.bucket()
    let object = try await bucket.put("a", "text")
    let copy = ObjectCopy(object.name, to: NewObject(try ObjectName("b")))
    _ = try await bucket.copy(copy, to: bucket)
    try await bucket.delete(object.name)
    #expect(try await bucket.text("b") == "text")
    #expect(try await Self.kept(fixture) == [object.blob])
    _ = try await bucket.move(ObjectCopy(try ObjectName("b"), to: NewObject(try ObjectName("c"))))
    #expect(try await bucket.text("c") == "text")
    #expect(try await fixture.storage.differences().isEmpty)
    try await bucket.put("c", "other")
    let now = try await bucket.object(try ObjectName("c"))
    #expect(try await Self.kept(fixture) == [now.blob])
    try fixture.close()
  }

  @Test func `older versions and what was deleted keep their values`() async throws {
    let fixture = try Self.fixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update {
      $0.isVersioned = true
      $0.softDeleteSeconds = 604_800
    }
    let first = try await bucket.put("a", "1")
    try await bucket.put("a", "2")
    let older = try await bucket.object(first.name, generation: first.generation)
    #expect(try await bucket.bytes(of: older) == Array("1".utf8))
    try await bucket.delete(first.name, generation: first.generation)
    #expect(try await Self.kept(fixture).count == 2)
    let restored = try await bucket.restore(first.name, generation: first.generation)
    #expect(try await bucket.bytes(of: restored) == Array("1".utf8))
    #expect(try await fixture.storage.differences().isEmpty)
    try fixture.close()
  }

  @Test func `objects are composed of values and files`() async throws {
    let fixture = try Self.fixture()
    let bucket = try await fixture.bucket()
    let small = try await bucket.put("a", "text")
    let large = try await bucket.upload(
      NewObject(try ObjectName("b")),
      from: Parts(bytes: pattern(100_000))
    )
    let all = try await bucket.compose(
      [small, large, small].map { ComposeSource($0.name) },
      into: NewObject(try ObjectName("c"))
    )
    let text = Array("text".utf8)
    #expect(try await bucket.bytes(of: all) == text + pattern(100_000) + text)
    try fixture.close()
  }

  @Test func `an upload that is refused leaves nothing`() async throws {
    let fixture = try Self.fixture()
    let bucket = try await fixture.bucket()
    _ = try await bucket.update { $0.quotaBytes = 100 }
    try await bucket.put("a", "text")
    let refused: [(NewObject, [UInt8], StorageError.Code)] = [
      (NewObject(try ObjectName("a"), preconditions: .absent), [1], .conditionNotMet),
      (NewObject(try ObjectName("b"), expected: ExpectedContent(crc32c: 1)), [1], .contentMismatch),
      (NewObject(try ObjectName("b")), pattern(200), .quotaExceeded),
    ]
    for (new, bytes, expected) in refused {
      #expect(
        await code { _ = try await bucket.upload(new, from: Parts(bytes: bytes)) } == expected
      )
    }
    #expect(try await Self.kept(fixture).count == 1)
    #expect(try fixture.files() == (0, 0))
    #expect(fixture.storage.blobsInUse.count == 0)
    try fixture.close()
  }

  @Test func `a verification finds values that are damaged or missing`() async throws {
    let fixture = try Self.fixture()
    let bucket = try await fixture.bucket()
    let damaged = try await bucket.put("a", "text")
    let missing = try await bucket.put("b", "text")
    let shorter = try await bucket.put("c", "text")
    try fixture.engine.write { group in
      try group.put(StorageKey.content(damaged.blob), Array("tExt".utf8))
      try group.delete(StorageKey.content(missing.blob))
      try group.put(StorageKey.content(shorter.blob), Array("tex".utf8))
    }
    let found = try await fixture.storage.differences()
    #expect(
      found == [
        "p.appspot.com/a: the bytes have another CRC32C", "p.appspot.com/b: its bytes are missing",
        "p.appspot.com/c: 3 bytes are stored, 4 were uploaded",
      ]
    )
    #expect(await code { _ = try await bucket.content(of: missing) } == .corrupt)
    #expect(await code { _ = try await bucket.smallContent(of: shorter) } == .corrupt)
    try fixture.close()
  }

  @Test func `what is imported is kept as what is uploaded`() async throws {
    let fixture = try Self.fixture()
    let bucket = try await fixture.bucket()
    let permit = AccessControl.administratorPermit(atRest: fixture.databases)
    for size in [0, 1, 32_768, 32_769] {
      let content = pattern(size)
      var hasher = ContentHasher()
      hasher.update(content)
      let object = ImportedObject(
        try ObjectName("\(size)"),
        generation: 1,
        metageneration: 1,
        attributes: ObjectAttributes(),
        hashes: hasher.hashes,
        componentCount: nil,
        created: 1,
        updated: 1,
        state: .live
      )
      let bytes = try await fixture.storage.beginImport(permit)
      for part in stride(from: 0, to: size, by: 10_000) {
        try await bytes.write(Array(content[part..<min(part + 10_000, size)]))
      }
      let stored = try await fixture.storage.finishImport(
        object,
        try await bytes.finish(hasher.hashes),
        isNew: true,
        in: bucket.stored,
        permit
      )
      #expect(try await bucket.bytes(of: stored) == content)
    }
    #expect(try await Self.kept(fixture).count == 2)
    #expect(try fixture.files() == (1, 0))
    #expect(try await fixture.storage.differences().isEmpty)
    try fixture.close()
  }
}

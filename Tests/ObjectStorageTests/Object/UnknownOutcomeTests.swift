import Access
import Testing

@testable import ObjectStorage

/// A commit that begins and fails may come into force at the next start: nothing that it needs is removed.
@Suite struct UnknownOutcomeTests {
  /// Stores the object `f`, whose commit fails.
  enum Way: CaseIterable {
    case atOnce, inParts, composed, imported

    func run(_ fixture: StorageFixture, _ bucket: Bucket, _ bytes: [UInt8]) async throws {
      let new = NewObject(try ObjectName("f"))
      switch self {
      case .atOnce: _ = try await bucket.upload(new, from: Parts(bytes: bytes))
      case .inParts:
        let long = bytes + pattern(2 * ObjectContent.partBytes)
        _ = try await bucket.upload(new, from: Parts(bytes: long))
      case .composed:
        let source = ComposeSource(try ObjectName("source"))
        _ = try await bucket.compose([source, source], into: new)
      case .imported: try await importObject(fixture, bucket, bytes)
      }
    }

    private func importObject(
      _ fixture: StorageFixture,
      _ bucket: Bucket,
      _ bytes: [UInt8]
    ) async throws {
      let permit = AccessControl.administratorPermit(atRest: fixture.databases)
      var hasher = ContentHasher()
      hasher.update(bytes)
      let blob = try await fixture.storage.beginImport(permit)
      try await blob.write(bytes)
      _ = try await fixture.storage.finishImport(
        ImportedObject(
          try ObjectName("f"),
          generation: 1,
          metageneration: 1,
          attributes: ObjectAttributes(),
          hashes: hasher.hashes,
          componentCount: nil,
          created: 1,
          updated: 1,
          state: .live
        ),
        try await blob.finish(hasher.hashes),
        isNew: true,
        in: bucket.stored,
        permit
      )
    }
  }

  @Test(arguments: Way.allCases, [true, false])
  func `what a failed commit may need stays until the store has decided`(
    way: Way,
    comesIntoForce: Bool
  ) async throws {
    let fixture = try StorageFixture(isDoubtful: true)
    let engine = try #require(fixture.doubtful)
    let bucket = try await fixture.bucket()
    try await bucket.put("f", "old")
    try await bucket.put("source", "new")
    engine.state.withLock { $0 = .failing(comesIntoForce: comesIntoForce) }
    let failure = await #expect(throws: StorageError.self) {
      try await way.run(fixture, bucket, Array("new".utf8))
    }
    #expect(failure?.code == .unavailable && failure?.leavesOutcomeUnknown == true)
    // While the store takes no writes nothing is swept, and the old object is there.
    try? await fixture.storage.removeReleasedBlobs()
    _ = try? await fixture.storage.removeOrphans()
    #expect(try await bucket.text("f") == "old")
    #expect(fixture.storage.blobsInUse.count == 0)
    try engine.restart()
    fixture.storage.noteReleased()
    try await fixture.storage.removeReleasedBlobs()
    #expect(try await fixture.storage.removeOrphans() == (comesIntoForce ? 0 : 1))
    let found = try #require(try await bucket.text("f"))
    #expect(comesIntoForce ? found.hasPrefix("new") : found == "old")
    #expect(try await fixture.storage.differences() == [])
    #expect(try fixture.files() == (2, 0))
    try fixture.close()
  }

  @Test(arguments: [true, false])
  func `a resumable upload that is sent again after a failed commit takes nothing from it`(
    comesIntoForce: Bool
  ) async throws {
    let fixture = try StorageFixture(isDoubtful: true)
    let engine = try #require(fixture.doubtful)
    let bucket = try await fixture.bucket()
    let begun = try await bucket.beginSession(NewObject(try ObjectName("f")), initiator: [])
    let bytes = Array("new".utf8)
    _ = try await begun.receive(at: 0, isLast: true, Parts(bytes: bytes))
    engine.state.withLock { $0 = .failing(comesIntoForce: comesIntoForce) }
    await #expect(throws: StorageError.self) { try await begun.finish(bucket) }
    // The client sends all again, and so does one whose session is no longer in memory.
    let forgotten = UploadSession(fixture.storage, try await record(of: begun.id, fixture))
    for session in [begun, forgotten] {
      await #expect(throws: StorageError.self) {
        _ = try await session.receive(at: 0, isLast: true, Parts(bytes: bytes))
      }
    }
    #expect(try fixture.files() == (1, 0))
    try engine.restart()
    let again = UploadSession(fixture.storage, try await record(of: begun.id, fixture))
    if !comesIntoForce {
      _ = try await again.receive(at: 0, isLast: true, Parts(bytes: bytes))
    }
    _ = try await again.finish(bucket)
    #expect(try await bucket.text("f") == "new")
    #expect(try await fixture.storage.differences() == [])
    try fixture.close()
  }

  private func record(of id: UploadID, _ fixture: StorageFixture) async throws -> UploadRecord {
    try #require(try await fixture.storage.read { try $0.upload(id) })
  }

  @Test func `what a refused commit leaves is removed at once`() async throws {
    let fixture = try StorageFixture(isDoubtful: true)
    let engine = try #require(fixture.doubtful)
    let bucket = try await fixture.bucket()
    engine.state.withLock { $0 = .stopped }
    await #expect(throws: StorageError.self) { try await bucket.put("f", "new") }
    #expect(try fixture.files() == (0, 0))
    try fixture.close()
  }
}

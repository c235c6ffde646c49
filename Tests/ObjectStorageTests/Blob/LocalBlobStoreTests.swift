import BaseRuntime
import Foundation
import Synchronization
import Testing

@testable import ObjectStorage

@Suite struct LocalBlobStoreTests {
  @Test(arguments: [256, 0])
  func `it does what every store does, also without descriptors to keep`(
    openFiles: Int
  ) async throws {
    let threads = EngineThreads(count: 2)
    defer { threads.stop() }
    let directory = NSTemporaryDirectory() + "blobs-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let store = try LocalBlobStore(directory: directory, threads: threads, openFiles: openFiles)
    try await BlobStoreSuite(store: store).run()
  }

  @Test func `a shard that is missing is made at the next opening`() async throws {
    let threads = EngineThreads(count: 2)
    defer { threads.stop() }
    let directory = NSTemporaryDirectory() + "blobs-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    _ = try LocalBlobStore(directory: directory, threads: threads)
    for name in ["00", "7f", "ff"] {
      try FileManager.default.removeItem(atPath: "\(directory)/finished/\(name)")
    }
    let store = try LocalBlobStore(directory: directory, threads: threads)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory + "/finished")
    #expect(names.count == 256)
    for _ in 0..<3 {
      let id = BlobID.random()
      try await store.store(id, [1, 2, 3])
      #expect(try await store.contents(id, size: 3) == [1, 2, 3])
    }
  }

  @Test func `an unfinished blob that lost bytes is not gone on with`() async throws {
    let fixture = try StorageFixture()
    let id = BlobID.random()
    let writer = try await fixture.blobs.begin(id)
    try await writer.write([1, 2, 3])
    await writer.close()
    let progress = BlobProgress(offset: 4)
    #expect(
      await code { _ = try await fixture.blobs.resume(id, at: progress) } == .corrupt
    )
    try fixture.close()
  }

  @Test(arguments: [(256, true), (0, false)])
  func `parts of an open file are read ahead for its sender`(
    openFiles: Int,
    hasOpenFile: Bool
  ) async throws {
    let fixture = try StorageFixture(openFiles: openFiles)
    let bucket = try await fixture.bucket()
    let content = pattern(3_000_000)
    let object = try await bucket.upload(
      NewObject(try ObjectName("a")),
      from: Parts(bytes: content, size: 100_000)
    )
    for range in [0..<Int64(3_000_000), 5..<6, 1_048_570..<2_097_160, 2_999_999..<3_000_000] {
      let stored = try await bucket.content(of: object)
      let read = FileParts()
      #expect(try await stored.forEachFilePart(range) { try read.take($0) } == hasOpenFile)
      let expected = Array(content[Int(range.lowerBound)..<Int(range.upperBound)])
      #expect(read.bytes == (hasOpenFile ? expected : []))
    }
    try fixture.close()
  }

  /// The content of the parts' descriptors.
  private final class FileParts: Sendable {
    private let all = Mutex<[UInt8]>([])

    var bytes: [UInt8] { all.withLock { $0 } }

    func take(_ part: BlobFilePart) throws {
      let read = try FileCall.read(
        part.descriptor,
        at: part.range.lowerBound,
        count: part.range.count,
        "a part"
      )
      all.withLock { $0 += read }
    }
  }

  @Test func `a file that was replaced or removed is sent as it was opened, a cut one not`()
    async throws
  {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let new = NewObject(try ObjectName("a"))
    let object = try await bucket.upload(new, from: Parts(bytes: pattern(2_000_000)))
    let path = fixture.blobs.finishedPath(object.blob)
    let opened = try await bucket.content(of: object)
    try await bucket.delete(object.name)
    try await fixture.storage.removeReleasedBlobs()
    #expect(!FileManager.default.fileExists(atPath: path))
    let read = FileParts()
    _ = try await opened.forEachFilePart(0..<2_000_000) { try read.take($0) }
    #expect(read.bytes == pattern(2_000_000))
    let second = try await bucket.upload(new, from: Parts(bytes: pattern(2_000_000)))
    let cut = try await bucket.content(of: second)
    let file = try FileHandle(
      forWritingTo: URL(fileURLWithPath: fixture.blobs.finishedPath(second.blob))
    )
    try file.truncate(atOffset: 1_500_000)
    let rest = FileParts()
    let failure = await code {
      _ = try await cut.forEachFilePart(0..<2_000_000) { try rest.take($0) }
    }
    #expect(failure == .corrupt)
    #expect(rest.bytes.count < 1_500_000)
    try fixture.close()
  }

  @Test(arguments: ["", "0", String(repeating: "g", count: 32), String(repeating: "0", count: 33)])
  func `what is no id is none`(text: String) {
    #expect(BlobID(hexadecimal: text) == nil)
  }

  @Test func `an id and its text are the same`() {
    let id = BlobID.random()
    #expect(BlobID(hexadecimal: id.description) == id)
  }
}

import Foundation
import KeyValueStore
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

  @Test(arguments: ["", "0", String(repeating: "g", count: 32), String(repeating: "0", count: 33)])
  func `what is no id is none`(text: String) {
    #expect(BlobID(hexadecimal: text) == nil)
  }

  @Test func `an id and its text are the same`() {
    let id = BlobID.random()
    #expect(BlobID(hexadecimal: id.description) == id)
  }
}

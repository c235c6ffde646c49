import FirebaseStorage
import Foundation
import SDKTestSupport
import Synchronization
import Testing

/// Uploads and downloads under way: observers, pauses, cuts, the end of patience.
@Suite
struct StorageTaskTests {
  private static func proxy(_ faults: [CuttingProxy.Fault]) throws -> CuttingProxy {
    try CuttingProxy(to: BrasaServer.shared.get().port, faults: faults)
  }

  /// A proxy with faults of the connections that slices of an upload are sent on.
  private static func uploadProxy(_ faults: [CuttingProxy.Fault]) throws -> CuttingProxy {
    #if canImport(FoundationNetworking)
    // The requests before them have a connection of their own.
    try proxy([.holdSending(after: .max)] + faults)
    #else
    try proxy(faults)
    #endif
  }

  @Test
  func `a task tells how it goes`() async throws {
    let proxy = try Self.proxy([.holdSending(after: 0)])
    defer { proxy.stop() }
    let fixture = try await StorageFixture(proxy, slice: 262_144)
    let log = TaskLog()
    let reference = fixture.storage.reference(withPath: "open/a")
    let task = reference.putData(StorageFixture.bytes(600_000))
    log.follow(task)
    proxy.release()
    let end = await task.wait(for: .success)
    #expect(end.status == .success && end.error == nil && end.reference == reference)
    #expect(end.metadata?.size == 600_000 && end.task === task)
    #expect(end.progress?.totalUnitCount == 600_000)
    #expect(end.progress?.completedUnitCount == 600_000)
    let last = log.statuses.last
    #expect(last == .success && log.statuses.contains(.progress))
    #expect(!log.statuses.contains(.failure) && !log.statuses.contains(.pause))
    // Who comes late hears of the end all the same, and steering does nothing any more.
    #expect(await task.wait(for: .success).status == .success)
    task.pause()
    task.resume()
    task.cancel()
    #expect(task.snapshot.status == .success)
    try await fixture.remove()
  }

  @Test
  func `an upload goes on where the connection broke`() async throws {
    let proxy = try Self.uploadProxy([
      .cutSending(after: 100_000), .cutSending(after: 200_000), .cutSending(after: 300_000),
    ])
    defer { proxy.stop() }
    let fixture = try await StorageFixture(proxy)
    let bytes = StorageFixture.bytes(1_000_000)
    let reference = fixture.storage.reference(withPath: "open/cut")
    let stored = try await reference.putDataAsync(bytes)
    #expect(stored.size == 1_000_000 && stored.md5Hash == "P0PHWkG5oNMJPtCBDTYyhA==")
    #expect(proxy.connectionCount >= 4)
    // What had arrived was not sent again, but for what the cuts swallowed.
    #expect(proxy.sentBytes < 1_600_000)
    #expect(fixture.clock.waited > 0)
    #expect(try await reference.data(maxSize: 1_000_000) == bytes)
    try await fixture.remove()
  }

  @Test
  func `an upload whose last answer was lost is not made twice`() async throws {
    let proxy = try Self.uploadProxy([.loseAnswer(after: 50_000)])
    defer { proxy.stop() }
    let fixture = try await StorageFixture(proxy)
    let reference = fixture.storage.reference(withPath: "open/lost")
    let stored = try await reference.putDataAsync(StorageFixture.bytes(100_000))
    let now = try await reference.getMetadata()
    #expect(now.generation == stored.generation && now.size == 100_000)
    #expect(proxy.sentBytes < 150_000)
    try await fixture.remove()
  }

  @Test
  func `a download goes on where the connection broke`() async throws {
    let proxy = try Self.proxy([.cutAnswer(after: 350_000), .cutAnswer(after: 150_000)])
    defer { proxy.stop() }
    let fixture = try await StorageFixture(proxy, slice: 262_144)
    let bytes = StorageFixture.bytes(1_000_000)
    let reference = fixture.storage.reference(withPath: "open/a")
    let direct = Storage(app: fixture.app, bucket: fixture.bucket)
    _ = try await direct.reference(withPath: "open/a").putDataAsync(bytes)
    let file = fixture.directory.appendingPathComponent("a")
    let seen = Mutex<[Int64]>([])
    _ = try await reference.writeAsync(toFile: file) { progress in
      seen.withLock { $0.append(progress?.completedUnitCount ?? -1) }
    }
    #expect(try Data(contentsOf: file) == bytes)
    #expect(proxy.connectionCount >= 3)
    #expect(seen.withLock { $0.contains { $0 > 0 && $0 < 1_000_000 } })
    try await fixture.remove()
  }

  @Test
  func `a download begins anew where the object became another`() async throws {
    // The second slice is cut, be it on the connection of the first or on one of its own.
    let proxy = try Self.proxy([.cutAnswer(after: 350_000), .cutAnswer(after: 100_000)])
    defer { proxy.stop() }
    let fixture = try await StorageFixture()
    let direct = fixture.storage.reference(withPath: "open/a")
    _ = try await direct.putDataAsync(StorageFixture.bytes(600_000))
    let new = Data(repeating: 7, count: 250_000)
    let replacement = Replacement(of: direct, by: new)
    let storage = Storage(
      app: fixture.app,
      bucket: fixture.bucket,
      clock: replacement.clock,
      sliceBytes: 262_144
    )
    storage.useEmulator(withHost: "127.0.0.1", port: proxy.port)
    let file = fixture.directory.appendingPathComponent("a")
    _ = try await storage.reference(withPath: "open/a").writeAsync(toFile: file)
    #expect(replacement.isDone)
    #expect(try Data(contentsOf: file) == new)
    try await fixture.remove()
  }

  @Test(arguments: [("yZRlqg==", true), ("yZRlqw==", false)])
  func `bytes with another checksum than the server's are not taken`(
    checksum: String,
    isRight: Bool
  ) async throws {
    let server = try AnsweringServer { _ in
      let hash = (name: "X-Goog-Hash", value: "crc32c=\(checksum),md5=XrY7u+Ae7tCTyyK7j1rNww==")
      return AnsweringServer.Answer(200, [hash], body: "hello world")
    }
    defer { server.stop() }
    let fixture = try await StorageFixture()
    let storage = Storage(app: fixture.app, bucket: fixture.bucket, clock: fixture.clock.clock)
    storage.useEmulator(withHost: "127.0.0.1", port: server.port)
    let reference = storage.reference(withPath: "open/a")
    let file = fixture.directory.appendingPathComponent("checked")
    let failure = await storageFailure { _ = try await reference.writeAsync(toFile: file) }
    #expect(failure == (isRight ? nil : .nonMatchingChecksum))
    #expect(FileManager.default.fileExists(atPath: file.path) == isRight)
    try await fixture.remove()
  }

  @Test
  func `an upload that was paused goes on`() async throws {
    let proxy = try Self.uploadProxy([.holdSending(after: 100_000)])
    defer { proxy.stop() }
    let fixture = try await StorageFixture(proxy, slice: 262_144)
    let bytes = StorageFixture.bytes(1_000_000)
    let reference = fixture.storage.reference(withPath: "open/paused")
    let log = TaskLog()
    let task = reference.putData(bytes)
    log.follow(task)
    _ = await task.wait(for: .progress)
    task.pause()
    let paused = await task.wait(for: .pause)
    #expect(paused.status == .pause && (paused.progress?.completedUnitCount ?? 0) < 1_000_000)
    task.pause()
    proxy.release()
    task.resume()
    let end = await task.wait(for: .success)
    #expect(end.metadata?.md5Hash == "P0PHWkG5oNMJPtCBDTYyhA==")
    #expect(log.statuses.filter { $0 == .pause }.count == 1)
    #expect(log.statuses.filter { $0 == .success }.count == 1)
    #expect(proxy.sentBytes < 1_600_000)
    try await fixture.remove()
  }

  @Test
  func `a task that is cancelled fails once`() async throws {
    let proxy = try Self.uploadProxy([.holdSending(after: 100_000)])
    defer { proxy.stop() }
    let fixture = try await StorageFixture(proxy)
    let reference = fixture.storage.reference(withPath: "open/cancelled")
    let heard = Mutex<[Int]>([])
    let log = TaskLog()
    let task = reference.putData(StorageFixture.bytes(400_000)) { metadata, error in
      heard.withLock { $0.append((error as NSError?)?.code ?? (metadata == nil ? 0 : 1)) }
    }
    log.follow(task)
    _ = await task.wait(for: .progress)
    task.cancel()
    let end = await task.wait(for: .failure)
    #expect((end.error as NSError?)?.code == StorageErrorCode.cancelled.rawValue)
    task.resume()
    task.cancel()
    fixture.storage.callbackQueue.sync {}
    #expect(heard.withLock { $0 } == [-13040])
    #expect(log.statuses.filter { $0 == .failure }.count == 1)
    #expect(!log.statuses.contains(.success))
    #expect(await storageFailure { _ = try await reference.getMetadata() } == .objectNotFound)
    proxy.release()
    try await fixture.remove()
  }

  @Test
  func `a task of asynchronous code ends with it`() async throws {
    let proxy = try Self.uploadProxy([.holdSending(after: 100_000)])
    defer { proxy.stop() }
    let fixture = try await StorageFixture(proxy)
    let reference = fixture.storage.reference(withPath: "open/a")
    let waiting = Task { try await reference.putDataAsync(StorageFixture.bytes(400_000)) }
    waiting.cancel()
    #expect(await storageFailure { _ = try await waiting.value } == .cancelled)
    proxy.release()
    try await fixture.remove()
  }

  @Test
  func `an app that is deleted has no tasks`() async throws {
    let proxy = try Self.uploadProxy([.holdSending(after: 100_000)])
    defer { proxy.stop() }
    let fixture = try await StorageFixture(proxy)
    let storage = Storage.storage(app: fixture.app)
    storage.callbackQueue = DispatchQueue(label: "callbacks")
    storage.useEmulator(withHost: "127.0.0.1", port: proxy.port)
    let task = storage.reference(withPath: "open/a").putData(StorageFixture.bytes(400_000))
    _ = await task.wait(for: .progress)
    try await fixture.remove()
    #expect(await task.wait(for: .failure).error != nil)
    proxy.release()
  }

  @Test
  func `patience ends where there is no server`() async throws {
    let proxy = try Self.proxy([])
    let port = proxy.port
    proxy.stop()
    let fixture = try await StorageFixture()
    let storage = Storage(app: fixture.app, bucket: fixture.bucket, clock: fixture.clock.clock)
    storage.useEmulator(withHost: "127.0.0.1", port: port)
    let reference = storage.reference(withPath: "open/a")
    #expect(await storageFailure { _ = try await reference.getMetadata() } == .retryLimitExceeded)
    #expect(fixture.clock.waited > 56 && fixture.clock.waited <= 120)
    storage.maxUploadRetryTime = 10
    storage.maxDownloadRetryTime = 0
    #expect(
      await storageFailure { _ = try await reference.putDataAsync(Data()) } == .retryLimitExceeded
    )
    #expect(fixture.clock.waited <= 130)
    #expect(
      await storageFailure { _ = try await reference.data(maxSize: 1) } == .retryLimitExceeded
    )
    try await fixture.remove()
  }

  @Test
  func `callbacks come with an error or a value`() async throws {
    let fixture = try await StorageFixture()
    let reference = fixture.storage.reference(withPath: "open/a")
    let stored = await withCheckedContinuation { continuation in
      reference.putData(Data("abc".utf8), metadata: nil) { metadata, error in
        continuation.resume(returning: error == nil ? metadata?.size : nil)
      }
    }
    #expect(stored == 3)
    let read: Data? = await withCheckedContinuation { continuation in
      reference.getData(maxSize: 10) { (result: Result<Data, any Error>) in
        continuation.resume(returning: try? result.get())
      }
    }
    #expect(read == Data("abc".utf8))
    #expect(await Self.wasDeleted(reference))
    #expect(await !Self.wasDeleted(reference))
    try await fixture.remove()
  }

  /// In the words of apps, for which a result here would be an error that is never nil.
  private static func wasDeleted(_ reference: StorageReference) async -> Bool {
    await withCheckedContinuation { continuation in
      reference.delete { error in
        if error != nil {
          continuation.resume(returning: false)
        } else {
          continuation.resume(returning: true)
        }
      }
    }
  }
}

/// Makes an object another one in the first wait of a clock.
private final class Replacement: Sendable {
  private let reference: StorageReference
  private let data: Data
  private let done = Mutex(false)

  var isDone: Bool { done.withLock { $0 } }

  init(of reference: StorageReference, by data: Data) {
    (self.reference, self.data) = (reference, data)
  }

  var clock: StorageClock {
    StorageClock(
      now: { Date(timeIntervalSince1970: 0) },
      sleep: { [self] _ in
        guard !isDone else { return }
        _ = try await reference.putDataAsync(data)
        done.withLock { $0 = true }
      }
    )
  }
}

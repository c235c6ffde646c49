import Foundation
import SDKTestSupport
import Synchronization
import Testing

@testable import FirebaseStorage

/// Tests of the end of tasks: the state that they leave behind, and their protection from servers
/// that misbehave.
@Suite
struct StorageTaskEndTests {
  /// The files of a fixture's app at another server, which is tried for ten seconds.
  private static func storage(_ fixture: StorageFixture, at port: Int) -> Storage {
    let storage = Storage(app: fixture.app, bucket: fixture.bucket, clock: fixture.clock.clock)
    storage.useEmulator(withHost: "127.0.0.1", port: port)
    storage.maxUploadRetryTime = 10
    storage.callbackQueue = DispatchQueue(label: "callbacks")
    return storage
  }

  /// A server that begins every upload and gives one response to all that follows.
  private static func uploadServer(
    _ headers: [(name: String, value: String)]
  ) throws -> AnsweringServer {
    try AnsweringServer { request in
      guard request.line.hasPrefix("POST") else { return AnsweringServer.Answer(200, headers) }
      return AnsweringServer.Answer(
        200,
        [
          (name: "X-Goog-Upload-Status", value: "active"),
          (name: "X-Goog-Upload-URL", value: "http://127.0.0.1:\(request.port)/upload"),
        ]
      )
    }
  }

  /// Waits until a task has failed; returns why.
  private static func failure(of task: StorageObservableTask) async -> StorageErrorCode? {
    let error = await task.wait(for: .failure).error as NSError?
    return error.flatMap { StorageErrorCode(rawValue: $0.code) }
  }

  @Test
  func `progress is told before an asynchronous call returns, and never after`() async throws {
    let fixture = try await StorageFixture()
    // What waits on the queue of callbacks comes too late.
    let queue = DispatchQueue(label: "busy")
    queue.suspend()
    fixture.storage.callbackQueue = queue
    let told = Mutex<[Int64]>([])
    let note: @Sendable (Progress?) -> Void = { progress in
      told.withLock { $0.append(progress?.completedUnitCount ?? -1) }
    }
    let reference = fixture.storage.reference(withPath: "open/a")
    _ = try await reference.putDataAsync(StorageFixture.bytes(300_000), onProgress: note)
    #expect(told.withLock { $0 } == [300_000])
    let file = fixture.directory.appendingPathComponent("a")
    _ = try await reference.writeAsync(toFile: file, onProgress: note)
    #expect(told.withLock { $0 } == [300_000, 300_000])
    queue.resume()
    queue.sync {}
    #expect(told.withLock { $0 } == [300_000, 300_000])
    try await fixture.remove()
  }

  @Test
  func `a redirect is not followed`() async throws {
    let fixture = try await StorageFixture()
    let target = try AnsweringServer.accepting()
    defer { target.stop() }
    let server = try AnsweringServer.redirecting(to: target.port)
    defer { server.stop() }
    let reference = Self.storage(fixture, at: server.port).reference(withPath: "open/a")
    #expect(await storageFailure { _ = try await reference.getMetadata() } == .unknown)
    #expect(await storageFailure { _ = try await reference.putDataAsync(Data([1])) } == .unknown)
    #expect(await storageFailure { _ = try await reference.data(maxSize: 9) } == .unknown)
    #expect(server.requests.count == 3 && target.requests.isEmpty)
    try await fixture.remove()
  }

  @Test
  func `a download that fails leaves nothing beside its file`() async throws {
    let fixture = try await StorageFixture()
    let reference = fixture.storage.reference(withPath: "open/a")
    _ = try await reference.putDataAsync(Data("abc".utf8))
    let folder = fixture.directory.appendingPathComponent("folder")
    let inside = folder.appendingPathComponent("inside")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    let task = reference.write(toFile: inside)
    #expect(await Self.failure(of: task) == .unknown)
    await task.settle()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["inside"])
    try await fixture.remove()
  }

  @Test
  func `a pause that comes too late does not undo a transfer`() async throws {
    let fixture = try await StorageFixture()
    let reference = fixture.storage.reference(withPath: "open/a")
    let transfer = FinishingTransfer()
    let task = StorageDownloadTask(reference, transfer, metadata: nil)
    task.enqueue()
    await transfer.hasBegun()
    task.pause()
    task.resume()
    await task.settle()
    #expect(task.snapshot.status == .success && transfer.runCount == 1)
    #expect(try await task.outcome().data == FinishingTransfer.data)
    try await fixture.remove()
  }

  @Test
  func `what observers hold may use the task when it goes`() async throws {
    let proxy = try CuttingProxy(
      to: BrasaServer.shared.get().port,
      faults: [.holdSending(after: 0)]
    )
    defer { proxy.stop() }
    let fixture = try await StorageFixture(proxy)
    let task = fixture.storage.reference(withPath: "open/a").putData(Data([1]))
    let gone = Count()
    task.removeObserver(withHandle: ObserverOwner.observe(task, gone))
    #expect(gone.value == 1)
    _ = ObserverOwner.observe(task, gone)
    task.removeAllObservers(for: .pause)
    #expect(gone.value == 2)
    _ = ObserverOwner.observe(task, gone)
    task.removeAllObservers()
    #expect(gone.value == 3)
    _ = ObserverOwner.observe(task, gone)
    task.cancel()
    #expect(gone.value == 4)
    proxy.release()
    await task.settle()
    try await fixture.remove()
  }

  @Test(arguments: ["-1", "4", "9223372036854775807"])
  func `a server that has more bytes than there are is not believed`(
    received: String
  ) async throws {
    let fixture = try await StorageFixture()
    let server = try Self.uploadServer([
      (name: "X-Goog-Upload-Status", value: "active"),
      (name: "X-Goog-Upload-Size-Received", value: received),
    ])
    defer { server.stop() }
    let storage = Self.storage(fixture, at: server.port)
    let task = storage.reference(withPath: "open/a").putData(Data("abc".utf8))
    #expect(await Self.failure(of: task) == .internalError)
    await task.settle()
    // The upload is given up at the server too.
    let commands = server.requests.map { $0.headers["x-goog-upload-command"] }
    #expect(commands == ["start", "upload, finalize", "cancel"])
    try await fixture.remove()
  }

  /// Answers of success that say of no byte that it arrived.
  private static let idleAnswers: [[(name: String, value: String)]] = [
    [], [(name: "X-Goog-Upload-Status", value: "cancelled")],
    [
      (name: "X-Goog-Upload-Status", value: "active"),
      (name: "X-Goog-Upload-Size-Received", value: "0"),
    ],
  ]

  @Test(arguments: idleAnswers)
  func `an upload of which nothing arrives ends with patience`(
    headers: [(name: String, value: String)]
  ) async throws {
    let fixture = try await StorageFixture()
    let server = try Self.uploadServer(headers)
    defer { server.stop() }
    let reference = Self.storage(fixture, at: server.port).reference(withPath: "open/a")
    let failure = await storageFailure { _ = try await reference.putDataAsync(Data("abc".utf8)) }
    #expect(failure == .retryLimitExceeded)
    #expect(fixture.clock.waited > 0 && fixture.clock.waited <= 10)
    try await fixture.remove()
  }
}

/// A transfer whose end no pause can stop any more.
private final class FinishingTransfer: Transfer {
  static let data = Data("done".utf8)

  private let begun = AsyncStream.makeStream(of: Void.self)
  private let end = AsyncStream.makeStream(of: Void.self)
  private let runs = Mutex(0)

  var runCount: Int { runs.withLock { $0 } }

  func hasBegun() async {
    for await _ in begun.stream { return }
  }

  func run(_ report: @escaping @Sendable (TransferProgress) -> Void) async throws -> TransferOutcome
  {
    runs.withLock { $0 += 1 }
    begun.continuation.yield()
    // Until the run is cancelled.
    for await _ in end.stream {}
    return TransferOutcome(data: Self.data)
  }

  func abandon() async {}
}

/// A count of events.
private final class Count: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  func increment() { count.withLock { $0 += 1 } }
}

/// The object that an observer holds, and that uses the task when it is released.
private final class ObserverOwner: Sendable {
  private let task: StorageObservableTask
  private let gone: Count

  private init(_ task: StorageObservableTask, _ gone: Count) {
    (self.task, self.gone) = (task, gone)
  }

  deinit {
    _ = task.snapshot
    gone.increment()
  }

  /// Observes a status that does not come, by a handler that alone holds an owner; returns its handle.
  static func observe(_ task: StorageObservableTask, _ gone: Count) -> String {
    let owner = ObserverOwner(task, gone)
    return task.observe(.pause) { _ in owner.gone.increment() }
  }
}

extension StorageTask {
  /// Waits for the end of what runs, also after the task's own.
  fileprivate func settle() async { await state.withLock { $0.run }?.value }
}

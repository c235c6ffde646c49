import Access
import BaseRuntime
import BaseText
import DocumentStore
import Foundation
import KeyValueStore
import Synchronization

@testable import ObjectStorage

/// Storage over an engine in memory and files of a directory of its own.
final class StorageFixture: Sendable {
  let directory: String
  let threads = EngineThreads(count: 4)
  let engine: MemoryEngine
  /// The engine that the storage writes to, where its writes are to fail.
  let doubtful: DoubtfulEngine?
  let databases: Databases
  let storage: ObjectStorage
  let blobs: LocalBlobStore
  /// The time of the storage, in microseconds; it rises with each look.
  let time: TestTime

  init(
    engine: MemoryEngine = MemoryEngine(),
    directory: String? = nil,
    time: TestTime = TestTime(),
    openFiles: Int = 256,
    isDoubtful: Bool = false,
    _ configure: (inout StorageConfiguration) -> Void = { _ in }
  ) throws {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
      "files-\(UUID().uuidString)"
    )
    self.directory = directory ?? scratch.path
    self.engine = engine
    doubtful = isDoubtful ? DoubtfulEngine(engine) : nil
    self.time = time
    databases = try Databases(engine: MemoryEngine(), configuration: StoreConfiguration())
    blobs = try LocalBlobStore(directory: self.directory, threads: threads, openFiles: openFiles)
    var configuration = StorageConfiguration()
    configuration.clock = MicrosecondClock { time.now() }
    configuration.reservedBytes = 0
    // Most tests look at files; those of the engine's content say so.
    configuration.engineContentBytes = nil
    configure(&configuration)
    storage = ObjectStorage(
      engine: doubtful ?? engine,
      blobs: blobs,
      threads: threads,
      configuration: configuration
    )
  }

  /// The same data, as after a restart.
  func reopened() throws -> StorageFixture {
    try StorageFixture(engine: engine, directory: directory, time: time)
  }

  func close() throws {
    threads.stop()
    databases.close()
    try FileManager.default.removeItem(atPath: directory)
  }

  func permit(
    _ bucket: String = "p.appspot.com",
    project: String = "p"
  ) throws -> BucketPermit {
    try AccessControl.administratorPermit(atRest: databases)
      .bucket(BucketID(project: Text(project), name: Text(bucket)))
  }

  func bucket(_ name: String = "p.appspot.com") async throws -> Bucket {
    try await storage.bucket(permit(name))
  }

  /// Makes a bucket as a server did that let every project have every name.
  func takeBucket(_ name: BucketName, for project: Text) async throws {
    try await storage.write { group in
      let number = try group.allocateVersion()
      try group.put(
        StoredBucket(name, project: project, number: number, configuration: BucketConfiguration())
      )
      try group.putMarker(StorageKey.projectBucket(project, name))
    }
  }

  /// The files below the directory's `finished` and `unfinished`.
  func files() throws -> (finished: Int, unfinished: Int) {
    let manager = FileManager.default
    let unfinished = try manager.contentsOfDirectory(atPath: directory + "/unfinished").count
    var finished = 0
    for shard in try manager.contentsOfDirectory(atPath: directory + "/finished") {
      finished += try manager.contentsOfDirectory(atPath: directory + "/finished/" + shard).count
    }
    return (finished, unfinished)
  }
}

/// A clock that tests set.
final class TestTime: Sendable {
  private let value = Mutex<Int64>(1_700_000_000_000_000)

  func now() -> Int64 { value.withLock { $0 } }

  func advance(days: Int64) { value.withLock { $0 += days * 86_400_000_000 } }
}

/// Bytes as they come from a client, in parts of a size.
struct Parts: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = any Error

  /// The client went away.
  struct Gone: Error {}

  var bytes: [UInt8]
  var size = 1_000
  /// True if the client goes away after the bytes.
  var isCut = false

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<UInt8>
    let size: Int
    let isCut: Bool

    mutating func next() async throws -> [UInt8]? {
      if rest.isEmpty, isCut { throw Gone() }
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(rest: bytes[...], size: size, isCut: isCut)
  }
}

extension Bucket {
  /// Stores an object of that text.
  @discardableResult
  func put(
    _ name: String,
    _ text: String,
    _ preconditions: ObjectPreconditions = ObjectPreconditions()
  ) async throws -> StoredObject {
    let new = NewObject(try ObjectName(name), preconditions: preconditions)
    return try await upload(new, from: Parts(bytes: Array(text.utf8)))
  }

  /// The text of the live generation; nil where there is none.
  func text(_ name: String) async throws -> String? {
    do {
      let object = try await object(try ObjectName(name))
      return String(decoding: try await bytes(of: object), as: UTF8.self)
    } catch let error as StorageError where error.code == .notFound {
      return nil
    }
  }

  func bytes(of object: StoredObject, _ range: Range<Int64>? = nil) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await part in try await content(of: object).parts(range) { bytes += part }
    return bytes
  }

  /// The names and prefixes of all pages of a list.
  func names(_ query: ObjectQuery) async throws -> (objects: [String], prefixes: [String]) {
    var query = query
    var (objects, prefixes) = ([String](), [String]())
    while true {
      let page = try await list(query)
      objects += page.objects.map(\.name.text.string)
      prefixes += page.prefixes.map(\.string)
      guard let next = page.next else { return (objects, prefixes) }
      query.token = try ObjectPageToken(next.text)
    }
  }
}

extension ObjectStorage {
  /// All differences that a verification finds, bucket by bucket.
  func differences() async throws -> [String] {
    var differences: [String] = []
    var position: VerificationPosition?
    repeat {
      let (found, next) = try await verify(from: position)
      differences += found.differences
      position = next
    } while position != nil
    return differences
  }
}

/// The code with which a call ends; nil where it goes well.
func code(of body: () async throws -> Void) async -> StorageError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? StorageError)?.code
  }
}

/// Bytes that differ from one position to the next.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 56)
  }
}

import Access
import BaseRuntime
import BaseText
import FirestoreModel
import KeyValueStore
import Synchronization

/// Buckets and their objects: metadata in the engine, bytes in a blob store.
///
/// An object is visible whole or not at all: its blob is durable before the commit of its record
/// makes it visible, and that commit decides what depends on others (preconditions, generations,
/// quotas). A removed object leaves its blob behind as *released* in the same commit; files are
/// removed after. So a crash leaves at most blobs that nothing names, and a sweep removes them. A
/// commit that began and failed may come into force at the next start: its blob stays (`discard`),
/// and the sweep, which writes before it removes, decides once the store takes writes.
///
/// A `Bucket` is had for a permit alone. Any thread may call.
package final class ObjectStorage: Sendable {
  let engine: any KeyValueEngine
  let blobs: any BlobStore
  let threads: EngineThreads
  /// The limits and the clock, fixed for the life of the storage.
  package let configuration: StorageConfiguration
  /// Blobs whose bytes arrive, or whose record is on its way.
  let blobsInUse = BlobsInUse()
  let sessions = UploadSessions()
  let uploadHashes = UploadHashes()
  let partMemory = PartMemory()
  let memory: ObjectMemory
  let room = KnownRoom()
  /// Raised when there are released blobs.
  let released = Mutex(true)
  /// For the metrics page; `maintain` keeps it up to date.
  let gauges = Mutex(Gauges())

  /// Storage on that engine and those blobs; the creator runs `maintain`.
  package init(
    engine: any KeyValueEngine,
    blobs: any BlobStore,
    threads: EngineThreads,
    configuration: StorageConfiguration = StorageConfiguration()
  ) {
    self.engine = engine
    self.blobs = blobs
    self.threads = threads
    self.configuration = configuration
    memory = ObjectMemory(bytes: configuration.memoryBytes)
  }

  /// The bucket that the permit is for; a project's default bucket is made on first use, and any where the
  /// configuration says so.
  package func bucket(_ permit: BucketPermit) async throws -> Bucket {
    let name = try BucketName(permit.bucket.name.string)
    if let stored = try await existingBucket(name, permit) { return Bucket(self, stored, permit) }
    let stored = try await write { group in
      if let other = try group.bucket(name) { return other }
      return try group.makeBucket(name, permit.bucket.project, BucketConfiguration())
    }
    return Bucket(self, stored, permit)
  }

  /// The bucket that the permit is for, where it is there; nil where its first use would make it, which this is not.
  package func madeBucket(_ permit: BucketPermit) async throws -> Bucket? {
    let name = try BucketName(permit.bucket.name.string)
    return try await existingBucket(name, permit).map { Bucket(self, $0, permit) }
  }

  /// The bucket that the permit is for, to read of: one that its first use would make has nothing, and reading makes none.
  package func readableBucket(_ permit: BucketPermit) async throws -> Bucket {
    if let bucket = try await madeBucket(permit) { return bucket }
    let name = try BucketName(permit.bucket.name.string)
    return Bucket(self, .unmade(name, project: permit.bucket.project), permit)
  }

  /// Returns the record of a bucket; for one that its first use will make, the record that it will
  /// have.
  ///
  /// Looking makes none: Google's client for Python looks for a bucket while it makes it.
  package func description(_ permit: BucketPermit) async throws -> StoredBucket {
    let name = try BucketName(permit.bucket.name.string)
    return try await existingBucket(name, permit)
      ?? StoredBucket(
        name,
        project: permit.bucket.project,
        number: configuration.clock.now(),
        configuration: BucketConfiguration()
      )
  }

  /// The bucket of that name; nil where there is none that its first use would not make.
  private func existingBucket(
    _ name: BucketName,
    _ permit: BucketPermit
  ) async throws -> StoredBucket? {
    let stored = try await storedBucket(name)
    let project = permit.bucket.project
    let isMadeOnUse =
      configuration.makesBuckets || BucketID.project(ofDefault: name.text) == project
    guard name.mayBelong(to: project), stored.map({ $0.project == project }) ?? isMadeOnUse else {
      throw StorageError.noBucket(name)
    }
    return stored
  }

  /// The project of a bucket, or the one that it would be of if it were made now; nil where that is none.
  ///
  /// A name that belongs to a project by its form is that project's, whichever made the bucket.
  package func project(ofBucket name: BucketName) async throws -> Text? {
    if let stored = try await storedBucket(name) {
      return BucketID.owner(ofName: name.text) ?? stored.project
    }
    return BucketID.project(ofDefault: name.text)
      ?? (configuration.makesBuckets
        ? BucketID.owner(ofName: name.text) ?? configuration.project : nil)
  }

  /// Returns true if there is a bucket of that name, which is for anybody to know.
  package func hasBucket(_ name: BucketName) async throws -> Bool {
    try await storedBucket(name) != nil
  }

  /// Returns a bucket's public document of that name, which is kept for its clients; nil where
  /// there is none.
  package func document(_ key: Text, ofBucket name: BucketName) async throws -> Text? {
    try await storedBucket(name)?.configuration.documents[key]
  }

  /// Returns the lifecycle rules of a bucket; none where there is no such bucket.
  package func lifecycle(ofBucket name: BucketName) async throws -> [LifecycleRule] {
    try await storedBucket(name)?.configuration.lifecycle ?? []
  }

  /// The live object of a name; nil where there is none.
  ///
  /// Blocks.
  package func object(
    _ name: ObjectName,
    ofBucket bucket: BucketName,
    _ permit: AdministratorPermit
  ) throws -> StoredObject? {
    try engine.read { view in
      try view.bucket(bucket).flatMap { try view.object(name, in: $0) }
    }
  }

  func storedBucket(_ name: BucketName) async throws -> StoredBucket? {
    try await look { try $0.bucket(name) }
  }

  // MARK: The engine

  /// Reads a few keys: here where memory has them, else on a thread that may block.
  func look<R: Sendable>(
    _ body: @escaping @Sendable (any KeyValueSnapshot) throws -> R
  ) async throws -> R {
    try await Self.translating {
      if let found = try engine.readInMemory(steps: Self.lookSteps, body) { return found }
      return try await threads.run { [engine] in try engine.read(body) }
    }
  }

  private static let lookSteps = 16

  /// Reads on a thread that may block.
  func read<R: Sendable>(
    on lane: EngineThreads.Lane = .reads,
    _ body: @escaping @Sendable (any KeyValueSnapshot) throws -> R
  ) async throws -> R {
    try await Self.translating {
      try await threads.run(on: lane) { [engine] in try engine.read(body) }
    }
  }

  /// Runs a body as a write of a group; returns when that is durable.
  func write<R: Sendable>(
    _ priority: WritePriority = .interactive,
    _ body: @escaping @Sendable (any KeyValueGroup) throws -> R
  ) async throws -> R {
    let box = WriteResult<R>()
    return try await Self.translating {
      try await withCheckedThrowingContinuation { continuation in
        engine.submit(
          QueuedWrite(priority) { group in
            let value = try body(group)
            box.value.withLock { $0 = value }
          } completion: { [configuration] outcome in
            if case .success = outcome { configuration.follower?.landed() }
            continuation.resume(with: outcome.flatMap { box.taken })
          }
        )
      }
    }
  }

  /// The engine's errors in the storage's words.
  private static func translating<R>(_ body: () async throws -> R) async throws -> R {
    do {
      return try await body()
    } catch let error as KeyValueError {
      switch error.code {
      case .corruption:
        throw StorageError(.corrupt, "The service is currently unavailable.", cause: error)
      case .diskFull:
        throw StorageError(.insufficientStorage, "The server's disk is full.", cause: error)
      default:
        throw StorageError(.unavailable, error.textForClients, cause: error)
      }
    }
  }
}

/// The result of a write on its way from the writing thread.
private final class WriteResult<R: Sendable>: Sendable {
  let value = Mutex<R?>(nil)

  var taken: Result<R, any Error> {
    value.withLock { value in
      guard let result = value else {
        return .failure(KeyValueError(.misuse, "a write went well without running"))
      }
      return .success(result)
    }
  }
}

/// The blobs that the sweep leaves alone though nothing names them: a blob is noted before it is begun
/// and until its record is durable, has failed to become so, or it was given up.
final class BlobsInUse: Sendable {
  private let ids = Mutex<Set<BlobID>>([])

  func insert(_ id: BlobID) { ids.withLock { _ = $0.insert(id) } }

  func remove(_ id: BlobID) { ids.withLock { _ = $0.remove(id) } }

  func contains(_ id: BlobID) -> Bool { ids.withLock { $0.contains(id) } }

  var count: Int { ids.withLock { $0.count } }
}

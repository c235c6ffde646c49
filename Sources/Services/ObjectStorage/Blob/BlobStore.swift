/// The store of objects' bytes: blobs that are written once, front to back, and never changed.
///
/// A blob is *unfinished* from `begin` until `finish` has returned, and then *finished* until it is
/// removed. Only finished blobs can be read. Both survive a crash: an unfinished one up to the last
/// `persist`. A crash between `finish` and the record of the blob's use leaves an orphan, which a
/// sweep finds by `finishedBlobs` or `unfinishedBlobs`.
///
/// Any thread may call; calls wait without blocking their thread.
package protocol BlobStore: Sendable {
  /// Begins a blob.
  func begin(_ id: BlobID) async throws -> any BlobWriter

  /// Stores a whole blob, as `begin`, `write` and `finish` do one after the other.
  func store(_ id: BlobID, _ bytes: [UInt8]) async throws

  /// The first bytes of a finished blob, all where it has no more; throws as `open` does.
  func contents(_ id: BlobID, size: Int) async throws -> [UInt8]

  /// Continues with an unfinished blob at its last persisted byte; later bytes are dropped.
  ///
  /// Throws `StorageError.notFound` for a blob that is not there.
  func resume(_ id: BlobID, at progress: BlobProgress) async throws -> any BlobWriter

  /// Opens a finished blob; throws `StorageError.notFound` where there is none.
  func open(_ id: BlobID) async throws -> any BlobReader

  /// Opens the persisted part of an unfinished blob, to compute its hashes again.
  func openUnfinished(_ id: BlobID, _ progress: BlobProgress) async throws -> any BlobReader

  /// Removes a blob, finished or not; one that is not there is no error.
  func remove(_ id: BlobID) async throws

  /// The finished blobs of a shard, of which there are `shardCount`.
  func finishedBlobs(inShard shard: Int) async throws -> [BlobID]

  /// The blobs that were begun and not finished.
  func unfinishedBlobs() async throws -> [BlobID]

  /// The number of parts in which a sweep asks for finished blobs.
  var shardCount: Int { get }

  /// The bytes that may still be stored; nil if unknown.
  func availableBytes() async throws -> Int64?

  /// The store's counters, for the metrics page.
  var figures: [(name: String, value: Double)] { get }
}

extension BlobStore {
  /// No figures, for a store that counts nothing.
  package var figures: [(name: String, value: Double)] { [] }

  /// Begins, writes and finishes the blob; a failed one stays unfinished for the sweep.
  package func store(_ id: BlobID, _ bytes: [UInt8]) async throws {
    let writer = try await begin(id)
    do {
      try await writer.write(bytes)
      try await writer.finish()
    } catch {
      await writer.close()
      throw error
    }
  }

  /// Opens the blob and reads its first `size` bytes, fewer if it is shorter.
  package func contents(_ id: BlobID, size: Int) async throws -> [UInt8] {
    try await open(id).read(at: 0, count: size)
  }
}

/// The durable part of an unfinished blob.
package struct BlobProgress: Sendable, Hashable {
  /// Bytes from the beginning.
  package var offset: Int64
  /// The other data that the store needs to continue; opaque to others.
  package var state: [UInt8]

  /// Progress up to that offset.
  package init(offset: Int64, state: [UInt8] = []) {
    self.offset = offset
    self.state = state
  }
}

/// Writes one unfinished blob; one call at a time.
package protocol BlobWriter: AnyObject, Sendable {
  /// Appends bytes, which need not be durable.
  func write(_ bytes: [UInt8]) async throws

  /// Makes as much durable as can be, and says how much that is.
  ///
  /// A store may keep less than was written; the client sends the rest again.
  func persist() async throws -> BlobProgress

  /// Makes all durable and the blob finished; the writer is of no use afterwards.
  func finish() async throws

  /// Releases the writer's resources, and leaves the unfinished blob as it is.
  func close() async
}

/// Reads one blob; any number of calls at once.
package protocol BlobReader: AnyObject, Sendable {
  /// The bytes of the blob.
  var size: Int64 { get }

  /// Reads up to `count` bytes at an offset; fewer only at the end.
  func read(at offset: Int64, count: Int) async throws -> [UInt8]

  /// Has the system read a part of the blob's file into its memory, where it is not there yet; nil where the blob is
  /// in no file that stays open. Throws where the file has not all of the part.
  func load(_ range: Range<Int64>) async throws -> BlobFilePart?
}

extension BlobReader {
  /// Returns nil: the bytes are in no file that stays open.
  package func load(_ range: Range<Int64>) async throws -> BlobFilePart? { nil }
}

/// A part of a blob's open file that was in the system's memory a moment ago, so that it can be sent from there.
package struct BlobFilePart: Sendable {
  /// Stays open for as long as there is the file.
  package let descriptor: Int32
  /// Offsets in the file, which are those of the blob.
  package let range: Range<Int64>
  /// Closes the descriptor when it has no owner any more.
  package let file: any AnyObject & Sendable
}

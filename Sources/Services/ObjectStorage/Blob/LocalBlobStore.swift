import BaseRuntime
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

// The layout of the directory:
//
//   unfinished/ID           bytes of a blob that is being written
//   finished/XX/ID          a whole blob; XX is its id's first byte
//
// ID is 32 hexadecimal digits. A blob is finished by syncing its file, renaming it and syncing both
// the shard's directory. So a name below `finished` always has all its bytes. The sweep removes the
// leftovers of a crash in `unfinished`, and blobs in `finished` without an object.

/// Blobs as files of a directory.
///
/// File descriptors are bounded: what goes beyond the bound opens its file for each call.
package final class LocalBlobStore: BlobStore {
  let directory: String
  let threads: EngineThreads
  let descriptors: DescriptorShare
  let directWrite = DirectWrite()
  /// The number of times that a file or a directory was synced for a blob.
  let syncs = Atomic<Int>(0)
  /// One shard for each first byte of an id.
  package let shardCount = 256
  /// True once this process has synced the directories of the shards' names.
  private let hasSyncedShards = Mutex(false)

  /// Opens the directory, making it where there is none; blocks.
  ///
  /// A start finds all shards there, perhaps of a process that was killed before it synced their
  /// names: the first blob that is finished does that.
  ///
  /// - Parameter openFiles: The number of files that stay open at once.
  package init(directory: String, threads: EngineThreads, openFiles: Int = 256) throws {
    self.directory = directory
    self.threads = threads
    descriptors = DescriptorShare(openFiles)
    try FileCall.makeDirectory(directory)
    try FileCall.makeDirectory(unfinishedDirectory)
    try FileCall.makeDirectory(finishedDirectory)
    let names = Set(try FileCall.names(in: finishedDirectory))
    let missing = (0..<shardCount).filter { !names.contains(Self.name(ofShard: $0)) }
    for shard in missing { try FileCall.makeDirectory(shardDirectory(shard)) }
    if !missing.isEmpty { try syncShards() }
  }

  /// Makes the names of the shards durable, once.
  private func syncShards() throws {
    try hasSyncedShards.withLock { isDone in
      guard !isDone else { return }
      for path in [finishedDirectory, directory] { try FileCall.syncDirectory(path) }
      isDone = true
    }
  }

  private var unfinishedDirectory: String { directory + "/unfinished" }
  private var finishedDirectory: String { directory + "/finished" }

  private static func name(ofShard shard: Int) -> String {
    let name = String(shard, radix: 16)
    return name.count < 2 ? "0" + name : name
  }

  private func shardDirectory(_ shard: Int) -> String {
    "\(finishedDirectory)/\(Self.name(ofShard: shard))"
  }

  func unfinishedPath(_ id: BlobID) -> String { "\(unfinishedDirectory)/\(id)" }

  func shardDirectory(of id: BlobID) -> String { shardDirectory(Int(id.bytes[0])) }

  func finishedPath(_ id: BlobID) -> String { "\(shardDirectory(of: id))/\(id)" }

  func run<Answer: Sendable>(
    _ job: @escaping @Sendable () throws -> Answer
  ) async throws -> Answer { try await threads.run(on: .files, job) }

  /// Makes the blob's file below `unfinished`; throws `unavailable` if the id has one already.
  package func begin(_ id: BlobID) async throws -> any BlobWriter {
    try await run { try LocalBlobWriter(self, id, at: nil) }
  }

  /// Writes, syncs and renames one file on a thread for files; an error leaves it in `unfinished`.
  package func store(_ id: BlobID, _ bytes: [UInt8]) async throws {
    try await run {
      let path = self.unfinishedPath(id)
      let descriptor = try FileCall.open(path, O_WRONLY | O_CREAT | O_EXCL)
      do {
        defer { close(descriptor) }
        try FileCall.write(descriptor, bytes, at: 0, path)
        try FileCall.sync(descriptor, path)
      }
      try self.moveFinished(id)
    }
  }

  /// Makes a blob finished whose file was synced; blocks.
  func moveFinished(_ id: BlobID) throws {
    try syncShards()
    try FileCall.rename(unfinishedPath(id), to: finishedPath(id))
    try FileCall.syncDirectory(shardDirectory(of: id))
    syncs.add(2, ordering: .relaxed)
  }

  /// Opens, reads and closes the file in one call; it takes no share of the open files.
  package func contents(_ id: BlobID, size: Int) async throws -> [UInt8] {
    try await run {
      let path = self.finishedPath(id)
      let descriptor = try FileCall.open(path, O_RDONLY)
      defer { close(descriptor) }
      return try FileCall.read(descriptor, at: 0, count: size, path)
    }
  }

  /// Truncates the unfinished file to the progress; throws `corrupt` if the file is shorter.
  package func resume(
    _ id: BlobID,
    at progress: BlobProgress
  ) async throws -> any BlobWriter {
    try await run { try LocalBlobWriter(self, id, at: progress.offset) }
  }

  /// Opens the file below `finished`; throws `notFound` if there is none.
  package func open(_ id: BlobID) async throws -> any BlobReader {
    try await run { try LocalBlobReader(self, self.finishedPath(id), upTo: nil) }
  }

  /// Opens the file below `unfinished` up to the progress; bytes beyond it are not read.
  package func openUnfinished(
    _ id: BlobID,
    _ progress: BlobProgress
  ) async throws -> any BlobReader {
    try await run { try LocalBlobReader(self, self.unfinishedPath(id), upTo: progress.offset) }
  }

  /// Unlinks the file in both directories; no directory is synced, so a crash may bring the blob back for the sweep.
  package func remove(_ id: BlobID) async throws {
    try await run {
      try FileCall.unlink(self.unfinishedPath(id))
      try FileCall.unlink(self.finishedPath(id))
    }
  }

  /// Lists the directory of that first byte, 0 to 255; names that are no ids are skipped.
  package func finishedBlobs(inShard shard: Int) async throws -> [BlobID] {
    try await run { try Self.blobs(in: self.shardDirectory(shard)) }
  }

  /// Lists `unfinished` in the file system's order; names that are no ids are skipped.
  package func unfinishedBlobs() async throws -> [BlobID] {
    try await run { try Self.blobs(in: self.unfinishedDirectory) }
  }

  /// The bytes that the directory's file system has free for users other than root; never nil.
  package func availableBytes() async throws -> Int64? {
    try await run { try FileCall.availableBytes(self.directory) }
  }

  /// The syncs of files and directories since the store was opened, as one counter.
  package var figures: [(name: String, value: Double)] {
    [(name: "storage_file_syncs_total", value: Double(syncs.load(ordering: .relaxed)))]
  }

  private static func blobs(in directory: String) throws -> [BlobID] {
    try FileCall.names(in: directory).compactMap { BlobID(hexadecimal: $0) }
  }
}

/// The number of the process's descriptors that may be kept open for files.
///
/// Any thread may call.
final class DescriptorShare: Sendable {
  private let free: Mutex<Int>

  init(_ count: Int) { free = Mutex(count) }

  /// Takes one; false where none is left.
  func take() -> Bool {
    free.withLock { free in
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  func giveBack() { free.withLock { $0 += 1 } }
}

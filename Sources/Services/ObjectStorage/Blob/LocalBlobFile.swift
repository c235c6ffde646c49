import BaseRuntime
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file that is kept open where descriptors are left, and opened for each call otherwise.
///
/// Calls block; one at a time writes, any number read.
final class LocalBlobFile: Sendable {
  private let path: String
  private let flags: Int32
  private let share: DescriptorShare
  private let kept: Int32?

  /// Opens the file; `creating` flags count for the first time alone.
  init(_ path: String, flags: Int32, creating: Int32 = 0, _ share: DescriptorShare) throws {
    self.path = path
    self.flags = flags
    self.share = share
    let isKept = share.take()
    do {
      let descriptor = try FileCall.open(path, flags | creating)
      if !isKept { close(descriptor) }
      kept = isKept ? descriptor : nil
    } catch {
      if isKept { share.giveBack() }
      throw error
    }
  }

  deinit {
    guard let kept else { return }
    close(kept)
    share.giveBack()
  }

  /// The descriptor that stays open as long as this object; nil where none does.
  var openDescriptor: Int32? { kept }

  func withDescriptor<R>(_ body: (Int32) throws -> R) throws -> R {
    BlockingCheck.assertMayBlock()
    if let kept { return try body(kept) }
    let descriptor = try FileCall.open(path, flags)
    defer { close(descriptor) }
    return try body(descriptor)
  }
}

/// Writes an unfinished blob's file.
final class LocalBlobWriter: BlobWriter {
  private let store: LocalBlobStore
  private let id: BlobID
  private let path: String
  private let file: LocalBlobFile
  private let offset: Mutex<Int64>

  /// Creates the file, or continues in it at an offset; blocks.
  init(_ store: LocalBlobStore, _ id: BlobID, at start: Int64?) throws {
    self.store = store
    self.id = id
    path = store.unfinishedPath(id)
    let creating = start == nil ? O_CREAT | O_EXCL : 0
    file = try LocalBlobFile(path, flags: O_WRONLY, creating: creating, store.descriptors)
    offset = Mutex(start ?? 0)
    guard let start else { return }
    let path = path
    try file.withDescriptor { descriptor in
      guard try FileCall.size(descriptor, path) >= start else {
        throw StorageError(.corrupt, "An unfinished upload has lost bytes.")
      }
      try FileCall.truncate(descriptor, to: start, path)
    }
  }

  func write(_ bytes: [UInt8]) async throws {
    try await store.run {
      let start = self.offset.withLock { $0 }
      let end = start + Int64(bytes.count)
      let (first, last) = (start / Self.writeBackStep, end / Self.writeBackStep)
      try self.file.withDescriptor { descriptor in
        let done =
          start < Self.largeFrom
          ? 0 : try self.store.directWrite.write(descriptor, bytes, at: start, self.path)
        try FileCall.write(descriptor, bytes, behind: done, at: start, self.path)
        guard first < last else { return }
        let steps = first * Self.writeBackStep..<last * Self.writeBackStep
        FileCall.beginWriteBack(descriptor, steps)
      }
      self.offset.withLock { $0 = end }
    }
  }

  /// After this a file is large: its bytes bypass the system's memory, in which smaller ones are
  /// when they are downloaded soon after.
  private static let largeFrom: Int64 = 8 << 20

  /// The disk is given work whenever so many bytes more are there, while others come: a sync then finds few left.
  private static let writeBackStep: Int64 = 8 << 20

  func persist() async throws -> BlobProgress {
    try await store.run {
      try self.file.withDescriptor { try FileCall.sync($0, self.path) }
      try FileCall.syncDirectory(self.store.directory + "/unfinished")
      self.store.syncs.add(2, ordering: .relaxed)
      return BlobProgress(offset: self.offset.withLock { $0 })
    }
  }

  func finish() async throws {
    try await store.run {
      try self.file.withDescriptor { try FileCall.sync($0, self.path) }
      try self.store.moveFinished(self.id)
    }
  }

  func close() async {}
}

/// Reads a blob's file.
final class LocalBlobReader: BlobReader {
  let size: Int64
  private let store: LocalBlobStore
  private let path: String
  private let file: LocalBlobFile

  /// Opens a file; blocks.
  ///
  /// - Parameter limit: Bytes beyond are not shown; nil shows all.
  init(_ store: LocalBlobStore, _ path: String, upTo limit: Int64?) throws {
    self.store = store
    self.path = path
    let file = try LocalBlobFile(path, flags: O_RDONLY, store.descriptors)
    self.file = file
    let whole = try file.withDescriptor { try FileCall.size($0, path) }
    size = min(whole, limit ?? whole)
  }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    let count = min(count, Int(max(size - offset, 0)))
    guard count > 0 else { return [] }
    return try await store.run {
      try self.file.withDescriptor {
        try FileCall.read($0, at: offset, count: count, self.path)
      }
    }
  }

  func load(_ range: Range<Int64>) async throws -> BlobFilePart? {
    guard let descriptor = file.openDescriptor else { return nil }
    return try await store.run {
      try FileCall.load(descriptor, range, self.path)
      return BlobFilePart(descriptor: descriptor, range: range, file: self.file)
    }
  }
}

import BaseRuntime
import CFileRange

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The system's calls for files, with errors thrown; all block.
enum FileCall {
  /// A call that the system refused.
  struct Failure: Error, CustomStringConvertible {
    let call: String
    let path: String
    let number: Int32

    var description: String { "\(call) \(path): \(String(cString: strerror(number)))" }
  }

  /// The error for the last call that failed, in the storage's words.
  static func failure(_ call: String, _ path: String, _ number: Int32 = errno) -> StorageError {
    let cause = Failure(call: call, path: path, number: number)
    switch number {
    case ENOENT: return StorageError(.notFound, "The file is missing.", cause: cause)
    case ENOSPC, EDQUOT:
      return StorageError(.insufficientStorage, "The server's disk is full.", cause: cause)
    case EROFS:
      return StorageError(.insufficientStorage, "The server's disk is read-only.", cause: cause)
    default: return StorageError(.unavailable, "The server could not use its disk.", cause: cause)
    }
  }

  static func makeDirectory(_ path: String) throws {
    BlockingCheck.assertMayBlock()
    guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    throw failure("mkdir", path)
  }

  static func open(_ path: String, _ flags: Int32) throws -> Int32 {
    BlockingCheck.assertMayBlock()
    while true {
      let descriptor = systemOpen(path, flags | O_CLOEXEC, 0o600)
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw failure("open", path) }
    }
  }

  private static func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    #if canImport(Darwin)
    Darwin.open(path, flags, mode)
    #else
    Glibc.open(path, flags, mode)
    #endif
  }

  /// Writes bytes at an offset of the file, without the first `done` of them, which are there.
  static func write(
    _ descriptor: Int32,
    _ bytes: [UInt8],
    behind done: Int = 0,
    at offset: Int64,
    _ path: String
  ) throws {
    try bytes.withUnsafeBytes { buffer in
      var done = done
      while done < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
        let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure("write", path) }
        done += count
      }
    }
  }

  static func read(
    _ descriptor: Int32,
    at offset: Int64,
    count: Int,
    _ path: String
  ) throws -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
        )
        let part = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
        if part < 0, errno == EINTR { continue }
        if part < 0 { code = errno }
        guard part > 0 else { return }
        filled += part
      }
    }
    guard code == 0 else { throw failure("read", path, code) }
    return bytes
  }

  static func truncate(_ descriptor: Int32, to size: Int64, _ path: String) throws {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure("truncate", path) }
  }

  static func sync(_ descriptor: Int32, _ path: String) throws {
    guard fsync(descriptor) == 0 else { throw failure("fsync", path) }
  }

  /// Has the disk begin to write a range, as far as the system does that; a hint, which a sync does not go by.
  static func beginWriteBack(_ descriptor: Int32, _ range: Range<Int64>) {
    #if os(Linux)
    _ = sync_file_range(
      descriptor,
      range.lowerBound,
      Int64(range.count),
      UInt32(sync_file_range_write)
    )
    #endif
  }

  static func syncDirectory(_ path: String) throws {
    let descriptor = try open(path, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    try sync(descriptor, path)
  }

  static func rename(_ path: String, to target: String) throws {
    BlockingCheck.assertMayBlock()
    #if canImport(Darwin)
    let code = Darwin.rename(path, target)
    #else
    let code = Glibc.rename(path, target)
    #endif
    guard code == 0 else { throw failure("rename", path) }
  }

  /// Removes a file; one that is not there is no error.
  static func unlink(_ path: String) throws {
    BlockingCheck.assertMayBlock()
    #if canImport(Darwin)
    let code = Darwin.unlink(path)
    #else
    let code = Glibc.unlink(path)
    #endif
    guard code == 0 || errno == ENOENT else { throw failure("unlink", path) }
  }

  static func size(_ descriptor: Int32, _ path: String) throws -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("stat", path) }
    return Int64(status.st_size)
  }

  static func names(in directory: String) throws -> [String] {
    BlockingCheck.assertMayBlock()
    guard let stream = opendir(directory) else { throw failure("opendir", directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw failure("readdir", directory) }
        return names
      }
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      names.append(name)
    }
  }

  static func availableBytes(_ path: String) throws -> Int64 {
    BlockingCheck.assertMayBlock()
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw failure("statvfs", path) }
    return Int64(status.f_bavail) * Int64(status.f_frsize)
  }
}

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file, by its descriptor, which ends with the object.
final class LogFile: Sendable {
  /// The file's number on its file system, which identifies two names of one file.
  struct Identity: Equatable, Sendable {
    let device: UInt64
    let node: UInt64
  }

  private let descriptor: Int32

  /// Opens a file that only its owner may read, or makes it.
  init(_ url: URL) throws {
    descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure() }
  }

  deinit { _ = close(descriptor) }

  /// Returns the identity of the file.
  func identity() throws -> Identity {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure() }
    return Identity(status)
  }

  /// Returns the identity of the file that has a name now; nil if there is none.
  static func identity(of url: URL) throws -> Identity? {
    var status = stat()
    if lstat(url.path, &status) == 0 { return Identity(status) }
    guard errno == ENOENT else { throw failure() }
    return nil
  }

  /// Returns the size of the file in bytes.
  func size() throws -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure() }
    return Int(status.st_size)
  }

  /// Reads from an offset to the end.
  func read(from offset: Int) throws -> Data {
    var bytes = Data(count: max(0, try size() - offset))
    let count = try bytes.withUnsafeMutableBytes { buffer in
      var done = 0
      while done < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw Self.failure() }
        if count == 0 { break }
        done += count
      }
      return done
    }
    return bytes.prefix(count)
  }

  /// Writes at an offset.
  func write(_ bytes: Data, at offset: Int) throws {
    try bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
        let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Self.failure() }
        done += count
      }
    }
  }

  /// Cuts the file off.
  func truncate(to size: Int) throws {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw Self.failure() }
  }

  /// Returns when the written data is on the disk.
  func sync() throws {
    guard fsync(descriptor) == 0 else { throw Self.failure() }
  }

  /// Returns a descriptor of the file that lasts as long as the process; negative where there is none left.
  func duplicate() -> Int32 { dup(descriptor) }

  /// Waits for the file's lock, which ends with ``unlock()`` or the process.
  func lock() throws {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.failure() }
    }
  }

  /// Takes the file's lock if it is free.
  func tryLock() throws -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw Self.failure() }
    }
    return true
  }

  /// Gives the lock back.
  func unlock() { _ = flock(descriptor, LOCK_UN) }

  private static func failure() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}

extension LogFile.Identity {
  fileprivate init(_ status: stat) {
    self.init(device: UInt64(truncatingIfNeeded: status.st_dev), node: UInt64(status.st_ino))
  }
}

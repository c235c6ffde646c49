import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Files that are whole or not there, for the server's user alone.
enum SafeFile {
  /// Replaces a file; its bytes are on the disk before its name is, which is there when this returns.
  static func write(_ data: Data, to path: String) throws {
    let temporary = "\(path).\(UInt64.random(in: 0...UInt64.max)).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    let isWritten = data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Platform.write(
          descriptor,
          UnsafeRawBufferPointer(rebasing: rest).baseAddress,
          rest.count
        )
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return fsync(descriptor) == 0
    }
    close(descriptor)
    guard isWritten, rename(temporary, path) == 0 else {
      let error = failure(path)
      unlink(temporary)
      throw error
    }
    try sync((path as NSString).deletingLastPathComponent)
  }

  /// Has what was written to a file, or the names in a folder, on the disk.
  static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  /// Reads a regular file of up to that many bytes, through no link: foreign code may have written
  /// it.
  static func read(_ path: String, upTo limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= limit
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Platform.read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled)
      }
      guard count > 0 else { break }
      filled += count
    }
    return Array(bytes[..<filled])
  }

  private static func failure(_ path: String) -> CocoaError {
    CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
  }
}

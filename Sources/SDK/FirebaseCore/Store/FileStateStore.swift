import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// State in a file that only its owner may read.
///
/// A change is written to a file beside it, synced and renamed, so that a crash leaves the old state or the
/// new one. A lock file beside it makes read-and-replace one step among processes; it stays when the state
/// goes, since removing it would let two processes hold different locks.
package struct FileStateStore: StateStore {
  private let file: URL

  /// A store in a file; its directory is made when something is written.
  package init(file: URL) { self.file = file }

  /// The file's bytes, read without the lock; nil where there is no file.
  package func read() throws -> Data? {
    do {
      return try Data(contentsOf: file)
    } catch let error as CocoaError where error.isAbsence {
      return nil
    }
  }

  /// Replaces the file's bytes in one step; blocks while another process holds the lock.
  package func update(_ change: (Data?) throws -> Data?) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try withLock {
      let old = try read()
      guard let new = try change(old) else {
        if old != nil { try FileManager.default.removeItem(at: file) }
        return
      }
      if new != old { try replace(with: new) }
    }
  }

  private func withLock(_ body: () throws -> Void) throws {
    let lock = try open(file.appendingPathExtension("lock"), O_RDWR | O_CREAT | O_CLOEXEC)
    // Closing the descriptor releases the lock.
    defer { _ = close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.systemError(errno) }
    }
    try body()
  }

  private func replace(with data: Data) throws {
    let new = file.appendingPathExtension("new")
    let descriptor = try open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
    do {
      defer { _ = close(descriptor) }
      try Self.write(data, to: descriptor)
      guard fsync(descriptor) == 0 else { throw Self.systemError(errno) }
    }
    guard rename(new.path, file.path) == 0 else { throw Self.systemError(errno) }
    try syncDirectory()
  }

  private static func write(_ data: Data, to descriptor: Int32) throws {
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if count < 0 {
          guard errno == EINTR else { throw systemError(errno) }
          continue
        }
        rest = rest.dropFirst(count)
      }
    }
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
    Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }

  private func syncDirectory() throws {
    let directory = try open(file.deletingLastPathComponent(), O_RDONLY | O_CLOEXEC)
    defer { _ = close(directory) }
    guard fsync(directory) == 0 else { throw Self.systemError(errno) }
  }

  private func open(_ file: URL, _ flags: Int32) throws -> Int32 {
    #if canImport(Glibc)
    let descriptor = Glibc.open(file.path, flags, 0o600)
    #elseif canImport(Musl)
    let descriptor = Musl.open(file.path, flags, 0o600)
    #else
    let descriptor = Darwin.open(file.path, flags, 0o600)
    #endif
    guard descriptor >= 0 else { throw Self.systemError(errno) }
    return descriptor
  }

  private static func systemError(_ number: Int32) -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO)
  }
}

extension CocoaError {
  /// True if there is no file.
  fileprivate var isAbsence: Bool { code == .fileReadNoSuchFile || code == .fileNoSuchFile }
}

import ArgumentParser
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A new file that only its owner reads, from its first byte on.
struct SecretFile {
  private let path: String
  private let handle: FileHandle

  /// Refuses a path where something is already.
  init(_ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, mode_t(0o600))
    guard descriptor >= 0 else {
      throw ValidationError("\(path): \(String(cString: strerror(errno)))")
    }
    self.path = path
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Adds a text.
  func write(_ text: String) throws { try handle.write(contentsOf: Data(text.utf8)) }

  /// Deletes the file.
  func remove() { unlink(path) }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The journal of the machine, which keeps what a service writes to its standard error and shows it to every
/// administrator of the machine.
enum Journal {
  /// Returns true if the standard error is the journal that `JOURNAL_STREAM` names, as `device:inode`.
  static func hasStandardError(_ name: String?) -> Bool {
    guard let parts = name?.split(separator: ":"), parts.count == 2 else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return UInt64(parts[0]) == UInt64(status.st_dev) && UInt64(parts[1]) == UInt64(status.st_ino)
  }
}

extension AdministratorKeyFile {
  /// The file that keeps a new key's text for an operator who sees no terminal of the server, mode 0600.
  var textPath: String { directory + "/administrator-key" }

  /// Writes a new key's text, for which there must be no file yet or one of an earlier key.
  func keep(_ text: String) throws {
    unlink(textPath)
    let descriptor = open(textPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ControlError.system("write \(textPath)", errno) }
    defer { close(descriptor) }
    let bytes = Array((text + "\n").utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      throw ControlError.system("write \(textPath)", errno)
    }
  }
}

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Finds the process that holds the lock of a data directory.
enum LockHolder {
  /// The id of the process that has an `flock` on an open file; nil where the system does not say.
  ///
  /// Linux lists locks in `/proc/locks`, a line each: `1: FLOCK ADVISORY WRITE 4711 fe:00:131 0 EOF`, in which the last
  /// part of `fe:00:131` is the file's inode.
  static func process(locking descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let table = try? table() else { return nil }
    let inode = String(status.st_ino)
    for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK",
        words[5].split(separator: ":").last.map(String.init) == inode
      else { continue }
      return Int(words[4])
    }
    return nil
  }

  /// The system's table of locks; a file without a size.
  private static func table() throws -> [UInt8] {
    try SystemFile.open("/proc/locks", O_RDONLY) { descriptor in
      var bytes: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = read(descriptor, &part, part.count), count > 0 {
        bytes += part.prefix(count)
      }
      return bytes
    }
  }
}

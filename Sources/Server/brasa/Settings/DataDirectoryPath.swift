#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The path of a data directory, looked at before a start makes anything there.
enum DataDirectoryPath {
  /// Throws where a server can neither use nor make a directory at the path.
  static func check(_ path: String) throws {
    if try exists(path, for: path) {
      guard isUsable(path) else {
        throw CommandFailure(
          "This user may not write in \(path). Give the directory to this user, or choose another one with --data."
        )
      }
      return
    }
    var above = path
    repeat { above = parent(of: above) } while try !exists(above, for: path)
    guard isUsable(above) else {
      throw CommandFailure(
        "Can't make \(path): this user may not write in \(above). Choose another directory with --data."
      )
    }
  }

  /// Returns true if there is a directory; throws where there is something else.
  private static func exists(_ directory: String, for path: String) throws -> Bool {
    var status = stat()
    guard stat(directory, &status) == 0 else {
      // A file on the way is found further up.
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw CommandFailure(
        "Can't look at \(directory): \(String(cString: strerror(errno))). Choose another directory with --data."
      )
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      let start = directory == path ? "" : "Can't make \(path): "
      throw CommandFailure(
        "\(start)\(directory) is not a directory. Choose another path with --data."
      )
    }
    return true
  }

  private static func isUsable(_ directory: String) -> Bool {
    access(directory, R_OK | W_OK | X_OK) == 0
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

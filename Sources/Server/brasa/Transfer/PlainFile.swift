import ArgumentParser
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Opens files below a directory that an import reads, and follows no link on the way.
///
/// An export is data from elsewhere: a link in it would have the import read a file of this machine, and keep it where
/// clients read. The directory itself is the operator's to name, and may be a link.
enum PlainFile {
  /// Opens a file for reading by name; refuses a link, a directory and anything else that is not a
  /// file.
  static func open(_ url: URL, below root: URL) throws -> FileHandle {
    let descriptor = try descriptor(of: url, below: root, O_RDONLY | O_NONBLOCK)
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw ValidationError("\(url.path) is no file.")
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Refuses a directory that is a link, or is reached by one.
  static func check(directory url: URL, below root: URL) throws {
    close(try descriptor(of: url, below: root, O_RDONLY | O_DIRECTORY))
  }

  /// The whole content of a file; nil where there is none.
  static func contents(of url: URL, below root: URL) throws -> Data? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return try open(url, below: root).readToEnd() ?? Data()
  }

  private static func descriptor(
    of url: URL,
    below root: URL,
    _ flags: Int32
  ) throws -> Int32 {
    let (all, above) = (url.pathComponents, root.pathComponents)
    let steps = Array(all.dropFirst(above.count))
    guard all.starts(with: above), !steps.contains("..") else {
      throw ValidationError("\(url.path) is not in \(root.path).")
    }
    guard !steps.isEmpty else { return try opened(systemOpen(root.path, flags), root.path) }
    var current = try opened(systemOpen(root.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), root.path)
    for (index, step) in steps.enumerated() {
      let isLast = index == steps.count - 1
      let next = openat(
        current,
        step,
        (isLast ? flags : O_RDONLY | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC
      )
      let problem = errno
      close(current)
      guard next >= 0 else {
        let path = steps.prefix(index + 1).reduce(root) { $0.appendingPathComponent($1) }.path
        errno = problem
        throw isLink(path)
          ? ValidationError("\(path) is a link. An import does not follow links.") : failure(path)
      }
      current = next
    }
    return current
  }

  private static func opened(_ descriptor: Int32, _ path: String) throws -> Int32 {
    guard descriptor >= 0 else { throw failure(path) }
    return descriptor
  }

  private static func isLink(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
  }

  private static func failure(_ path: String) -> ValidationError {
    ValidationError("\(path): \(String(cString: strerror(errno)))")
  }
}

/// The system's call; `PlainFile` has a function of its name.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

import KeyValueStore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The file system calls that the engine makes itself, with errors that name the path.
enum SystemFile {
  static func failure(_ action: String, _ path: String, _ number: Int32 = errno) -> KeyValueError {
    KeyValueError(
      .inputOutput,
      "cannot \(action) \(path): \(String(cString: strerror(number)))",
      metadata: ["file": path]
    )
  }

  /// Makes a directory that only its owner may enter, and those above it that are missing.
  static func makeDirectory(_ path: String) throws {
    if try makeLastDirectory(of: path) { return }
    let above = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    guard !above.isEmpty else { throw failure("make directory", path, ENOENT) }
    try makeDirectory(above)
    // A file system such as /proc says so of a directory whose parent is there, too.
    guard try makeLastDirectory(of: path) else { throw failure("make directory", path, ENOENT) }
  }

  /// Makes a directory whose parent is there; false where the parent is missing.
  private static func makeLastDirectory(of path: String) throws -> Bool {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
    guard errno == ENOENT else { throw failure("make directory", path) }
    return false
  }

  /// Bytes that may still be written to the file system of that directory.
  static func availableBytes(_ directory: String) throws -> Int {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { throw failure("measure", directory) }
    return Int(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(
        by: UInt64(status.f_frsize)
      ).partialValue
    )
  }

  /// The names in a directory, without the two that every directory has.
  static func names(in directory: String) throws -> [String] {
    guard let stream = opendir(directory) else { throw failure("list", directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Runs `body` with an open file and closes it.
  static func open<R>(_ path: String, _ flags: Int32, _ body: (Int32) throws -> R) throws -> R {
    let descriptor = openDescriptor(path, flags)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    return try body(descriptor)
  }

  static func openDescriptor(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Darwin)
    Darwin.open(path, flags | O_CLOEXEC, 0o600)
    #else
    Glibc.open(path, flags | O_CLOEXEC, 0o600)
    #endif
  }

  /// Throws unless that many more files can be opened right now.
  static func checkDescriptors(_ count: Int) throws {
    var taken: [Int32] = []
    defer { for descriptor in taken { close(descriptor) } }
    for _ in 0..<count {
      let descriptor = openDescriptor("/dev/null", O_RDONLY)
      guard descriptor >= 0 else { throw failure("open", "/dev/null") }
      taken.append(descriptor)
    }
  }

  /// The bytes of a file without a writer.
  static func read(_ path: String) throws -> [UInt8] {
    try open(path, O_RDONLY) { descriptor in
      let size = lseek(descriptor, 0, SEEK_END)
      guard size >= 0 else { throw failure("measure", path) }
      return try [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, filled in
        while filled < Int(size) {
          let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled..<Int(size)])
          let count = pread(descriptor, rest.baseAddress, rest.count, off_t(filled))
          guard count > 0 else { throw failure("read", path) }
          filled += count
        }
      }
    }
  }

  /// The length of a file.
  static func size(_ path: String) throws -> Int {
    try open(path, O_RDONLY) { descriptor in
      let size = lseek(descriptor, 0, SEEK_END)
      guard size >= 0 else { throw failure("measure", path) }
      return Int(size)
    }
  }

  /// Replaces a file as a whole or not at all, durably.
  static func replace(_ path: String, with text: String, in directory: String) throws {
    let temporary = path + ".new"
    try open(temporary, O_WRONLY | O_CREAT | O_TRUNC) { descriptor in
      try Array(text.utf8).withUnsafeBytes { bytes in
        var written = 0
        while written < bytes.count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
          let count = write(descriptor, rest.baseAddress, rest.count)
          guard count >= 0 else { throw failure("write", temporary) }
          written += count
        }
      }
      guard fsync(descriptor) == 0 else { throw failure("sync", temporary) }
    }
    guard rename(temporary, path) == 0 else { throw failure("rename", temporary) }
    try sync(directory)
  }

  /// Makes a directory's entries, or a file's bytes, durable.
  static func sync(_ path: String) throws {
    try open(path, O_RDONLY) { descriptor in
      guard fsync(descriptor) == 0 else { throw failure("sync", path) }
    }
  }

  /// Gives a directory its final name, durably.
  static func move(_ path: String, to target: String) throws {
    guard rename(path, target) == 0 else { throw failure("rename", path) }
    try sync(DataDirectory.parent(of: target))
  }

  static func remove(_ path: String) throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
  }

  static func truncate(_ path: String, to length: Int) throws {
    try open(path, O_WRONLY) { descriptor in
      guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure("truncate", path) }
      guard fsync(descriptor) == 0 else { throw failure("sync", path) }
    }
  }
}

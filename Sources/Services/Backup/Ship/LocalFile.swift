#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The calls for files beside the target's; all block.
enum LocalFile {
  static func failure(_ action: String, _ path: String, _ number: Int32 = errno) -> BackupError {
    BackupError(.unavailable, "Can't \(action) \(path): \(String(cString: strerror(number))).")
  }

  /// The files of a directory with their sizes and times of change in nanoseconds.
  static func files(in directory: String) throws -> [(name: String, size: Int, modified: Int64)] {
    guard let stream = opendir(directory) else { throw failure("list", directory) }
    defer { closedir(stream) }
    var files: [(name: String, size: Int, modified: Int64)] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard lstat("\(directory)/\(name)", &status) == 0 else { throw failure("read", name) }
      guard status.st_mode & S_IFMT == S_IFREG else { continue }
      files.append((name, Int(status.st_size), modified(status)))
    }
    return files.sorted { $0.name < $1.name }
  }

  /// Up to `count` bytes of a file from an offset on.
  static func read(_ path: String, at offset: Int, count: Int) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    var problem: BackupError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled..<count])
        let read = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
        if read < 0, errno == EINTR { continue }
        if read < 0 { problem = failure("read", path) }
        guard read > 0 else { return }
        filled += read
      }
    }
    if let problem { throw problem }
    return bytes
  }

  /// Appends bytes to a file, which is made if it is missing.
  static func append(_ path: String, _ bytes: [UInt8]) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("write", path) }
    defer { close(descriptor) }
    try bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw failure("write", path) }
        done += count
      }
    }
  }

  /// When a folder last changed, in nanoseconds since 1970; nil for a link or anything else that is
  /// not a folder.
  static func folderTime(_ path: String) -> Int64? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return modified(status)
  }

  private static func modified(_ status: stat) -> Int64 {
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  static func size(of path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure("read", path) }
    return Int(status.st_size)
  }

  static func makeExecutable(_ path: String) throws {
    guard chmod(path, 0o700) == 0 else { throw failure("change", path) }
  }

  static func makeDirectory(_ path: String) throws {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
  }

  /// Makes a file's bytes, or a directory's entries, durable.
  static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("sync", path) }
  }
}

import BaseRuntime
import KeyValueStore
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A backup in a directory: an object is a file of its name.
///
/// A file is written beside its name, synced and renamed, so a name always has all its bytes. `LOCK` is locked by the
/// server that ships. The directory is made once, at the first claim: one that disappears is not made again, since an
/// empty mount point is no place for a backup.
package final class DirectoryTarget: BackupTarget {
  /// The address as an operator wrote it.
  package let address: String
  /// Short enough for a second from a commit to its segment.
  package let pause = Duration.milliseconds(200)
  private let threads: EngineThreads
  private let lock = Mutex<Int32>(-1)
  private let wasThere = Atomic(false)

  /// A target in that directory, whose files are written on `threads`.
  package init(_ directory: String, threads: EngineThreads) {
    address =
      directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    self.threads = threads
  }

  deinit { lock.withLock { if $0 >= 0 { close($0) } } }

  private func run<R: Sendable>(_ job: @escaping @Sendable () throws -> R) async throws -> R {
    try await threads.run(on: .files, job)
  }

  /// Makes the directory at the first claim and locks `LOCK`; later claims look whether it is there still.
  package func claim() async throws {
    try await run { [self] in
      if !wasThere.load(ordering: .relaxed) { try Self.makeDirectories(address) }
      let held = lock.withLock { $0 >= 0 }
      guard !held else {
        guard access(address + "/LOCK", F_OK) == 0 else { throw failure("find", address + "/LOCK") }
        return
      }
      let descriptor = open(address + "/LOCK", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw failure("open", address + "/LOCK") }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        close(descriptor)
        throw BackupError(
          .refused,
          "Another process backs up to \(address). Choose another directory with --backup."
        )
      }
      lock.withLock { $0 = descriptor }
      wasThere.store(true, ordering: .relaxed)
    }
  }

  /// Gives the target back.
  package func release() async {
    lock.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  /// Writes the file beside its name, syncs it and renames or links it.
  package func put(_ name: String, _ bytes: [UInt8], replacing: Bool) async throws {
    try await run { [self] in
      let path = "\(address)/\(name)"
      let temporary = path + ".part"
      try makeFolders(of: name)
      try write(temporary, bytes)
      if replacing {
        guard rename(temporary, path) == 0 else { throw failure("rename", temporary) }
      } else if link(temporary, path) == 0 {
        unlink(temporary)
      } else {
        let number = errno
        unlink(temporary)
        guard number == EEXIST else { throw failure("write", path, number) }
        guard try read(path) == bytes else {
          throw BackupError(
            .refused,
            "\(path) already exists: another server backs up to \(address)."
          )
        }
      }
      try sync(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
    }
  }

  /// The object's bytes; nil where there is none.
  package func get(_ name: String) async throws -> [UInt8]? {
    try await run { [self] in try read("\(address)/\(name)") }
  }

  /// Lists the files below the folder, without those that are being written.
  package func list(_ prefix: String) async throws -> [BackupEntry] {
    try await run { [self] in
      var found: [BackupEntry] = []
      try collect(String(prefix.dropLast()), &found)
      return found.sorted { $0.name < $1.name }
    }
  }

  /// Removes the object; one that is not there is no error.
  package func remove(_ name: String) async throws {
    try await run { [self] in
      guard unlink("\(address)/\(name)") == 0 || errno == ENOENT else {
        throw failure("remove", "\(address)/\(name)")
      }
    }
  }
}

// Files.
extension DirectoryTarget {
  private func failure(_ action: String, _ path: String, _ number: Int32 = errno) -> BackupError {
    let reason = String(cString: strerror(number))
    return BackupError(.unavailable, "Can't \(action) \(path) of the backup: \(reason).")
  }

  /// Makes the folders of a name below the directory, which has to be there.
  private func makeFolders(of name: String) throws {
    var path = address
    for folder in name.split(separator: "/").dropLast() {
      let above = path
      path += "/" + folder
      if mkdir(path, 0o700) == 0 {
        try sync(above)
      } else if errno != EEXIST {
        throw failure("make", path)
      }
    }
  }

  private static func makeDirectories(_ path: String) throws {
    var made = path.hasPrefix("/") ? "" : "."
    for folder in path.split(separator: "/") {
      made += "/" + folder
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
        let reason = String(cString: strerror(errno))
        throw BackupError(.unavailable, "Can't create \(made) for the backup: \(reason).")
      }
    }
  }

  private func write(_ path: String, _ bytes: [UInt8]) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("write", path) }
    defer { close(descriptor) }
    try bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        #if canImport(Darwin)
        let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
        #else
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        #endif
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw failure("write", path) }
        done += count
      }
    }
    guard fsync(descriptor) == 0 else { throw failure("sync", path) }
  }

  private func sync(_ directory: String) throws {
    let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", directory) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("sync", directory) }
  }

  private func read(_ path: String) throws -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("read", path)
    }
    defer { close(descriptor) }
    let size = lseek(descriptor, 0, SEEK_END)
    guard size >= 0 else { throw failure("read", path) }
    var problem: BackupError?
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, filled in
      while filled < Int(size) {
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled..<Int(size)])
        let count = pread(descriptor, rest.baseAddress, rest.count, off_t(filled))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          problem = failure("read", path)
          return
        }
        filled += count
      }
    }
    if let problem { throw problem }
    return bytes
  }

  private func collect(_ folder: String, _ found: inout [BackupEntry]) throws {
    guard let stream = opendir("\(address)/\(folder)") else {
      if errno == ENOENT { return }
      throw failure("list", "\(address)/\(folder)")
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != "..", !name.hasSuffix(".part") else { continue }
      var status = stat()
      guard stat("\(address)/\(folder)/\(name)", &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        try collect("\(folder)/\(name)", &found)
      } else {
        #if canImport(Darwin)
        let modified = Int64(status.st_mtimespec.tv_sec)
        #else
        let modified = Int64(status.st_mtim.tv_sec)
        #endif
        found.append(BackupEntry(name: "\(folder)/\(name)", modified: modified))
      }
    }
  }
}

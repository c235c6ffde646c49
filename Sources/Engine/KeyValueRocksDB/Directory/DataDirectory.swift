import KeyValueStore
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A directory that this process alone has open, its format checked and its log mended.
///
/// **Layout.** The files are RocksDB's, next to one of ours, `FORMAT`: the line `brasa-rocksdb N`,
/// where N is the format version. `FORMAT` is written before anything else; the
/// process that has the directory open holds a lock on it (`flock`), which ends with the process.
///
/// A directory is taken when it is missing, empty, or has a `FORMAT` of a version up to ours.
/// Everything else is refused before anything in it is touched. On a full disk a directory with data is
/// taken to be read (`wantOfRoom`), a new one is refused.
final class DataDirectory: Sendable {
  private static let formatName = "FORMAT"
  private static let formatWord = "brasa-rocksdb"
  private static let formatVersion = 1

  let path: String
  /// The parts of the log that were cut off at this start.
  let discardedLog: [DiscardedLog]
  /// True if a database was there before this start.
  let hasData: Bool
  private let lock: Atomic<Int32>

  /// Makes the directory if need be and locks it.
  init(opening path: String) throws {
    try SystemFile.makeDirectory(path)
    let format = Self.formatPath(in: path)
    let hasData = try SystemFile.names(in: path).contains("CURRENT")
    if !hasData, let want = try Self.wantOfRoom(in: path) { throw want }
    if try Self.isNew(path) {
      try SystemFile.replace(format, with: Self.formatText, in: path)
      try SystemFile.sync(Self.parent(of: path))
    }
    try Self.checkFormat(of: path)
    let descriptor = try Self.lock(format, of: path)
    do {
      discardedLog = try Self.mend(path)
    } catch {
      close(descriptor)
      throw error
    }
    lock = Atomic(descriptor)
    self.hasData = hasData
    self.path = path
  }

  deinit {
    unlock()
  }

  /// Lets others open the directory; later events there are not this engine's.
  func unlock() {
    let descriptor = lock.exchange(-1, ordering: .sequentiallyConsistent)
    if descriptor >= 0 {
      close(descriptor)
    }
  }

  /// Marks a directory that the engine filled, a checkpoint, as one that it can open.
  static func mark(_ path: String) throws {
    try SystemFile.replace(formatPath(in: path), with: formatText, in: path)
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The reason not to open the directory for writing: less room than an opening takes; nil where there is enough.
  ///
  /// That is a table of all that the logs hold, a manifest and a log. RocksDB does not say clearly that
  /// it could not write them.
  func wantOfRoom() throws -> KeyValueError? { try Self.wantOfRoom(in: path) }

  private static func wantOfRoom(in path: String) throws -> KeyValueError? {
    let needed = try neededRoom(in: path)
    let available = try SystemFile.availableBytes(path)
    return available < needed ? DiskRoom.error(path, needed: needed) : nil
  }

  /// The bytes that must be free for an opening, which writes what is in the logs to tables.
  static func neededRoom(in path: String) throws -> Int {
    let logs = try logs(in: path, SystemFile.names(in: path))
    return try logs.reduce(DiskRoom.base) { try $0 + SystemFile.size($1) }
  }

  private static var formatText: String { "\(formatWord) \(formatVersion)\n" }

  private static func formatPath(in path: String) -> String { "\(path)/\(formatName)" }

  /// Returns true if the directory is empty, except for files left by a start that never finished.
  private static func isNew(_ path: String) throws -> Bool {
    try SystemFile.names(in: path).allSatisfy { $0 == formatName + ".new" }
  }

  /// Throws where the directory is not one of ours, or one of a later program.
  static func checkFormat(of path: String) throws {
    guard try SystemFile.names(in: path).contains(formatName) else {
      throw KeyValueError(
        .foreign,
        "\(path) contains files but no \(formatName): it is not a data directory",
        metadata: ["directory": path]
      )
    }
    let file = formatPath(in: path)
    let words = String(decoding: try SystemFile.read(file), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    guard words.count == 2, words[0] == formatWord, let version = Int(words[1]) else {
      throw KeyValueError(.corruption, "\(file) does not name a format", metadata: ["file": file])
    }
    guard version <= formatVersion else {
      throw KeyValueError(
        .newerFormat,
        """
        A newer version of Brasa has written this data: \(path) has format \(version), and this program knows formats \
        up to \(formatVersion). Start that version, or restore a backup from before the upgrade.
        """,
        metadata: ["directory": path]
      )
    }
  }

  private static func lock(_ file: String, of path: String) throws -> Int32 {
    let descriptor = SystemFile.openDescriptor(file, O_RDONLY)
    guard descriptor >= 0 else { throw SystemFile.failure("open", file) }
    let refusal = takeLock(descriptor)
    if refusal == 0 { return descriptor }
    let holder = LockHolder.process(locking: descriptor)
    close(descriptor)
    guard refusal == EWOULDBLOCK else { throw SystemFile.failure("lock", file, refusal) }
    var metadata = ["directory": path]
    metadata["process"] = holder.map { "\($0)" }
    throw KeyValueError(
      .locked,
      "\(path) is in use by another process, or by this one",
      metadata: metadata
    )
  }

  /// Takes the lock; answers 0, or the error.
  ///
  /// A child that another thread of the last owner has forked holds the lock until it calls exec, so
  /// a lock that is taken is asked for again, for half a second.
  private static func takeLock(_ descriptor: Int32) -> Int32 {
    for _ in 0..<50 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return 0 }
      guard errno == EWOULDBLOCK || errno == EINTR else { return errno }
      usleep(10_000)
    }
    return EWOULDBLOCK
  }

  /// Cuts torn tails off, as an opening does, and then every record behind that sequence number.
  ///
  /// The log then holds exactly the writes up to it. The library must not have the directory open.
  /// Throws, with those records kept, if one of up to the number lies behind one beyond it.
  func cutLog(after acknowledged: UInt64) throws {
    _ = try Self.mend(path)
    var cuts: [(file: String, offset: Int)] = []
    for file in try Self.logs(in: path, SystemFile.names(in: path)) {
      try SystemFile.read(file).withUnsafeBytes { bytes in
        for start in RecordLog(scanning: bytes).starts {
          let sequence = RecordLog.sequence(ofRecordAt: start, in: bytes) ?? 0
          if sequence > acknowledged {
            if cuts.last?.file != file { cuts.append((file, start)) }
          } else if let cut = cuts.first {
            throw Self.outOfOrder(cut.file, cut.offset)
          }
        }
      }
    }
    // From the end on: a cut that fails leaves a row of records without a hole.
    for cut in cuts.reversed() { try SystemFile.truncate(cut.file, to: cut.offset) }
  }

  private static func outOfOrder(_ file: String, _ offset: Int) -> KeyValueError {
    KeyValueError(
      .corruption,
      "\(file) holds a write at byte \(offset) that failed, before one that was acknowledged",
      metadata: ["file": file, "offset": String(offset)]
    )
  }

  /// Cuts the torn tails off the newest log file and the manifest; answers what that took off the log.
  private static func mend(_ path: String) throws -> [DiscardedLog] {
    let names = try SystemFile.names(in: path)
    guard names.contains("CURRENT") else {
      try checkNeverOpened(path, names)
      return []
    }
    let discarded = try mendLogs(logs(in: path, names))
    let manifest = String(decoding: try SystemFile.read("\(path)/CURRENT"), as: UTF8.self)
      .prefix { $0 != "\n" }
    if names.contains(String(manifest)) {
      try mendFile("\(path)/\(manifest)", mayBeTorn: true)
    }
    // No process reads files that an opening has not finished writing.
    for name in names where name.hasSuffix(".dbtmp") { try SystemFile.remove("\(path)/\(name)") }
    return discarded
  }

  /// The paths of the log files, the oldest first.
  private static func logs(in path: String, _ names: [String]) -> [String] {
    names.filter { $0.hasSuffix(".log") }
      .compactMap { name in Int(name.dropLast(4)).map { (number: $0, path: "\(path)/\(name)") } }
      .sorted { $0.number < $1.number }
      .map(\.path)
  }

  /// The tail of the log is that of the last file with a record in it: after a write that failed
  /// RocksDB may have begun another.
  private static func mendLogs(_ files: [String]) throws -> [DiscardedLog] {
    var discarded: [DiscardedLog] = []
    var isTail = true
    for file in files.reversed() {
      let mended = try mendFile(file, mayBeTorn: isTail)
      if let part = mended.discarded { discarded.insert(part, at: 0) }
      isTail = isTail && mended.left == 0
    }
    return discarded
  }

  /// RocksDB takes a directory without its file CURRENT for a new one and clears it.
  private static func checkNeverOpened(_ path: String, _ names: [String]) throws {
    guard let orphan = names.first(where: { $0.hasSuffix(".sst") || $0.hasSuffix(".log") }) else {
      return
    }
    throw KeyValueError(
      .corruption,
      "\(path)/CURRENT is missing, though there is data (\(orphan)); nothing was changed",
      metadata: ["file": "\(path)/CURRENT"]
    )
  }

  @discardableResult
  private static func mendFile(
    _ file: String,
    mayBeTorn: Bool
  ) throws -> (left: Int, discarded: DiscardedLog?) {
    let bytes = try SystemFile.read(file)
    let log = bytes.withUnsafeBytes(RecordLog.init(scanning:))
    guard !log.isWhole else { return (log.totalBytes, nil) }
    guard mayBeTorn, log.recordAfterDamage == nil else {
      throw KeyValueError(
        .corruption,
        "\(file) is damaged at byte \(log.wholeBytes) of \(log.totalBytes), before data that was"
          + " acknowledged; nothing was changed",
        metadata: ["file": file, "offset": String(log.wholeBytes)]
      )
    }
    try SystemFile.truncate(file, to: log.wholeBytes)
    let discarded = bytes.withUnsafeBytes { DiscardedLog(file, from: log.wholeBytes, in: $0) }
    return (log.wholeBytes, discarded)
  }
}

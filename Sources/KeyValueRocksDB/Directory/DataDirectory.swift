import KeyValueStore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A directory that this process alone has open, its format checked and its log mended.
///
/// **Layout.** The files are RocksDB's, next to one of ours, `FORMAT`: the line `brasa-rocksdb N`,
/// where N is the format version. `FORMAT` is put in place before anything else is written; the
/// process that has the directory open holds a lock on it (`flock`), which ends with the process.
///
/// A directory is taken when it is missing, empty, or has a `FORMAT` of a version up to ours.
/// Everything else is refused before anything in it is touched.
final class DataDirectory: Sendable {
  private static let formatName = "FORMAT"
  private static let formatWord = "brasa-rocksdb"
  private static let formatVersion = 1

  let path: String
  /// Bytes of unfinished groups that were cut off the log at this start.
  let discardedLogBytes: Int
  private let lock: Int32

  /// Makes the directory if need be and locks it.
  init(opening path: String) throws {
    try SystemFile.makeDirectory(path)
    let format = Self.formatPath(in: path)
    if try Self.isNew(path) {
      try SystemFile.replace(format, with: Self.formatText, in: path)
      try SystemFile.sync(Self.parent(of: path))
    }
    try Self.checkFormat(of: path)
    lock = try Self.lock(format, of: path)
    do {
      discardedLogBytes = try Self.mendLog(in: path)
    } catch {
      close(lock)
      throw error
    }
    self.path = path
  }

  deinit {
    close(lock)
  }

  /// Marks a directory that the engine filled, a checkpoint, as one that it can open.
  static func mark(_ path: String) throws {
    try SystemFile.replace(formatPath(in: path), with: formatText, in: path)
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static var formatText: String { "\(formatWord) \(formatVersion)\n" }

  private static func formatPath(in path: String) -> String { "\(path)/\(formatName)" }

  /// Whether the directory is empty, but for what a start that never finished leaves.
  private static func isNew(_ path: String) throws -> Bool {
    try SystemFile.names(in: path).allSatisfy { $0 == formatName + ".new" }
  }

  private static func checkFormat(of path: String) throws {
    guard try SystemFile.names(in: path).contains(formatName) else {
      throw KeyValueError(
        .foreign,
        "\(path) has files in it but no \(formatName): it is not a data directory",
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
        "\(path) has format \(version); this program reads formats up to \(formatVersion)",
        metadata: ["directory": path]
      )
    }
  }

  private static func lock(_ file: String, of path: String) throws -> Int32 {
    let descriptor = SystemFile.openDescriptor(file, O_RDONLY)
    guard descriptor >= 0 else { throw SystemFile.failure("open", file) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return descriptor }
    let number = errno
    close(descriptor)
    guard number == EWOULDBLOCK else { throw SystemFile.failure("lock", file, number) }
    throw KeyValueError(
      .locked,
      "\(path) is in use: another process, or this one, has it open",
      metadata: ["directory": path]
    )
  }

  /// Cuts the torn tail off the newest log file; answers how much that was.
  private static func mendLog(in path: String) throws -> Int {
    let files = try SystemFile.names(in: path)
      .compactMap { name in logNumber(name).map { (number: $0, path: "\(path)/\(name)") } }
      .sorted { $0.number < $1.number }
    var discarded = 0
    for (index, file) in files.enumerated() {
      let log = try SystemFile.read(file.path).withUnsafeBytes(WriteAheadLog.init(scanning:))
      guard !log.isWhole else { continue }
      guard index == files.count - 1, log.recordAfterDamage == nil else {
        throw damaged(log, file.path)
      }
      try SystemFile.truncate(file.path, to: log.wholeBytes)
      discarded = log.totalBytes - log.wholeBytes
    }
    return discarded
  }

  private static func logNumber(_ name: String) -> Int? {
    guard name.hasSuffix(".log") else { return nil }
    return Int(name.dropLast(4))
  }

  private static func damaged(_ log: WriteAheadLog, _ file: String) -> KeyValueError {
    KeyValueError(
      .corruption,
      "the write-ahead log \(file) is damaged at byte \(log.wholeBytes) of \(log.totalBytes),"
        + " with data after it that was acknowledged; nothing was changed",
      metadata: ["file": file, "offset": String(log.wholeBytes)]
    )
  }
}

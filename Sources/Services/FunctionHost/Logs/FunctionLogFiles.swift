import Foundation
import Logging
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The files by which the lines of functions outlive the server.
///
///     PROJECT/FUNCTION.log      entries as lines of JSON, the newest last
///     PROJECT/FUNCTION.log.1    the entries before those
///
/// A file that has reached `bytesPerFile` replaces the one before it. A line that a crash cut is skipped when the files are
/// read. Any thread may call; lines are written a moment later on a thread of its own, and dropped where the disk is slower
/// than they come.
package final class FunctionLogFiles: Sendable {
  /// The size at which a file is put aside.
  package static let bytesPerFile = FunctionLogs.bytesPerFunction
  /// The most bytes that wait to be written.
  private static let mostWaiting = 4 << 20
  /// The most bytes of all files; the ones that were written longest ago go first.
  private static let mostBytes = 128 << 20

  private struct Waiting {
    var lines: [FunctionLogs.Key: Data] = [:]
    var bytes = 0
    var isScheduled = false
    var hasFailed = false
  }

  private let folder: String
  private let log: Logger
  private let waiting = Mutex(Waiting())
  private let queue = DispatchQueue(label: "function-logs", qos: .utility)

  /// Files below a folder, which is made where it is absent.
  package init(_ folder: String, log: Logger) {
    self.folder = folder
    self.log = log
  }

  /// Has an entry written.
  func append(_ key: FunctionLogs.Key, _ entry: FunctionLogEntry) {
    guard var line = try? JSONEncoder().encode(entry) else { return }
    line.append(10)
    let isFirst = waiting.withLock { waiting in
      guard waiting.bytes + line.count <= Self.mostWaiting else { return false }
      waiting.lines[key, default: Data()].append(line)
      waiting.bytes += line.count
      defer { waiting.isScheduled = true }
      return !waiting.isScheduled
    }
    if isFirst { queue.asyncAfter(deadline: .now() + 0.2) { [self] in writeWaiting() } }
  }

  /// Returns when every line that came before is in its file.
  ///
  /// Blocks.
  package func flush() { queue.sync { writeWaiting() } }

  private func writeWaiting() {
    let lines = waiting.withLock { waiting in
      defer { (waiting.lines, waiting.bytes, waiting.isScheduled) = ([:], 0, false) }
      return waiting.lines
    }
    var isWritten = true
    for (key, data) in lines { isWritten = write(data, of: key) && isWritten }
    let isNew = waiting.withLock { waiting in
      defer { waiting.hasFailed = !isWritten }
      return !isWritten && !waiting.hasFailed
    }
    if isNew {
      log.warning("logs of functions could not be written", metadata: ["folder": "\(folder)"])
    }
  }

  private func write(_ data: Data, of key: FunctionLogs.Key) -> Bool {
    let parent = "\(folder)/\(key.project)"
    let path = "\(parent)/\(key.function).log"
    try? FileManager.default.createDirectory(
      atPath: parent,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let count = data.withUnsafeBytes { Platform.write(descriptor, $0.baseAddress, $0.count) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_size >= Self.bytesPerFile {
      rename(path, path + ".1")
    }
    return count == data.count
  }

  // MARK: Reading

  /// The entries of all files, each function's in their order; removes files beyond the bound first.
  ///
  /// Blocks.
  func read() -> [(key: FunctionLogs.Key, entries: [FunctionLogEntry])] {
    removeOldest()
    var found: [(key: FunctionLogs.Key, entries: [FunctionLogEntry])] = []
    for project in names(in: folder) {
      let functions = Set(names(in: "\(folder)/\(project)").map(Self.function)).sorted()
      for function in functions {
        let path = "\(folder)/\(project)/\(function).log"
        let entries = [path + ".1", path].flatMap(Self.entries)
        found.append((FunctionLogs.Key(project: project, function: function), entries))
      }
    }
    return found
  }

  private static func function(ofFile name: String) -> String {
    String(name.prefix { $0 != "." })
  }

  private static func entries(at path: String) -> [FunctionLogEntry] {
    let bytes = SafeFile.read(path, upTo: 2 * bytesPerFile + mostWaiting) ?? []
    return bytes.split(separator: 10).compactMap {
      try? JSONDecoder().decode(FunctionLogEntry.self, from: Data($0))
    }
  }

  private func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  private func removeOldest() {
    var files: [(path: String, size: Int, modified: Date)] = []
    for project in names(in: folder) {
      for name in names(in: "\(folder)/\(project)") {
        let path = "\(folder)/\(project)/\(name)"
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let modified = attributes?[.modificationDate] as? Date ?? .distantPast
        files.append((path, attributes?[.size] as? Int ?? 0, modified))
      }
    }
    var bytes = files.reduce(0) { $0 + $1.size }
    for file in files.sorted(by: { $0.modified < $1.modified }) where bytes > Self.mostBytes {
      try? FileManager.default.removeItem(atPath: file.path)
      bytes -= file.size
    }
  }
}

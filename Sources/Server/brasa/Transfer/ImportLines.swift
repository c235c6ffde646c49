import ArgumentParser
import Foundation

/// The lines of all `.jsonl` files of a directory, in the order of their names.
final class ImportLines {
  private(set) var bytesRead = 0
  let bytesTotal: Int
  /// True if there are no files.
  let isEmpty: Bool
  private var files: [URL]
  private var current: FileHandle?
  private var buffer = Data()
  /// The lines that were handed out.
  private(set) var lineCount = 0
  /// The name of the current file, and the number of the last line in it that was read.
  private var position = (file: "", line: 0)
  /// The offset in `buffer` of the next line.
  private var start = 0
  /// Up to where there is no line's end behind `start`.
  private var searched = 0

  /// The directory that the operator named; below it no link is followed.
  private let root: URL

  /// Finds the files; a directory without any is refused, unless it `mayBeEmpty`, and so is a link.
  init(directory path: String, below root: String, mayBeEmpty: Bool = false) throws {
    self.root = URL(fileURLWithPath: root, isDirectory: true)
    let directory = URL(fileURLWithPath: path, isDirectory: true)
    try PlainFile.check(directory: directory, below: self.root)
    // A directory that is a link itself would list as an empty one.
    let listed = directory.resolvingSymlinksInPath().path
    let found = try FileManager.default.contentsOfDirectory(atPath: listed)
      .map { directory.appendingPathComponent($0) }
    files = found.filter { $0.pathExtension == "jsonl" }.sorted { $0.path > $1.path }
    isEmpty = files.isEmpty
    guard !isEmpty || mayBeEmpty else { throw ValidationError("\(path) has no .jsonl files.") }
    bytesTotal = try files.reduce(0) {
      try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
    }
  }

  /// The file and the number of the last line that was handed out, for people.
  var location: String { "\(position.file), line \(position.line)" }

  /// The next line that is not empty; nil behind the last.
  func next() throws -> [UInt8]? {
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        let line = buffer[start..<end]
        start = end + 1
        searched = start
        position.line += 1
        if !line.isEmpty { return handedOut(line) }
      } else if try !fill() {
        guard start < buffer.count else { return nil }
        defer { (start, searched) = (buffer.count, buffer.count) }
        position.line += 1
        return handedOut(buffer[start...])
      }
    }
  }

  private func handedOut(_ line: Data) -> [UInt8] {
    lineCount += 1
    return Array(line)
  }

  /// Reads on in the current file or the next; false behind the last, or at the end of a file
  /// whose last line has no end.
  private func fill() throws -> Bool {
    buffer = Data(buffer[start...])
    start = 0
    searched = buffer.count
    while true {
      if let chunk = try current?.read(upToCount: 1 << 20), !chunk.isEmpty {
        bytesRead += chunk.count
        buffer.append(chunk)
        return true
      }
      try current?.close()
      current = nil
      guard buffer.isEmpty, let file = files.popLast() else { return false }
      current = try PlainFile.open(file, below: root)
      position = (file.lastPathComponent, 0)
    }
  }
}

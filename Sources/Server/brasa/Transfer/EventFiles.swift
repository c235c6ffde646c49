import ArgumentParser
import Foundation
import Gzip

/// A gzip file of JSON lines for each day, one after the other.
///
/// A file has its name when it is whole.
final class EventFiles {
  private struct Current {
    let name: String
    let packer = GzipWriter()
    let handle: FileHandle
    var lines: [UInt8] = []
  }

  private static let partBytes = 256 << 10
  private let directory: URL
  private var current: Current?

  init(directory: URL) { self.directory = directory }

  /// Adds a line to a file; the lines of a file follow each other.
  func append(_ line: [UInt8], to file: String) throws {
    if current?.name != file {
      try close()
      current = try open(file)
    }
    current?.lines += line
    current?.lines.append(UInt8(ascii: "\n"))
    if let lines = current?.lines, lines.count >= Self.partBytes { try flush() }
  }

  /// Ends the current file.
  func close() throws {
    try flush()
    guard let current else { return }
    try current.handle.write(contentsOf: Data(current.packer.finish()))
    try current.handle.synchronize()
    try current.handle.close()
    self.current = nil
    let name = directory.appendingPathComponent(current.name + ".json.gz")
    guard rename(part(current.name).path, name.path) == 0 else {
      throw ValidationError("\(name.path) cannot be written.")
    }
  }

  private func flush() throws {
    guard let lines = current?.lines, !lines.isEmpty, let packed = current?.packer.pack(lines)
    else { return }
    current?.lines = []
    try current?.handle.write(contentsOf: Data(packed))
  }

  private func part(_ name: String) -> URL {
    directory.appendingPathComponent(name + ".json.gz.part")
  }

  private func open(_ name: String) throws -> Current {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let part = part(name)
    guard
      FileManager.default.createFile(
        atPath: part.path,
        contents: nil,
        attributes: [.posixPermissions: 0o600]
      ), let handle = FileHandle(forWritingAtPath: part.path)
    else { throw ValidationError("\(part.path) cannot be written.") }
    return Current(name: name, handle: handle)
  }
}

/// The lines of files of events, packed with gzip or not.
final class EventLines {
  private static let partBytes = 256 << 10
  private var files: [String]
  private var handle: FileHandle?
  private var reader: GzipReader?
  private var isAtStart = true
  private var buffer: [UInt8] = []
  private var start = 0

  init(files: [String]) throws {
    for file in files where !FileManager.default.isReadableFile(atPath: file) {
      throw ValidationError("There is no file \(file).")
    }
    self.files = files.reversed()
  }

  /// The next line that is not empty; nil behind the last.
  func next() throws -> [UInt8]? {
    while true {
      if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        if end > start { return Array(buffer[start..<end]) }
      } else if try !fill() {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return Array(buffer[start...])
      }
    }
  }

  /// Reads on; false behind the last file, and at the end of a file whose last line has no end.
  private func fill() throws -> Bool {
    buffer.removeFirst(start)
    start = 0
    while true {
      guard let handle else {
        guard try openNext() else { return false }
        continue
      }
      if let part = try reader?.next() {
        buffer += part
        return true
      }
      guard let read = try handle.read(upToCount: Self.partBytes), !read.isEmpty else {
        try reader?.finish()
        try handle.close()
        self.handle = nil
        if !buffer.isEmpty { return false }
        continue
      }
      if isAtStart, read.starts(with: GzipReader.signature) { reader = GzipReader(limit: .max) }
      isAtStart = false
      guard let reader else {
        buffer += read
        return true
      }
      reader.feed(Array(read))
    }
  }

  private func openNext() throws -> Bool {
    guard let file = files.popLast() else { return false }
    guard let opened = FileHandle(forReadingAtPath: file) else {
      throw ValidationError("\(file) cannot be read.")
    }
    (handle, reader, isAtStart) = (opened, nil, true)
    return true
  }
}

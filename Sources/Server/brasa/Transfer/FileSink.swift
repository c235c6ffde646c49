import ArgumentParser
import Checksums
import Foundation
import ObjectStorage
import StorageAPI

// The folder `files` of an export:
//
//   buckets.jsonl             a line a bucket
//   objects.BUCKET.jsonl      a line an object's generation; `content` names its bytes
//   content/XX/ID             the bytes, synced and renamed once they were whole

/// An export of files: metadata as lines, bytes as files of their own.
final class FileSink: ExportSink {
  private let directory: ExportDirectory
  private let content: URL
  private var current: Current?

  private struct Current {
    let name: String
    let part: URL
    let file: FileHandle
    var crc = CRC32C()
  }

  /// Files below a directory that is there.
  init(_ directory: ExportDirectory, path: String) {
    self.directory = directory
    content = Self.contents(of: path)
  }

  /// Returns the directory of the bytes in an export.
  static func contents(of path: String) -> URL {
    URL(fileURLWithPath: path, isDirectory: true)
      .appendingPathComponent("content", isDirectory: true)
  }

  /// Returns the file with the bytes of a name.
  static func file(_ name: String, in contents: URL) -> URL {
    contents.appendingPathComponent(String(name.prefix(2)), isDirectory: true)
      .appendingPathComponent(name)
  }

  func take(_ item: [UInt8], of file: String) throws {
    switch try FileItem(item) {
    case .line(let json): try directory.append(json, to: file)
    case .bytes(let bytes): try append(bytes, to: file)
    case .end(let crc32c):
      if current == nil { try append([], to: file) }
      try finish(crc32c)
    case .object: throw ControlError.malformed("an object in an export")
    }
  }

  private func append(_ bytes: [UInt8], to name: String) throws {
    if current == nil {
      let url = Self.file(name, in: content)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      let part = url.appendingPathExtension("part")
      try Data().write(to: part)
      current = Current(name: name, part: part, file: try FileHandle(forWritingTo: part))
    }
    current?.crc.update(bytes)
    try current?.file.write(contentsOf: bytes)
  }

  private func finish(_ crc32c: UInt32) throws {
    guard let done = current else { return }
    current = nil
    try done.file.synchronize()
    try done.file.close()
    guard done.crc.value == crc32c else {
      throw ValidationError(
        "\(done.name): the stored bytes are damaged. brasa verify names the files; delete or replace them."
      )
    }
    let file = Self.file(done.name, in: content)
    // The same bytes are sent again if an object was copied or renamed after the first was sent.
    guard !FileManager.default.fileExists(atPath: file.path) else {
      return try FileManager.default.removeItem(at: done.part)
    }
    try FileManager.default.moveItem(at: done.part, to: file)
  }

  func close() throws { try directory.close() }

  var lineCount: Int { directory.lineCount }
}

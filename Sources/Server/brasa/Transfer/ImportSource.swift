import ArgumentParser
import BaseStatus
import Checksums
import Foundation
import ObjectStorage
import StorageAPI

/// The source of an import's items.
protocol ImportSource: AnyObject {
  var bytesRead: Int { get }
  var bytesTotal: Int { get }
  /// The unit of those two, where it is another one than bytes.
  var unit: String { get }
  /// The next item; nil behind the last.
  func next() throws -> [UInt8]?
  /// The lines that were read; of sealed items their number.
  var lineCount: Int { get }
  /// The reasons why lines that are no items were skipped.
  var drops: [String] { get }
  /// Values that are stored otherwise than they were.
  var changes: (count: Int, lines: [String]) { get }
}

extension ImportSource {
  var unit: String { "byte" }
  /// Nothing is changed.
  var changes: (count: Int, lines: [String]) { (0, []) }
}

/// Items that are lines.
final class LineSource: ImportSource {
  private let form: TransferForm
  private let lines: ImportLines

  /// Lines of a kind.
  init(_ form: TransferForm, _ lines: ImportLines) {
    self.form = form
    self.lines = lines
  }

  var bytesRead: Int { lines.bytesRead }
  var bytesTotal: Int { lines.bytesTotal }

  var lineCount: Int { lines.lineCount }
  private(set) var drops: [String] = []

  func next() throws -> [UInt8]? {
    while let line = try lines.next() {
      do {
        return try form.item(line)
      } catch let error as ServiceError where error.code == .invalidArgument {
        drops.append("\(lines.location): \(error.message)")
      }
    }
    return nil
  }
}

/// Files as `FileSink` wrote them: lines, and behind that of an object its bytes, a part in memory at a time.
final class FileSource: ImportSource {
  private let lines: ImportLines
  /// The export's directory, which the operator named.
  private let root: URL
  private let content: URL
  private var current: FileHandle?
  private var crc = CRC32C()
  /// Shared contents that were handed out.
  private var sent: Set<String> = []
  private var contentRead = 0
  let bytesTotal: Int

  private static let partBytes = 1 << 20

  /// The facts about an object's bytes in its line.
  private struct ContentLine: Decodable {
    let content: String?
    let isShared: Bool?
  }

  /// The files of a directory.
  init(_ path: String, below root: String, mayBeEmpty: Bool) throws {
    self.root = URL(fileURLWithPath: root, isDirectory: true)
    lines = try ImportLines(directory: path, below: root, mayBeEmpty: mayBeEmpty)
    content = FileSink.contents(of: path)
    bytesTotal = try lines.bytesTotal + Self.size(of: content)
  }

  var bytesRead: Int { lines.bytesRead + contentRead }
  var lineCount: Int { lines.lineCount }
  private(set) var drops: [String] = []

  func next() throws -> [UInt8]? {
    if let current { return try part(of: current).encoded }
    while let line = try lines.next() {
      guard let content = try? JSONDecoder().decode(ContentLine.self, from: Data(line)) else {
        drops.append("\(lines.location): the line is not the JSON of a bucket or an object.")
        continue
      }
      try open(content)
      return FileItem.line(line).encoded
    }
    return nil
  }

  /// Opens the bytes that follow an object's line.
  private func open(_ line: ContentLine) throws {
    guard let name = line.content else { return }
    if line.isShared == true, !sent.insert(name).inserted { return }
    guard BlobID(hexadecimal: name) != nil else {
      throw ValidationError("\(name) is not the name of a file's bytes.")
    }
    let url = FileSink.file(name, in: content)
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw ValidationError("\(url.path) is missing.")
    }
    current = try PlainFile.open(url, below: root)
    crc = CRC32C()
  }

  private func part(of file: FileHandle) throws -> FileItem {
    guard let part = try file.read(upToCount: Self.partBytes), !part.isEmpty else {
      try file.close()
      current = nil
      return .end(crc32c: crc.value)
    }
    let bytes = Array(part)
    crc.update(bytes)
    contentRead += bytes.count
    return .bytes(bytes)
  }

  private static func size(of directory: URL) throws -> Int {
    let found = FileManager.default.enumerator(
      at: directory,
      includingPropertiesForKeys: [.fileSizeKey]
    )
    var size = 0
    while let url = found?.nextObject() as? URL {
      size += try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
    return size
  }
}

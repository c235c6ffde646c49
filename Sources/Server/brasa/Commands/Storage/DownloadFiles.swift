import ArgumentParser
import Checksums
import Foundation
import ObjectStorage
import StorageAPI

/// Writes the objects of a stream of files into local files.
///
/// A file is written beside its target and renamed when its bytes have the CRC-32C that the store has for them. No name
/// leaves the target's directory.
final class DownloadFiles {
  private let target: URL
  private let prefix: String?
  private let isDirectory: Bool
  private var current: Current?
  private(set) var bytesWritten = 0
  /// The bytes of the objects that have begun.
  private(set) var bytesTotal = 0
  /// Objects whose names are no path below the target.
  private(set) var refusedCount = 0

  private struct Current {
    let url: URL
    let part: URL
    let file: FileHandle
    var crc = CRC32C()
  }

  /// Objects go to a file, or into a directory: under their last names, or below a prefix under what follows it.
  init(_ target: String, below prefix: String?, isDirectory: Bool) {
    self.target = URL(fileURLWithPath: target, isDirectory: isDirectory)
    self.prefix = prefix
    self.isDirectory = isDirectory
  }

  deinit {
    // An incomplete file is of no use.
    if let current { try? FileManager.default.removeItem(at: current.part) }
  }

  /// Takes an item; a text where the object is refused.
  func take(_ item: [UInt8]) throws -> String? {
    switch try FileItem(item) {
    case .object(let header): return try open(header)
    case .bytes(let bytes):
      current?.crc.update(bytes)
      try current?.file.write(contentsOf: bytes)
      bytesWritten += bytes.count
    case .end(let crc32c): try close(crc32c)
    case .line: throw ControlError.malformed("a line among the bytes of files")
    }
    return nil
  }

  private func open(_ header: FileHeader) throws -> String? {
    guard let url = url(of: header.name) else {
      refusedCount += 1
      return "refused: \(header.name) is not a path below \(target.path)"
    }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    bytesTotal += Int(clamping: header.size)
    let part = url.appendingPathExtension("brasa-part")
    try Data().write(to: part)
    current = Current(url: url, part: part, file: try FileHandle(forWritingTo: part))
    return nil
  }

  private func close(_ crc32c: UInt32) throws {
    guard let done = current else { return }
    current = nil
    try done.file.close()
    guard done.crc.value == crc32c else {
      try FileManager.default.removeItem(at: done.part)
      throw ValidationError("\(done.url.path): the stored bytes are damaged, see brasa verify.")
    }
    guard rename(done.part.path, done.url.path) == 0 else {
      throw ControlError.system("rename to \(done.url.path)", errno)
    }
  }

  /// Returns the file to which an object goes; nil if its name is no path below the target.
  private func url(of name: String) -> URL? {
    guard isDirectory else { return target }
    let relative =
      prefix.map { String(decoding: name.utf8.dropFirst($0.utf8.count), as: UTF8.self) }
      ?? name.split(separator: "/").last.map(String.init) ?? ""
    let parts = relative.split(separator: "/", omittingEmptySubsequences: false)
    let isPath = parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 240 }
    return isPath ? target.appendingPathComponent(relative) : nil
  }
}

import ArgumentParser
import Foundation

/// The files of an export: one a collection, each line the JSON of a document.
///
/// A file is named for its collection's path, percent-encoded so that any ID makes a legal name. A
/// name that would be too long for a file system is truncated and distinguished by a hash. Names
/// are for people: every line carries its document's full name.
final class ExportDirectory {
  private let directory: URL
  private var collection: String?
  private var file: FileHandle?
  private var pending = Data()
  /// The lines that were added.
  private(set) var lineCount = 0

  /// Makes the directory; one with files in it is refused.
  init(creating path: String) throws {
    directory = URL(fileURLWithPath: path, isDirectory: true)
    let manager = FileManager.default
    if let present = try? manager.contentsOfDirectory(atPath: path), !present.isEmpty {
      throw ValidationError("\(path) is not empty. Name a new directory.")
    }
    try manager.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// Adds a document to its collection's file.
  func append(_ json: [UInt8], to path: String) throws {
    if path != collection {
      try close()
      let url = directory.appendingPathComponent(Self.fileName(of: path))
      if !FileManager.default.fileExists(atPath: url.path) {
        try Data().write(to: url)
      }
      file = try FileHandle(forWritingTo: url)
      try file?.seekToEnd()
      collection = path
    }
    pending.append(contentsOf: json)
    pending.append(0x0A)
    lineCount += 1
    if pending.count > 1 << 20 { try flush() }
  }

  /// Writes the rest to the disk.
  func close() throws {
    try flush()
    try file?.synchronize()
    try file?.close()
    file = nil
    collection = nil
  }

  private func flush() throws {
    try file?.write(contentsOf: pending)
    pending.removeAll(keepingCapacity: true)
  }

  /// The file of a collection's path.
  static func fileName(of path: String) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-_ ")
    let encoded =
      path.split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? "" }
      .joined(separator: ".")
    guard encoded.utf8.count > 200 else { return encoded + ".jsonl" }
    return "\(encoded.prefix(160))~\(String(hash(path), radix: 16)).jsonl"
  }

  /// FNV-1a, 64 bits.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

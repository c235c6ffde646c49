import BaseStatus
import Crypto
import Foundation

/// The files of a codebase, read once so that their digest and their copy are of the same bytes.
package struct SourceTree: Sendable {
  /// One file.
  struct File: Sendable {
    let path: String
    let bytes: Data
    let isExecutable: Bool
  }

  /// The most bytes of a source.
  package static let mostBytes = 256 << 20
  /// The most files of a source.
  package static let mostFiles = 20_000

  let files: [File]
  /// SHA-256 of all paths and contents, in hexadecimal.
  package let digest: String

  /// Reads the source below a folder, without what installations and editors leave there.
  ///
  /// Blocks. Throws INVALID_ARGUMENT for symbolic links, which could lead out of the folder.
  package init(readingFrom folder: String, keepsLocal: Bool) throws {
    var files: [File] = []
    var total = 0
    try Self.walk(folder, "", keepsLocal) { path, full in
      let attributes = try FileManager.default.attributesOfItem(atPath: full)
      let size = (attributes[.size] as? Int) ?? 0
      total += size
      guard files.count < Self.mostFiles, total <= Self.mostBytes else { throw Self.tooLarge }
      let mode = (attributes[.posixPermissions] as? Int) ?? 0o644
      let bytes = try Data(contentsOf: URL(fileURLWithPath: full))
      files.append(File(path: path, bytes: bytes, isExecutable: mode & 0o100 != 0))
    }
    self.init(files)
  }

  /// Reads the source in a zip archive, without what installations and editors leave there.
  ///
  /// Throws INVALID_ARGUMENT for an archive that is damaged or leads out of its folder.
  package init(unpacking archive: [UInt8]) throws(ServiceError) {
    self.init(
      try ZipArchive.files(of: archive).filter { file in
        !file.path.hasSuffix(".pyc") && !file.path.hasSuffix(".local")
          && !file.path.split(separator: "/").contains { Self.skipped.contains(String($0)) }
      }
    )
  }

  private init(_ unsorted: [File]) {
    let files = unsorted.sorted { $0.path < $1.path }
    var hash = SHA256()
    for file in files {
      hash.update(
        data: Data("\(file.path)\u{0}\(file.bytes.count)\u{0}\(file.isExecutable)\u{0}".utf8)
      )
      hash.update(data: file.bytes)
    }
    self.files = files
    digest = hash.finalize().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      .joined()
  }

  static let tooLarge = ServiceError.invalidArgument(
    "The source has more than \(mostFiles) files or \(mostBytes >> 20) MB. Remove what it doesn't need."
  )

  private static let skipped: Set<String> = [
    "venv", ".venv", "node_modules", "__pycache__", ".git", ".build", ".mypy_cache",
    ".pytest_cache", "firebase-debug.log", ".DS_Store",
  ]

  private static func walk(
    _ root: String,
    _ below: String,
    _ keepsLocal: Bool,
    _ take: (_ path: String, _ full: String) throws -> Void
  ) throws {
    let folder = below.isEmpty ? root : "\(root)/\(below)"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      if skipped.contains(name) || name.hasSuffix(".pyc") { continue }
      if !keepsLocal, name.hasSuffix(".local") { continue }
      let path = below.isEmpty ? name : "\(below)/\(name)"
      let full = "\(root)/\(path)"
      let type = try FileManager.default.attributesOfItem(atPath: full)[.type] as? FileAttributeType
      switch type {
      case .typeDirectory?: try walk(root, path, keepsLocal, take)
      case .typeRegular?: try take(path, full)
      case .typeSymbolicLink?:
        throw ServiceError.invalidArgument(
          "\(path) is a symbolic link. Replace it with the file: a deployed source can't have links."
        )
      default:
        throw ServiceError.invalidArgument("\(path) is neither a file nor a folder. Remove it.")
      }
    }
  }

  /// The names, sizes and times of the files below a folder; empty where it can't be read.
  static func status(of folder: String) -> [(path: String, size: Int, modified: Date)] {
    var found: [(path: String, size: Int, modified: Date)] = []
    try? walk(folder, "", true) { path, full in
      let attributes = try FileManager.default.attributesOfItem(atPath: full)
      found.append(
        (
          path, attributes[.size] as? Int ?? 0,
          attributes[.modificationDate] as? Date ?? .distantPast
        )
      )
    }
    return found
  }

  /// The text of a file of the source; nil where it has none.
  package func text(of path: String) -> String? {
    files.first { $0.path == path }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// Writes a copy into a folder that doesn't exist yet.
  ///
  /// Blocks.
  package func write(to folder: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for file in files {
      let path = "\(folder)/\(file.path)"
      let parent = (path as NSString).deletingLastPathComponent
      try manager.createDirectory(atPath: parent, withIntermediateDirectories: true)
      try file.bytes.write(to: URL(fileURLWithPath: path))
      let mode = file.isExecutable ? 0o755 : 0o644
      try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
  }

  /// The variables of the source's `.env` files for a project; the more specific file wins.
  package func variables(project: String, keepsLocal: Bool) throws(ServiceError) -> [String: String]
  {
    var values: [String: String] = [:]
    for name in [".env", ".env.\(project)"] + (keepsLocal ? [".env.local"] : []) {
      guard let text = text(of: name) else { continue }
      let read = try EnvironmentFile.parse(text, named: name)
      values.merge(read) { $1 }
    }
    return values
  }
}

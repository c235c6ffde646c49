import ArgumentParser
import Checksums
import Foundation
import ObjectStorage
import StorageAPI

/// Local files as the items of a stream of files, one part of a file in memory.
final class UploadFiles {
  private let contentType: String?
  /// The files that are left, the next one last, with their objects' names.
  private var files: [(url: URL, name: String, size: Int)] = []
  private var current: (file: FileHandle, path: String, left: Int)?
  private var crc = CRC32C()
  /// Bytes of content that were handed out.
  private(set) var bytesRead = 0
  let bytesTotal: Int

  private static let partBytes = 1 << 20

  /// A file, or all files of a directory and those below; links are left out.
  init(
    _ source: String,
    to target: StoragePath,
    isRecursive: Bool,
    contentType: String?
  ) throws {
    self.contentType = contentType
    let url = URL(fileURLWithPath: source)
    let found = isRecursive ? try Self.files(in: url) : [(url, url.lastPathComponent)]
    var files: [(url: URL, name: String, size: Int)] = []
    for (file, relative) in found {
      let name = isRecursive || target.isFolder ? target.name + relative : target.name
      files.append((file, name, try Self.size(of: file)))
    }
    guard !files.isEmpty else { throw ValidationError("There are no files in \(source).") }
    bytesTotal = files.reduce(0) { $0 + $1.size }
    self.files = files.reversed()
  }

  /// The next item; nil behind the last.
  func next() throws -> [UInt8]? {
    guard let reading = current else { return try open()?.encoded }
    guard reading.left > 0 else {
      try reading.file.close()
      current = nil
      return FileItem.end(crc32c: crc.value).encoded
    }
    guard let part = try reading.file.read(upToCount: min(reading.left, Self.partBytes)),
      !part.isEmpty
    else { throw ValidationError("\(reading.path) has become shorter.") }
    let bytes = Array(part)
    crc.update(bytes)
    bytesRead += bytes.count
    current?.left -= bytes.count
    return FileItem.bytes(bytes).encoded
  }

  private func open() throws -> FileItem? {
    guard let (url, name, size) = files.popLast() else { return nil }
    current = (try FileHandle(forReadingFrom: url), url.path, size)
    crc = CRC32C()
    let type = contentType ?? ContentTypes.type(ofEnding: url.pathExtension)
    return .object(FileHeader(name: name, size: Int64(size), contentType: type))
  }

  private static func size(of url: URL) throws -> Int {
    let values = try? url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
    guard let values, values.isRegularFile == true, let size = values.fileSize else {
      throw ValidationError("\(url.path) is not a file. Use -r for a directory.")
    }
    return size
  }

  /// The regular files below a directory, with their paths from there, in their order.
  private static func files(in directory: URL) throws -> [(URL, String)] {
    let keys: [URLResourceKey] = [.isRegularFileKey]
    let root = directory.resolvingSymlinksInPath().path
    guard
      let found = FileManager.default.enumerator(
        at: URL(fileURLWithPath: root, isDirectory: true),
        includingPropertiesForKeys: keys
      )
    else { throw ValidationError("There is no directory \(directory.path).") }
    var files: [(URL, String)] = []
    for case let url as URL in found {
      guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      let path = url.path.dropFirst(root.count).drop { $0 == "/" }
      files.append((url, String(path)))
    }
    return files.sorted { $0.1 < $1.1 }
  }
}

/// The content types that files' endings stand for.
enum ContentTypes {
  private static let types = [
    "avif": "image/avif", "css": "text/css", "csv": "text/csv", "gif": "image/gif",
    "gz": "application/gzip", "heic": "image/heic", "html": "text/html", "jpeg": "image/jpeg",
    "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
    "m4a": "audio/mp4", "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg",
    "mp4": "video/mp4", "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml",
    "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp",
    "xml": "application/xml", "zip": "application/zip",
  ]

  /// The type of files with an ending.
  static func type(ofEnding ending: String) -> String {
    types[ending.lowercased()] ?? "application/octet-stream"
  }
}

import ArgumentParser
import BaseJSON
import BaseText
import Checksums
import Foundation
import StorageAPI

/// Files as the emulators' folder has them: a metadata file an object, and its bytes under the same name.
///
/// Names are those of the stored bytes, so that no object's name becomes a path. Older versions of an object are left out.
final class EmulatorFilesSink: ExportSink {
  private let folder: URL
  private var buckets: [String] = []
  private var current: Current?
  /// True while the bytes that follow are passed over.
  private var isSkipping = false
  /// Contents that several objects have, with how many of them were written.
  private var shared: [String: Int] = [:]
  private(set) var lineCount = 0
  /// Older versions and deleted files, which the emulator does not have.
  private(set) var leftOut = 0

  private struct Current {
    let url: URL
    let file: FileHandle
    var crc = CRC32C()
  }

  /// Files in a folder, which is made.
  init(creating path: String) throws {
    _ = try ExportDirectory(creating: path)
    folder = URL(fileURLWithPath: path, isDirectory: true)
    for name in ["blobs", "metadata"] {
      let part = folder.appendingPathComponent(name, isDirectory: true)
      try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
    }
  }

  func take(_ item: [UInt8], of file: String) throws {
    switch try FileItem(item) {
    case .line(let json): try take(try JSONParser.parse(json))
    case .bytes(let bytes): try append(bytes, of: file)
    case .end(let crc32c): try finish(crc32c, of: file)
    case .object: throw ControlError.malformed("an object in an export")
    }
  }

  func close() throws {
    // A content that only older versions have.
    for (content, count) in shared where count == 0 {
      try? FileManager.default.removeItem(at: blob(content))
    }
    let list = buckets.map { JSONValue.object(["id": .string($0)]) }
    let json = JSONValue.object(["buckets": .array(list)])
    try Data((json.printed() + "\n").utf8)
      .write(to: folder.appendingPathComponent("buckets.json"), options: .atomic)
  }

  private func take(_ line: JSONValue) throws {
    if let bucket = line["bucket"]?.string { return buckets.append(bucket) }
    guard let object = line["object"], let content = line["content"]?.string else {
      throw ControlError.malformed("a line of an export's files")
    }
    let isLive = line["noncurrentSince"] == nil && line["deletedAt"] == nil
    let isShared = line["isShared"]?.boolean == true
    isSkipping = !isLive && !isShared
    if isShared { shared[content] = shared[content] ?? 0 }
    guard isLive else {
      leftOut += 1
      return
    }
    var name = content
    if let count = shared[content] {
      if count > 0 {
        // The emulator has a file's bytes under the name of its metadata.
        name = "\(content)-\(count)"
        try FileManager.default.copyItem(at: blob(content), to: blob(name))
      }
      shared[content] = count + 1
    }
    let url = folder.appendingPathComponent("metadata").appendingPathComponent("\(name).json")
    try Data((Self.metadata(object).printed() + "\n").utf8).write(to: url)
    lineCount += 1
  }

  // MARK: Bytes

  private func blob(_ name: String) -> URL {
    folder.appendingPathComponent("blobs").appendingPathComponent(name)
  }

  private func append(_ bytes: [UInt8], of name: String) throws {
    guard !isSkipping else { return }
    if current == nil {
      try Data().write(to: blob(name))
      current = Current(url: blob(name), file: try FileHandle(forWritingTo: blob(name)))
    }
    current?.crc.update(bytes)
    try current?.file.write(contentsOf: bytes)
  }

  private func finish(_ crc32c: UInt32, of name: String) throws {
    guard !isSkipping else { return }
    if current == nil { try append([], of: name) }
    guard let done = current else { return }
    current = nil
    try done.file.close()
    guard done.crc.value == crc32c else {
      throw ValidationError(
        "\(name): the stored bytes are damaged. brasa verify names the files; delete or replace them."
      )
    }
  }

  // MARK: Metadata

  private static let texts = [
    "name", "bucket", "contentType", "contentDisposition", "contentLanguage", "cacheControl",
    "storageClass", "customTime", "timeCreated", "updated", "md5Hash", "etag",
  ]

  /// The emulator's metadata of an object as the JSON API shows it.
  private static func metadata(_ object: JSONValue) -> JSONValue {
    var members: [JSONValue.Member] = []
    for name in texts { if let value = object[name] { members.append(.init(name, value)) } }
    members.append(.init("contentEncoding", object["contentEncoding"] ?? .string("identity")))
    for name in ["generation", "metageneration", "size"] {
      if let number = object[name]?.string { members.append(.init(name, .number(number))) }
    }
    if let sum = object["crc32c"]?.string.flatMap({ Base64.decode($0) }) {
      members.append(.init("crc32c", .string("\(sum.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })")))
    }
    var own = object["metadata"]?.members ?? []
    let tokens = own.first { $0.key == EmulatorFiles.tokensKey }?.value.string ?? ""
    own.removeAll { $0.key == EmulatorFiles.tokensKey }
    let list = tokens.split(separator: ",").map { JSONValue.string(String($0)) }
    members.append(.init("downloadTokens", .array(list)))
    members.append(.init("customMetadata", .object(own)))
    return .object(members)
  }
}

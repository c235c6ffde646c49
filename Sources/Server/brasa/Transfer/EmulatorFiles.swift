import ArgumentParser
import BaseJSON
import BaseText
import Checksums
import Crypto
import FirestoreWire
import Foundation
import StorageAPI

/// The files of the emulators' folder as items of an import of files; a part of one file is in memory at a time.
///
/// A metadata file `metadata/NAME.json` describes the bytes in `blobs/NAME`. Older emulators name both by bucket and object, newer ones
/// by a random name: the object's name is in the metadata alone, and no path is made of it.
final class EmulatorFiles: ImportSource {
  private let root: URL
  private let metadata: URL
  private let blobs: URL
  private let walk: FileManager.DirectoryEnumerator?
  /// Buckets that were named, and those that still must be.
  private var known: Set<String> = []
  private var waiting: [[UInt8]] = []
  private var current: (file: FileHandle, crc: CRC32C)?

  private(set) var bytesRead = 0
  private(set) var bytesTotal = 0
  private(set) var lineCount = 0
  private(set) var drops: [String] = []

  static let partBytes = 1 << 20
  private static let metadataBytes = 4 << 20

  /// The files of a folder.
  init(_ folder: URL, below root: URL) throws {
    self.root = root
    metadata = folder.appendingPathComponent("metadata", isDirectory: true)
    blobs = folder.appendingPathComponent("blobs", isDirectory: true)
    let files = FileManager.default
    walk = files.enumerator(at: metadata, includingPropertiesForKeys: [.isRegularFileKey])
    let sizes = files.enumerator(at: blobs, includingPropertiesForKeys: [.fileSizeKey])
    while let url = sizes?.nextObject() as? URL {
      bytesTotal += try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
    let list = folder.appendingPathComponent("buckets.json")
    guard let bytes = try PlainFile.contents(of: list, below: root) else { return }
    let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
    guard let buckets = json?["buckets"]?.elements else {
      drops.append("buckets.json is damaged: it has no list \"buckets\".")
      return
    }
    for bucket in buckets {
      if let id = bucket["id"]?.string { announce(id) }
    }
  }

  func next() throws -> [UInt8]? {
    if let current { return try part(of: current.file) }
    while waiting.isEmpty {
      guard let url = try nextMetadata() else { return nil }
      lineCount += 1
      do {
        try open(url)
      } catch let problem as Problem {
        drops.append("\(url.lastPathComponent): \(problem.text)")
      } catch let refusal as ValidationError {
        drops.append(refusal.message)
      }
    }
    let item = waiting.removeFirst()
    // The bytes follow the object's line, which is the last one that waits.
    if waiting.isEmpty, let opened {
      current = (opened, CRC32C())
      self.opened = nil
    }
    return item
  }

  /// The bytes of the object whose line waits.
  private var opened: FileHandle?

  /// The reason why an object is dropped.
  private struct Problem: Error {
    let text: String
  }

  private func nextMetadata() throws -> URL? {
    while let url = walk?.nextObject() as? URL {
      if try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true { continue }
      guard url.pathExtension == "json" else {
        drops.append("\(url.lastPathComponent): it is not the metadata of a file.")
        continue
      }
      return url
    }
    return nil
  }

  private func announce(_ bucket: String) {
    guard known.insert(bucket).inserted else { return }
    let line = JSONValue.object(["bucket": .string(bucket)]).compactBytes
    waiting.append(FileItem.line(line).encoded)
  }

  // MARK: One object

  private func open(_ url: URL) throws {
    let json = try read(url)
    guard let name = json["name"]?.string, !name.isEmpty, let bucket = json["bucket"]?.string else {
      throw Problem(text: "it does not name an object of a bucket.")
    }
    let file = try openBytes(of: url)
    let facts = try Self.facts(of: file)
    if let size = json["size"].flatMap(Self.number), size != facts.size {
      throw Problem(text: "\(name) has \(facts.size) bytes, but its metadata says \(size).")
    }
    if let hash = json["md5Hash"]?.string, hash != Base64.standard(facts.md5) {
      throw Problem(text: "the bytes of \(name) are damaged: their MD5 does not match.")
    }
    try file.seek(toOffset: 0)
    let line = Self.line(json, name: name, bucket: bucket, facts)
    announce(bucket)
    waiting.append(FileItem.line(line).encoded)
    opened = file
  }

  private func read(_ url: URL) throws -> JSONValue {
    let file = try PlainFile.open(url, below: root)
    let bytes = try file.read(upToCount: Self.metadataBytes + 1) ?? Data()
    guard bytes.count <= Self.metadataBytes else {
      throw Problem(text: "it is too large for the metadata of a file.")
    }
    guard let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self)),
      case .object = json
    else { throw Problem(text: "it is not a JSON object.") }
    return json
  }

  /// Opens the bytes that belong to a metadata file.
  private func openBytes(of url: URL) throws -> FileHandle {
    let above = metadata.standardizedFileURL.pathComponents.count
    let steps = url.standardizedFileURL.pathComponents.dropFirst(above)
    let names = Array(steps.dropLast()) + [String((steps.last ?? "").dropLast(5))]
    let candidates = [names, names.map { $0.removingPercentEncoding ?? $0 }]
    for candidate in candidates where candidate.allSatisfy(Self.isPlainName) {
      let blob = candidate.reduce(blobs) { $0.appendingPathComponent($1) }
      if FileManager.default.fileExists(atPath: blob.path) {
        return try PlainFile.open(blob, below: root)
      }
    }
    throw Problem(text: "its bytes are not in the export.")
  }

  private static func isPlainName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0x2F)
      && !name.utf8.contains(0)
  }

  /// The size and hashes of an object's bytes.
  struct Facts {
    var size: Int64 = 0
    var crc = CRC32C()
    var md5: [UInt8] = []
  }

  /// Reads a file to its end.
  static func facts(of file: FileHandle) throws -> Facts {
    var facts = Facts()
    var hash = Insecure.MD5()
    while let part = try file.read(upToCount: partBytes), !part.isEmpty {
      facts.size += Int64(part.count)
      facts.crc.update(Array(part))
      hash.update(data: part)
    }
    facts.md5 = Array(hash.finalize())
    return facts
  }

  private func part(of file: FileHandle) throws -> [UInt8] {
    guard let part = try file.read(upToCount: Self.partBytes), !part.isEmpty else {
      let crc = current?.crc ?? CRC32C()
      try file.close()
      current = nil
      return FileItem.end(crc32c: crc.value).encoded
    }
    current?.crc.update(Array(part))
    bytesRead += part.count
    return FileItem.bytes(Array(part)).encoded
  }

  // MARK: The line of an object

  private static let texts = [
    "contentType", "contentDisposition", "contentLanguage", "cacheControl", "storageClass",
    "customTime",
  ]

  /// The line of an object in an import, from its metadata in the emulators' form.
  static func line(
    _ json: JSONValue,
    name: String,
    bucket: String,
    _ facts: Facts
  ) -> [UInt8] {
    let created = time(json["timeCreated"]) ?? time(json["updated"]) ?? 0
    var object: [JSONValue.Member] = [
      .init("name", .string(name)), .init("bucket", .string(bucket)),
      .init("generation", .integer(max(1, json["generation"].flatMap(number) ?? 1))),
      .init("metageneration", .integer(max(1, json["metageneration"].flatMap(number) ?? 1))),
      .init("size", .integer(facts.size)),
      .init("md5Hash", .string(Base64.standard(facts.md5))),
      .init("crc32c", .string(Base64.standard(facts.crc.bytes))),
    ]
    for text in texts {
      if let value = json[text], value != .null { object.append(.init(text, value)) }
    }
    // "identity" is the emulator's word for none.
    if let encoding = json["contentEncoding"]?.string, encoding != "identity" {
      object.append(.init("contentEncoding", .string(encoding)))
    }
    object.append(.init("metadata", metadata(json)))
    return JSONValue.object([
      .init("object", .object(object)), .init("content", .string("emulator")),
      .init("created", .integer(created)),
      .init("updated", .integer(time(json["updated"]) ?? created)),
    ]).compactBytes
  }

  /// The metadata of people's own, with the tokens of links beside them as Storage keeps them.
  private static func metadata(_ json: JSONValue) -> JSONValue {
    var members = json["customMetadata"]?.members ?? []
    let tokens =
      json["downloadTokens"]?.elements?.compactMap(\.string)
      ?? json["downloadTokens"]?.string.map { [$0] } ?? []
    let text = tokens.filter { !$0.isEmpty }.joined(separator: ",")
    members.removeAll { $0.key == tokensKey }
    if !text.isEmpty { members.append(.init(tokensKey, .string(text))) }
    return .object(members)
  }

  /// The member of an object's metadata that has the tokens of its links.
  static let tokensKey = "firebaseStorageDownloadTokens"

  /// A number that is spelled as one or as a text.
  private static func number(_ json: JSONValue) -> Int64? {
    json.integer ?? json.string.flatMap { Int64($0) }
  }

  private static func time(_ json: JSONValue?) -> Int64? {
    json?.string.flatMap(TimestampText.parse)?.microseconds
  }
}

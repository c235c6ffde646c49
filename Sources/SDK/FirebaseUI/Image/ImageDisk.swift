import Foundation

/// Images in files of one folder, which only its owner may read.
///
/// A file's name is a digest of the key, and the file is
///
///     length of the key (4 bytes, the highest first) | key, UTF-8 | the image's bytes
///
/// A file whose key is another one, or that is shorter than it says, is as good as none. Files are written whole or not
/// at all. A use makes a file the youngest; the oldest go first. Not to be used from several threads at once.
struct ImageDisk {
  let folder: URL
  /// The bytes of all files; nil until they were counted.
  private var size: UInt?

  init(folder: URL) {
    self.folder = folder
  }

  private struct Entry {
    let url: URL
    let size: UInt
    let use: Date
  }

  func data(forKey key: String) throws -> Data? {
    let file = url(of: key)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    guard let data = Self.image(in: try Data(contentsOf: file), key) else { return nil }
    try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
    return data
  }

  mutating func store(_ data: Data, forKey key: String, limit: UInt) throws {
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let file = url(of: key)
    let content = Self.content(data, key)
    let before = try Self.size(of: file)
    try content.write(to: file, options: .atomic)
    size = try size.map { $0 - min($0, before) + UInt(content.count) } ?? total()
    try trim(to: limit)
  }

  mutating func remove(_ key: String) throws {
    let file = url(of: key)
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    try FileManager.default.removeItem(at: file)
    size = nil
  }

  mutating func removeAll() throws {
    size = nil
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    try FileManager.default.removeItem(at: folder)
  }

  /// The bytes of all files.
  func total() throws -> UInt { try entries().reduce(0) { $0 + $1.size } }

  private mutating func trim(to limit: UInt) throws {
    guard limit > 0, var left = size, left > limit else { return }
    for entry in try entries().sorted(by: { $0.use < $1.use }) {
      guard left > limit else { break }
      try FileManager.default.removeItem(at: entry.url)
      left -= min(left, entry.size)
    }
    size = left
  }

  private func entries() throws -> [Entry] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
    return try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: Array(keys)
    ).map { url in
      let values = try url.resourceValues(forKeys: keys)
      return Entry(
        url: url,
        size: UInt(values.fileSize ?? 0),
        use: values.contentModificationDate ?? .distantPast
      )
    }
  }

  private static func size(of file: URL) throws -> UInt {
    guard FileManager.default.fileExists(atPath: file.path) else { return 0 }
    return UInt(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
  }

  private func url(of key: String) -> URL {
    // FNV-1a: a file says itself whose it is, so two keys of one digest only drive each other out.
    let digest = key.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { digest, byte in
      (digest ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return folder.appendingPathComponent(String(digest, radix: 16))
  }

  private static func content(_ data: Data, _ key: String) -> Data {
    let name = Array(key.utf8)
    var content = Data()
    for shift in stride(from: 24, through: 0, by: -8) {
      content.append(UInt8(truncatingIfNeeded: name.count >> shift))
    }
    content.append(contentsOf: name)
    content.append(data)
    return content
  }

  private static func image(in content: Data, _ key: String) -> Data? {
    let head = content.prefix(4)
    guard head.count == 4 else { return nil }
    let length = head.reduce(0) { $0 << 8 | Int($1) }
    let rest = content.dropFirst(4)
    guard rest.count >= length, rest.prefix(length).elementsEqual(key.utf8) else { return nil }
    return Data(rest.dropFirst(length))
  }
}

import Foundation

/// The content of an object in an archive: JSON under one key.
enum JSONArchive {
  private static let key = "json"

  /// Writes the content; nothing where it has no JSON.
  static func write<Content: Encodable>(_ content: Content, to coder: NSCoder) {
    guard let data = try? JSONEncoder().encode(content) else { return }
    coder.encode(NSData(data: data), forKey: key)
  }

  /// Reads the content; nil where the archive has none or it is damaged.
  static func read<Content: Decodable>(_ type: Content.Type, from coder: NSCoder) -> Content? {
    guard let data = coder.decodeObject(of: NSData.self, forKey: key) else { return nil }
    return try? JSONDecoder().decode(type, from: Data(referencing: data))
  }
}

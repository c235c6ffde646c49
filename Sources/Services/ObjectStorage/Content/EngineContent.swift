// Small content is the engine's: its bytes are a value under the blob's id, written by the commit
// that makes the object visible. So they take part in the engine's shared sync, and an upload of
// them syncs no file. The blob's record says that it is so. Content without bytes has no value.
// Data that was stored in a file stays there.

/// The bounds of content that the engine keeps.
package enum EngineContent {
  /// The most bytes that are ever kept so; larger content is not looked for in the engine.
  package static let largest = 32 << 10
}

extension ObjectStorage {
  /// Returns true if content of a size is kept in the engine.
  func keepsInEngine(_ size: Int) -> Bool {
    guard let limit = configuration.engineContentBytes else { return false }
    return size <= min(limit, EngineContent.largest)
  }

  /// The bytes of an object that the engine has; nil where the blob store has them.
  func engineContent(of object: StoredObject) async throws -> [UInt8]? {
    guard object.size > 0 else { return [] }
    guard object.size <= EngineContent.largest else { return nil }
    return try await look { try $0.get(StorageKey.content(object.blob)) }
  }

  /// Opens the bytes of an object, wherever they are; throws as the blob store does.
  func reader(of object: StoredObject) async throws -> any BlobReader {
    if let bytes = try await engineContent(of: object) { return EngineContentReader(bytes) }
    return try await blobs.open(object.blob)
  }

  /// All bytes of an object that are few; throws as the blob store does.
  func contents(of object: StoredObject) async throws -> [UInt8] {
    if let bytes = try await engineContent(of: object) { return bytes }
    return try await blobs.contents(object.blob, size: Int(object.size))
  }
}

/// Reads content that was taken out of the engine.
private final class EngineContentReader: BlobReader {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var size: Int64 { Int64(bytes.count) }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    let start = min(max(offset, 0), size)
    return Array(bytes[Int(start)..<Int(min(size, start + Int64(max(count, 0))))])
  }
}

import BaseText
import KeyValueStore

/// Walks the generations of a bucket by name, then generation: live ones, older ones, or both as one
/// sequence.
struct ObjectCursor {
  private struct Source {
    let cursor: any KeyValueCursor
    let isLive: Bool
    var isValid = false

    /// The current key's name and, for an older version, generation.
    var name: [UInt8] {
      let end = isLive ? cursor.key.count : cursor.key.count - 9
      return Array(cursor.key[StorageKey.nameOffset..<max(end, StorageKey.nameOffset)])
    }
  }

  private let reader: any KeyValueReader
  private let bucket: StoredBucket
  private var sources: [Source] = []

  init(
    _ reader: any KeyValueReader,
    _ bucket: StoredBucket,
    _ versions: ObjectQuery.Versions,
    end: [UInt8]?
  ) throws {
    self.reader = reader
    self.bucket = bucket
    if versions != .live { try add(StorageKey.versions(bucket.number), isLive: false, end) }
    if versions != .softDeleted { try add(StorageKey.objects(bucket.number), isLive: true, end) }
  }

  private mutating func add(_ prefix: [UInt8], isLive: Bool, _ end: [UInt8]?) throws {
    var range = KeyRange(prefix: prefix)
    if let end { range.upper = prefix + end }
    let cursor = try reader.cursor(over: range, reversed: false)
    sources.append(Source(cursor: cursor, isLive: isLive))
  }

  /// Moves to the first generation whose name is at or after those bytes.
  mutating func seek(_ name: [UInt8]) throws {
    for index in sources.indices {
      let prefix =
        sources[index].isLive
        ? StorageKey.objects(bucket.number) : StorageKey.versions(bucket.number)
      sources[index].isValid = try sources[index].cursor.seek(prefix + name)
    }
  }

  /// The name that the cursor is at; nil at the end.
  var name: [UInt8]? { first.map { sources[$0].name } }

  /// The generation that the cursor is at.
  func object() throws -> StoredObject? {
    guard let first else { return nil }
    let source = sources[first]
    guard let name = String(validating: source.name, as: UTF8.self) else {
      throw StorageError(.corrupt, "An object's key is damaged.")
    }
    return try ObjectRecord.object(
      try source.cursor.value(as: ObjectRecord.format, in: reader),
      bucket.name,
      ObjectName(stored: Text(name))
    )
  }

  /// Moves to the next generation.
  mutating func next() throws {
    guard let first else { return }
    sources[first].isValid = try sources[first].cursor.next()
  }

  /// The source with the least name; an older version is before the live one.
  private var first: Int? {
    sources.indices.filter { sources[$0].isValid }.min { left, right in
      sources[left].name.lexicographicallyPrecedes(sources[right].name)
    }
  }
}

extension ObjectQuery.Versions: Equatable {}

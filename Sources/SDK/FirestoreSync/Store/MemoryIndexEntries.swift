import FirestoreModel

/// The entries of one index in memory, sorted when they are next asked for.
struct MemoryIndexEntries {
  private struct Entry {
    let key: [UInt8]
    let path: ResourcePath
  }

  private var keys: [ResourcePath: [ResourcePath: [[UInt8]]]] = [:]
  private var sorted: [ResourcePath: [Entry]] = [:]

  /// Puts a document's keys in the place of its earlier ones.
  mutating func set(_ new: [[UInt8]], of path: ResourcePath) {
    let old = keys[path.parent]?[path]
    if old == nil && new.isEmpty { return }
    keys[path.parent, default: [:]][path] = new.isEmpty ? nil : new
    sorted[path.parent] = nil
  }

  /// The documents of a collection's entries in a range, by key and then by name.
  mutating func paths(_ collection: ResourcePath, _ range: IndexRange) -> [ResourcePath] {
    let entries = entries(collection)
    let start = entries.firstIndex(notBefore: { $0.key.lexicographicallyPrecedes(range.lower) })
    let end = entries.firstIndex(notBefore: { $0.key.lexicographicallyPrecedes(range.upper) })
    return start < end ? entries[start..<end].map(\.path) : []
  }

  private mutating func entries(_ collection: ResourcePath) -> [Entry] {
    if let present = sorted[collection] { return present }
    var entries: [Entry] = []
    for (path, keys) in keys[collection] ?? [:] {
      entries += keys.map { Entry(key: $0, path: path) }
    }
    entries.sort { left, right in
      left.key == right.key
        ? left.path < right.path : left.key.lexicographicallyPrecedes(right.key)
    }
    sorted[collection] = entries
    return entries
  }
}

import KeyValueStore

/// Records that are written to an engine in groups of a bounded size.
struct RecordBatch {
  private let target: any KeyValueEngine
  private var records: [(key: [UInt8], value: [UInt8])] = []
  private var bytes = 0
  /// The number of records that were written.
  private(set) var count = 0

  /// Bytes of keys and values that are written at once.
  private static let limit = 1 << 20

  /// An empty batch for an engine.
  init(to target: any KeyValueEngine) { self.target = target }

  /// Takes a record; returns true where that filled the batch, which was written.
  mutating func add(_ key: [UInt8], _ value: [UInt8]) throws -> Bool {
    records.append((key, value))
    bytes += key.count + value.count
    guard bytes >= Self.limit else { return false }
    try write()
    return true
  }

  /// Writes the rest.
  mutating func write() throws {
    try target.write { [records] group in
      _ = try group.allocateVersion()
      for (key, value) in records {
        // Data of the first versions has empty values, which mark a key as all that there is to say.
        if value.isEmpty { try group.putMarker(key) } else { try group.put(key, value) }
      }
    }
    count += records.count
    records.removeAll(keepingCapacity: true)
    bytes = 0
  }
}

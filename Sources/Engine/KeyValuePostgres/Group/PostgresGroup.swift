import KeyValueStore

/// A group: a transaction that holds the timeline, and its writes, in memory until it lands.
///
/// No other group commits during this, so its reads do not change. A deleted key has an empty
/// value, which no other key can have.
final class PostgresGroup: SharedGroup {
  let connection: PostgresConnection
  let row: TimelineRow
  private let reader: TableReader
  private let time: EpochTime
  private(set) var writes = SortedTable()
  private(set) var byteCount = 0
  private var savepoints: [(writes: SortedTable, byteCount: Int)] = []
  var savepointFloor = 0

  /// A group on a transaction that has begun, with the row that it holds.
  init(
    _ connection: PostgresConnection,
    _ row: TimelineRow,
    _ schema: StoreSchema,
    _ time: EpochTime
  ) {
    self.connection = connection
    self.row = row
    self.time = time
    reader = TableReader(connection, schema, hasLongKeys: row.hasLongKeys)
  }

  func allocateVersion() throws -> Int64 { time.allocateVersion() }

  func get(_ key: [UInt8]) throws -> [UInt8]? {
    if let written = writes.value(key) { return written.isEmpty ? nil : written }
    return try reader.get(key)
  }

  func get(_ keys: [[UInt8]]) throws -> [Result<[UInt8]?, any Error>] {
    let stored = try reader.get(keys.filter { writes.value($0) == nil })
    return keys.map { key in
      guard let written = writes.value(key) else { return .success(stored[key]) }
      return .success(written.isEmpty ? nil : written)
    }
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    PostgresCursor(over: range, reversed: reversed, reader: reader) { [self] in writes }
  }

  func put(_ key: [UInt8], _ value: [UInt8]) throws {
    try KeyValueError.checkWrite(key, value)
    writes.put(key, value)
    byteCount += key.count + value.count
  }

  func delete(_ key: [UInt8]) throws {
    try KeyValueError.checkKey(key)
    writes.put(key, [])
    byteCount += key.count
  }

  var savepointCount: Int { savepoints.count }

  func setSavepoint() throws { savepoints.append((writes, byteCount)) }

  func rollbackToSavepoint() throws { (writes, byteCount) = try popSavepoint() }

  func releaseSavepoint() throws { _ = try popSavepoint() }

  private func popSavepoint() throws -> (writes: SortedTable, byteCount: Int) {
    guard savepoints.count > savepointFloor else { throw KeyValueError.noSavepoint }
    return savepoints.removeLast()
  }
}

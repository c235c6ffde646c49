import KeyValueStore

/// Reads the tables on one connection, as its transaction sees them.
struct TableReader {
  private let connection: PostgresConnection
  private let schema: StoreSchema
  private let hasLongKeys: Bool

  /// Bytes of values after which a page ends.
  static let pageBytes = 1 << 20

  init(_ connection: PostgresConnection, _ schema: StoreSchema, hasLongKeys: Bool) {
    self.connection = connection
    self.schema = schema
    self.hasLongKeys = hasLongKeys
  }

  func get(_ key: [UInt8]) throws -> [UInt8]? { try get([key])[key] }

  /// The values of those keys that there are, in one statement, or two where keys are long.
  func get(_ keys: [[UInt8]]) throws -> [[UInt8]: [UInt8]] {
    var found: [[UInt8]: [UInt8]] = [:]
    let long = keys.filter(StoreSchema.isLong)
    let short = long.isEmpty ? keys : keys.filter { !StoreSchema.isLong($0) }
    if !short.isEmpty { try look(schema.manyGet, short, &found) }
    if !long.isEmpty { try look(schema.longGet, long, &found) }
    return found
  }

  /// A page of at most `limit` rows from an edge of `range` on, and whether it ends the range.
  func page(of range: KeyRange, reversed: Bool, limit: Int) throws -> (PostgresResult, isLast: Bool)
  {
    var parameters = [
      range.lower, BinaryValue.number(Int64(limit)), BinaryValue.number(Int64(Self.pageBytes)),
    ]
    if let upper = range.upper { parameters.append(upper) }
    let statement = schema.page(
      reversed: reversed,
      hasUpper: range.upper != nil,
      withLong: hasLongKeys
    )
    let page = try connection.run(statement, parameters)
    let bytes = (0..<page.rowCount).reduce(0) { $0 + page.bytes($1, 1).count }
    return (page, page.rowCount < limit && bytes < Self.pageBytes)
  }

  private func look(
    _ statement: Statement,
    _ keys: [[UInt8]],
    _ found: inout [[UInt8]: [UInt8]]
  ) throws {
    let rows = try connection.run(statement, [BinaryValue.array(keys)])
    for row in 0..<rows.rowCount { found[Array(rows.bytes(row, 0))] = Array(rows.bytes(row, 1)) }
  }
}

/// A reader of the store that needs only a reader of its tables.
protocol TableReading: KeyValueReader {
  var reader: TableReader { get }
}

extension TableReading {
  func get(_ key: [UInt8]) throws -> [UInt8]? { try reader.get(key) }

  func get(_ keys: [[UInt8]]) throws -> [Result<[UInt8]?, any Error>] {
    let found = try reader.get(keys)
    return keys.map { .success(found[$0]) }
  }

  func cursor(over range: KeyRange, reversed: Bool) throws -> any KeyValueCursor {
    PostgresCursor(over: range, reversed: reversed, reader: reader)
  }
}

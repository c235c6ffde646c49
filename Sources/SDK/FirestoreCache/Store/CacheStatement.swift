import GRDB
import GRDBSQLite

/// A compiled statement that is bound and stepped without copies of its input and output.
///
/// Bound bytes are copied by SQLite. Values lent by a row end with the next step or reset.
final class CacheStatement {
  private let statement: Statement
  private let handle: OpaquePointer
  private let connection: OpaquePointer?
  private var position: Int32 = 0

  init(_ sql: String, in database: Database) throws {
    statement = try database.makeStatement(sql: sql)
    handle = statement.sqliteStatement
    connection = database.sqliteConnection
  }

  // MARK: Binding, one parameter after the other

  func bind(_ number: Int64) -> CacheStatement {
    position += 1
    sqlite3_bind_int64(handle, position, number)
    return self
  }

  func bind(_ number: Int) -> CacheStatement { bind(Int64(number)) }

  func bind(_ bytes: [UInt8]?) -> CacheStatement {
    position += 1
    guard let bytes else {
      sqlite3_bind_null(handle, position)
      return self
    }
    bytes.withUnsafeBytes { raw in
      _ =
        raw.isEmpty
        ? sqlite3_bind_zeroblob(handle, position, 0)
        : sqlite3_bind_blob64(handle, position, raw.baseAddress, UInt64(raw.count), Self.copied)
    }
    return self
  }

  func bind(_ text: String) -> CacheStatement {
    position += 1
    var text = text
    text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { characters in
        _ = sqlite3_bind_text64(
          handle,
          position,
          characters.baseAddress ?? Self.nothing,
          UInt64(characters.count),
          Self.copied,
          UInt8(SQLITE_UTF8)
        )
      }
    }
    return self
  }

  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  /// Immutable, never freed: where the bytes of an empty text lie.
  nonisolated(unsafe) private static let nothing = UnsafePointer(
    UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  )

  // MARK: Running

  /// Runs the statement to its end.
  func run() throws {
    defer { reset() }
    while try step() {}
  }

  /// Calls the body for every row.
  func forEachRow(_ body: (CacheStatement) throws -> Void) throws {
    defer { reset() }
    while try step() { try body(self) }
  }

  /// Calls the body for every row until it returns false.
  func walkRows(_ body: (CacheStatement) throws -> Bool) throws {
    defer { reset() }
    while try step(), try body(self) {}
  }

  /// Returns the body's result for the first row; nil if there is none.
  func firstRow<R>(_ body: (CacheStatement) throws -> R) throws -> R? {
    defer { reset() }
    return try step() ? try body(self) : nil
  }

  private func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
      throw DatabaseError(
        resultCode: ResultCode(rawValue: connection.map { sqlite3_extended_errcode($0) } ?? code),
        message: message
      )
    }
  }

  /// Prepares the statement for its next run, after any result of the last.
  func reset() {
    position = 0
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  // MARK: The row

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// Lends a column's bytes.
  func withBytes<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    let start = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }
}

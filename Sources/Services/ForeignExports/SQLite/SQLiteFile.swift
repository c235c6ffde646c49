import CSQLite

/// A database file from elsewhere, open for reading in SQLite's defensive mode.
///
/// One thread at a time uses it. Reads see one state of the file, even while a program writes to
/// it.
package final class SQLiteFile {
  private let connection: OpaquePointer
  private let path: String

  /// Opens a file; throws for any file that is not SQLite's, and for a link.
  package init(_ path: String) throws(ExportFailure) {
    self.path = path
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let reason = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
      sqlite3_close(opened)
      throw ExportFailure("\(path) can't be opened: \(reason).")
    }
    connection = opened
    brasa_sqlite_distrust(opened)
    sqlite3_busy_timeout(opened, 10_000)
    try run("PRAGMA cell_size_check=ON")
    try run("PRAGMA mmap_size=0")
    try run("BEGIN")
  }

  deinit { sqlite3_close_v2(connection) }

  private func run(_ text: String) throws(ExportFailure) {
    guard sqlite3_exec(connection, text, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  fileprivate func failure() -> ExportFailure {
    ExportFailure("\(path) can't be read: \(String(cString: sqlite3_errmsg(connection))).")
  }

  /// The rows of a query whose parameters are texts.
  package func rows(_ query: String, _ parameters: String...) throws(ExportFailure) -> SQLiteRows {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, query, -1, &statement, nil) == SQLITE_OK,
      let statement
    else { throw failure() }
    let rows = SQLiteRows(statement, of: self)
    for (index, text) in parameters.enumerated() {
      // SQLITE_TRANSIENT: SQLite copies the text.
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      guard
        sqlite3_bind_text(statement, Int32(index + 1), text, -1, transient) == SQLITE_OK
      else { throw failure() }
    }
    return rows
  }

  /// True for a table of that name that is stored as one: neither a view nor a virtual table.
  package func hasTable(_ name: String) throws(ExportFailure) -> Bool {
    let rows = try rows(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
      name
    )
    guard try rows.next(), case .text(let sql) = rows.value(0) else { return false }
    return !sql.uppercased().hasPrefix("CREATE VIRTUAL")
  }

  /// A name between quotes, for a query.
  static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }
}

/// A value of SQLite's.
package enum SQLiteValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// The text; nil for another kind of value.
  package var text: String? { if case .text(let text) = self { text } else { nil } }

  /// True for a number that is not zero.
  package var isTrue: Bool { if case .integer(let number) = self { number != 0 } else { false } }
}

/// The rows of a query, one at a time.
package final class SQLiteRows {
  private let statement: OpaquePointer
  private let file: SQLiteFile
  /// The names of the columns.
  package let columns: [String]

  fileprivate init(_ statement: OpaquePointer, of file: SQLiteFile) {
    self.statement = statement
    self.file = file
    columns = (0..<sqlite3_column_count(statement)).map { index in
      sqlite3_column_name(statement, index).map { String(cString: $0) } ?? ""
    }
  }

  deinit { sqlite3_finalize(statement) }

  /// Goes to the next row; false behind the last.
  package func next() throws(ExportFailure) -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw file.failure()
    }
  }

  /// The value of a column in the current row.
  package func value(_ column: Int) -> SQLiteValue {
    let index = Int32(column)
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
    case SQLITE_TEXT:
      guard let text = sqlite3_column_text(statement, index) else { return .null }
      let count = Int(sqlite3_column_bytes(statement, index))
      return .text(
        String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
      )
    case SQLITE_BLOB:
      guard let bytes = sqlite3_column_blob(statement, index) else { return .blob([]) }
      let count = Int(sqlite3_column_bytes(statement, index))
      return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: return .null
    }
  }

  /// The values of the current row by the names of their columns.
  package func row() -> [String: SQLiteValue] {
    var row: [String: SQLiteValue] = [:]
    for (index, column) in columns.enumerated() { row[column] = value(index) }
    return row
  }
}

import CSQLite

/// The rows of `auth.identities` by account, in a database of SQLite's that is on disk while it is large and gone with the process.
final class IdentityIndex {
  private let connection: OpaquePointer
  private static let columns = ["id", "provider", "provider_id", "identity_data"]

  init() throws(ExportFailure) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    // No name is a database that is deleted when it is closed.
    guard sqlite3_open_v2("", &opened, flags, nil) == SQLITE_OK, let opened else {
      sqlite3_close(opened)
      throw ExportFailure("SQLite can't keep a table for identities.")
    }
    connection = opened
    let table = """
      PRAGMA journal_mode=OFF; BEGIN; CREATE TABLE i (user TEXT, a TEXT, b TEXT, c TEXT, d TEXT); \
      CREATE INDEX i_user ON i (user);
      """
    guard sqlite3_exec(opened, table, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  deinit { sqlite3_close_v2(connection) }

  private func failure() -> ExportFailure {
    ExportFailure("Identities can't be kept: \(String(cString: sqlite3_errmsg(connection))).")
  }

  func add(_ row: TableRow) throws(ExportFailure) {
    let values = [row["user_id"]] + Self.columns.map { row[$0] }
    let statement = try prepare("INSERT INTO i VALUES (?1, ?2, ?3, ?4, ?5)", values)
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
  }

  func rows(of user: String) throws(ExportFailure) -> [TableRow] {
    let statement = try prepare("SELECT a, b, c, d FROM i WHERE user = ?1 ORDER BY b, c", [user])
    defer { sqlite3_finalize(statement) }
    var found: [TableRow] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      var values: [String: String?] = [:]
      for (index, column) in Self.columns.enumerated() {
        let text = sqlite3_column_text(statement, Int32(index)).map { String(cString: $0) }
        values.updateValue(text, forKey: column)
      }
      found.append(TableRow(table: TableName(schema: "auth", name: "identities"), values: values))
    }
    return found
  }

  private func prepare(
    _ text: String,
    _ values: [String?]
  ) throws(ExportFailure) -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, text, -1, &statement, nil) == SQLITE_OK, let statement
    else { throw failure() }
    // SQLITE_TRANSIENT: SQLite copies the texts.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, value) in values.enumerated() {
      if let value { sqlite3_bind_text(statement, Int32(index + 1), value, -1, transient) }
    }
    return statement
  }
}

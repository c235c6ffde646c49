import BaseJSON

/// The files of a Supabase project: plain dumps of `pg_dump`, CSV files with headers, or JSON of `auth.users`.
///
/// A file is read twice: a dump has its keys behind its rows.
package final class SupabaseExport {
  /// The bytes of a file, from its beginning.
  package struct File {
    let name: String
    let open: () throws -> (Int) throws -> [UInt8]

    /// A file.
    ///
    /// - Parameter open: Opens the file; what it returns gives the next bytes, at most as many as asked for.
    package init(name: String, open: @escaping () throws -> (Int) throws -> [UInt8]) {
      self.name = name
      self.open = open
    }

    fileprivate func reader() throws -> DumpReader { DumpReader(try open()) }

    /// The table of a CSV file: `auth.users.csv` and `products.csv`.
    fileprivate var table: TableName {
      let parts = name.dropLast(4).split(separator: ".", maxSplits: 1).map(String.init)
      return parts.count == 2
        ? TableName(schema: parts[0], name: parts[1])
        : TableName(schema: "public", name: parts.first ?? "")
    }
  }

  private let files: [File]
  private let schemas: Set<String>
  private var schema = DumpSchema()
  /// Rows of tables that are not read, as the last reading of documents found them.
  package private(set) var others: [TableName: Int] = [:]

  /// Reads the tables of the files.
  ///
  /// - Parameter schemas: The schemas whose tables become collections.
  package init(_ files: [File], schemas: Set<String>) throws {
    self.files = files
    self.schemas = schemas
    for file in files where file.name.hasSuffix(".sql") { try readSchema(of: file) }
    for file in files where file.name.hasSuffix(".csv") { try guessTypes(of: file) }
  }

  private func readSchema(of file: File) throws {
    let beginning = try file.open()(5)
    guard !beginning.starts(with: "PGDMP".utf8) else {
      throw ExportFailure(
        "\(file.name) is a dump in PostgreSQL's own form. Run: pg_restore -f dump.sql \(file.name)"
      )
    }
    let found = try DumpRows.schema(try file.reader())
    for (name, table) in found.tables { schema.set(table, for: name) }
  }

  /// Gives the columns of a CSV file without a definition types that all their values fit.
  private func guessTypes(of file: File) throws {
    let rows = try CSVRows(try file.reader(), file.table)
    guard schema[file.table] == nil, wants(file.table) else { return }
    var types: [String: PostgresType] = [:]
    while let row = try rows.next() {
      for column in rows.order where types[column] != .text {
        guard let text = row[column] else { continue }
        types[column] = PostgresType.fitting(text, so: types[column])
      }
    }
    var table = DumpSchema.Table()
    table.columns = types
    table.order = rows.order
    if rows.order.contains("id") { table.primaryKey = ["id"] }
    schema.set(table, for: file.table)
  }

  private func wants(_ table: TableName) -> Bool { schemas.contains(table.schema) }

  /// The rows of all files of tables that are wanted.
  private func makeRows(_ wants: @escaping (TableName) -> Bool) -> RowSequence {
    RowSequence(files, schema, wants: wants)
  }

  // MARK: Documents

  /// The documents of the tables.
  package func makeDocuments(into target: ForeignDatabase) -> SupabaseDocuments {
    let schemas = schemas
    return SupabaseDocuments(
      makeRows { schemas.contains($0.schema) },
      SupabaseTables(schema, into: target)
    ) { [self] in others = $0 }
  }

  // MARK: Accounts

  /// The accounts of `auth.users`.
  ///
  /// - Parameter now: Milliseconds since 1970.
  package func makeAccounts(now: Int64) throws -> SupabaseAccounts {
    let identities = try IdentityIndex()
    let rows = makeRows { $0 == TableName(schema: "auth", name: "identities") }
    while let row = try rows.next() { try identities.add(row) }
    return SupabaseAccounts(
      makeRows { $0 == TableName(schema: "auth", name: "users") },
      identities,
      now: now
    )
  }
}

/// The rows of files, one file after the other.
final class RowSequence {
  private var files: ArraySlice<SupabaseExport.File>
  private let schema: DumpSchema
  private let wants: (TableName) -> Bool
  private var dump: DumpRows?
  private var csv: CSVRows?
  private var json: ArraySlice<TableRow> = []
  private(set) var skipped: [TableName: Int] = [:]

  init(
    _ files: [SupabaseExport.File],
    _ schema: DumpSchema,
    wants: @escaping (TableName) -> Bool
  ) {
    self.files = files[...]
    self.schema = schema
    self.wants = wants
  }

  func next() throws -> TableRow? {
    while true {
      if let row = json.popFirst() { return row }
      if let row = try csv?.next() { return row }
      if let row = try dump?.next() { return row }
      if let dump { skipped.merge(dump.skipped) { $0 + $1 } }
      (csv, dump) = (nil, nil)
      guard let file = files.popFirst() else { return nil }
      if file.name.hasSuffix(".sql") {
        dump = DumpRows(DumpReader(try file.open()), schema, wants: wants)
      } else if file.name.hasSuffix(".csv"), wants(file.table) {
        csv = try CSVRows(DumpReader(try file.open()), file.table)
      } else if file.name.hasSuffix(".json"), wants(TableName(schema: "auth", name: "users")) {
        json = try Self.users(file)[...]
      }
    }
  }

  private static let mostJSON = 512 << 20

  /// The users of a JSON file: a list of rows, or an object with the list `users`.
  private static func users(_ file: SupabaseExport.File) throws -> [TableRow] {
    let read = try file.open()
    var bytes: [UInt8] = []
    while case let part = try read(1 << 20), !part.isEmpty {
      bytes += part
      guard bytes.count <= mostJSON else { throw ExportFailure("\(file.name) is over 512 MiB.") }
    }
    let json = try? JSONParser.parse(bytes)
    guard let list = json?.elements ?? json?["users"]?.elements else {
      throw ExportFailure("\(file.name) has no list of users.")
    }
    return list.map { user in
      var values: [String: String?] = [:]
      for member in user.members ?? [] {
        values.updateValue(text(member.value), forKey: member.key)
      }
      return TableRow(table: TableName(schema: "auth", name: "users"), values: values)
    }
  }

  private static func text(_ json: JSONValue) -> String? {
    switch json {
    case .null: nil
    case .string(let text): text
    default: json.compact
    }
  }
}

/// The documents of tables, one at a time.
package final class SupabaseDocuments {
  private let rows: RowSequence
  private var tables: SupabaseTables
  private let ended: ([TableName: Int]) -> Void
  /// Notes about values that were changed.
  package private(set) var notes = ChangeNotes()

  init(
    _ rows: RowSequence,
    _ tables: SupabaseTables,
    ended: @escaping ([TableName: Int]) -> Void
  ) {
    self.rows = rows
    self.tables = tables
    self.ended = ended
  }

  /// The next document on one line; nil behind the last.
  package func next() throws -> [UInt8]? {
    guard let row = try rows.next() else {
      ended(rows.skipped)
      return nil
    }
    return tables.document(row, notes: &notes)
  }
}

/// The accounts of `auth.users`, one at a time.
package final class SupabaseAccounts {
  private let rows: RowSequence
  private let identities: IdentityIndex
  private let now: Int64
  /// Notes about data that accounts here can't have.
  package private(set) var notes = ChangeNotes()
  /// Accounts that were deleted in Supabase.
  package private(set) var deleted = 0

  init(_ rows: RowSequence, _ identities: IdentityIndex, now: Int64) {
    self.rows = rows
    self.identities = identities
    self.now = now
  }

  /// The next account; nil behind the last.
  package func next() throws -> JSONValue? {
    while let row = try rows.next() {
      var linked = try identities.rows(of: row["id"] ?? "")
      linked += Self.nested(row["identities"])
      guard
        let account = SupabaseAccount.account(row, identities: linked, now: now, notes: &notes)
      else {
        deleted += 1
        continue
      }
      return account
    }
    return nil
  }

  /// The identities that the JSON of a user has in it.
  private static func nested(_ text: String?) -> [TableRow] {
    guard let text, let list = try? JSONParser.parse(Array(text.utf8)).elements else { return [] }
    return list.map { identity in
      var values: [String: String?] = [:]
      for member in identity.members ?? [] {
        values.updateValue(member.value.string ?? member.value.compact, forKey: member.key)
      }
      return TableRow(table: TableName(schema: "auth", name: "identities"), values: values)
    }
  }
}

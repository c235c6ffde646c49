import BaseText

/// A row of a table: texts by the names of columns, nil for NULL.
package struct TableRow: Sendable {
  /// The table.
  package let table: TableName
  let values: [String: String?]

  /// The text of a column; nil for NULL and for no such column.
  subscript(column: String) -> String? { values[column] ?? nil }
}

/// The rows of a plain dump, table after table.
final class DumpRows {
  private let reader: DumpReader
  private let schema: DumpSchema
  /// The block whose lines come next.
  private var block: (table: TableName, columns: [String])?
  /// Rows of a statement that are left.
  private var waiting: ArraySlice<TableRow> = []
  /// Names the rows that are wanted; others are not split.
  private let wants: (TableName) -> Bool
  /// The rows that were read of tables that are not wanted.
  private(set) var skipped: [TableName: Int] = [:]

  init(_ reader: DumpReader, _ schema: DumpSchema, wants: @escaping (TableName) -> Bool) {
    self.reader = reader
    self.schema = schema
    self.wants = wants
  }

  /// The tables of a dump; throws for a dump that was cut off.
  static func schema(_ reader: DumpReader) throws -> DumpSchema {
    var schema = DumpSchema()
    while let statement = try reader.nextStatement() {
      if copy(statement, schema) != nil {
        while try reader.nextCopyLine() != nil {}
      } else {
        schema.take(statement)
      }
    }
    return schema
  }

  /// The next row that is wanted; nil behind the last.
  func next() throws -> TableRow? {
    while true {
      if let row = waiting.popFirst() { return row }
      if let block {
        guard let line = try reader.nextCopyLine() else {
          self.block = nil
          continue
        }
        if !wants(block.table) {
          skipped[block.table, default: 0] += 1
          continue
        }
        return try Self.row(line, block.table, block.columns)
      }
      guard let statement = try reader.nextStatement() else { return nil }
      if let found = Self.copy(statement, schema) {
        block = found
      } else {
        insert(statement)
      }
    }
  }

  // MARK: COPY

  /// The table and columns of a `COPY … FROM stdin` in the text form; nil for another statement.
  private static func copy(
    _ statement: [UInt8],
    _ schema: DumpSchema
  ) -> (table: TableName, columns: [String])? {
    guard statement.count < 100_000 else { return nil }
    var tokens = DumpTokens(statement)
    guard tokens.take("copy"), let table = tokens.table() else { return nil }
    let columns = tokens.names() ?? schema[table]?.order ?? []
    return tokens.take("from", "stdin") ? (table, columns) : nil
  }

  private static func row(
    _ line: [UInt8],
    _ table: TableName,
    _ columns: [String]
  ) throws(ExportFailure) -> TableRow {
    var values: [String: String?] = [:]
    var index = 0
    for part in line.split(separator: 0x09, omittingEmptySubsequences: false) {
      guard index < columns.count else { break }
      let isNull = part.elementsEqual("\\N".utf8)
      values.updateValue(isNull ? nil : text(part), forKey: columns[index])
      index += 1
    }
    guard index == columns.count else {
      throw ExportFailure(
        "A row of \(table) has \(index) columns, not \(columns.count): the dump is damaged."
      )
    }
    return TableRow(table: table, values: values)
  }

  /// The text of a column, its escapes resolved.
  private static func text(_ part: ArraySlice<UInt8>) -> String {
    guard part.contains(UInt8(ascii: "\\")) else { return String(decoding: part, as: UTF8.self) }
    var text: [UInt8] = []
    var rest = part
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
        text.append(DumpTokens.escaped(escaped))
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  // MARK: INSERT

  private func insert(_ statement: [UInt8]) {
    var tokens = DumpTokens(statement)
    guard tokens.take("insert", "into"), let table = tokens.table() else { return }
    let columns = tokens.names() ?? schema[table]?.order ?? []
    _ = tokens.take("overriding", "system", "value")
    guard tokens.take("values") else { return }
    var rows: [TableRow] = []
    while tokens.takeSign("(") {
      var values: [String: String?] = [:]
      var index = 0
      while let token = tokens.peek(), !token.isSign(")") {
        let value = Self.value(&tokens)
        if index < columns.count { values.updateValue(value, forKey: columns[index]) }
        index += 1
        _ = tokens.takeSign(",")
      }
      _ = tokens.takeSign(")")
      rows.append(TableRow(table: table, values: values))
      _ = tokens.takeSign(",")
    }
    if wants(table) { waiting = rows[...] } else { skipped[table, default: 0] += rows.count }
  }

  /// A literal with its casts passed over; nil is NULL.
  private static func value(_ tokens: inout DumpTokens) -> String? {
    var value: String?
    while let token = tokens.peek(), !token.isSign(","), !token.isSign(")") {
      switch tokens.next() {
      case .text(let text)?: value = value ?? text
      case .number(let digits)?: value = value ?? digits
      case .word("null")?: break
      case .word(let word)? where value == nil && (word == "true" || word == "false"): value = word
      default: break
      }
    }
    return value
  }
}

/// The rows of a CSV file with a header (RFC 4180): an empty field without quotes is NULL.
final class CSVRows {
  private let reader: DumpReader
  private let table: TableName
  private var columns: [String] = []

  /// Reads the header; throws where there is none.
  init(_ reader: DumpReader, _ table: TableName) throws {
    self.reader = reader
    self.table = table
    guard let header = try fields() else {
      throw ExportFailure("The CSV file of \(table) is empty.")
    }
    columns = header.map { $0 ?? "" }
    if columns[0].hasPrefix("\u{FEFF}") { columns[0].unicodeScalars.removeFirst() }
  }

  /// The columns in their order.
  var order: [String] { columns }

  /// The next row; nil behind the last.
  func next() throws -> TableRow? {
    guard let fields = try fields() else { return nil }
    guard fields.count == columns.count else {
      throw ExportFailure("A row of \(table) has \(fields.count) columns, not \(columns.count).")
    }
    var values: [String: String?] = [:]
    for (column, field) in zip(columns, fields) { values.updateValue(field, forKey: column) }
    return TableRow(table: table, values: values)
  }

  /// The fields of a record, which may have several lines; nil at the end.
  private func fields() throws -> [String?]? {
    guard var line = try nextLine() else { return nil }
    var fields: [String?] = []
    var field: [UInt8] = []
    var (isQuoted, wasQuoted) = (false, false)
    func end() {
      let isNull = field.isEmpty && !wasQuoted
      fields.append(isNull ? nil : String(decoding: field, as: UTF8.self))
      (field, wasQuoted) = ([], false)
    }
    while true {
      var index = 0
      while index < line.count {
        let byte = line[index]
        index += 1
        if byte == UInt8(ascii: "\"") {
          if isQuoted, index < line.count, line[index] == byte {
            field.append(byte)
            index += 1
          } else if isQuoted || field.isEmpty {
            isQuoted.toggle()
            wasQuoted = true
          } else {
            field.append(byte)
          }
        } else if byte == UInt8(ascii: ","), !isQuoted {
          end()
        } else if byte == 0x0D, !isQuoted, index == line.count {
          // A part of the line's end.
        } else {
          field.append(byte)
        }
      }
      guard isQuoted else { break }
      guard let next = try reader.nextLine() else {
        throw ExportFailure(
          "The CSV file of \(table) ends inside a quoted string: it is incomplete."
        )
      }
      field.append(0x0A)
      line = next
    }
    end()
    return fields
  }

  /// The next line that is not empty.
  private func nextLine() throws -> [UInt8]? {
    while let line = try reader.nextLine() { if !line.isEmpty, line != [0x0D] { return line } }
    return nil
  }
}

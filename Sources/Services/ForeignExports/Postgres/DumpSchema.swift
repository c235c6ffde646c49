/// The tables of a dump: columns with their types, primary and foreign keys.
package struct DumpSchema: Sendable {
  /// A table.
  struct Table: Sendable {
    var columns: [String: PostgresType] = [:]
    /// The columns in their order.
    var order: [String] = []
    var primaryKey: [String] = []
    /// The tables that columns lead to, by column.
    var references: [String: TableName] = [:]
  }

  private(set) var tables: [TableName: Table] = [:]

  subscript(name: TableName) -> Table? { tables[name] }

  /// Sets a table, as of a CSV file.
  mutating func set(_ table: Table, for name: TableName) { tables[name] = table }

  /// Takes what a statement says of tables; others say nothing.
  mutating func take(_ statement: [UInt8]) {
    var tokens = DumpTokens(statement)
    if tokens.take("create", "table") || tokens.take("create", "unlogged", "table") {
      _ = tokens.take("if", "not", "exists")
      guard let name = tokens.table(), tokens.takeSign("(") else { return }
      tables[name] = Self.columns(&tokens)
    } else if tokens.take("alter", "table") {
      _ = tokens.take("if", "exists")
      _ = tokens.take("only")
      guard let name = tokens.table() else { return }
      var table = tables[name] ?? Table()
      while let token = tokens.peek() {
        if token == .word("primary") || token == .word("foreign") {
          Self.constraint(&tokens, of: &table)
        } else {
          _ = tokens.next()
        }
      }
      tables[name] = table
    }
  }

  private static let constraints: Set<String> = [
    "constraint", "primary", "foreign", "unique", "check", "exclude", "like",
  ]
  private static let endsOfType: Set<String> = [
    "default", "not", "null", "constraint", "generated", "collate", "primary", "references",
    "unique", "check",
  ]

  private static func columns(_ tokens: inout DumpTokens) -> Table {
    var table = Table()
    while let token = tokens.peek(), !token.isSign(")") {
      if case .word(let word) = token, constraints.contains(word) {
        while let token = tokens.peek(), !token.isSign(","), !token.isSign(")") {
          if token == .word("primary") || token == .word("foreign") {
            constraint(&tokens, of: &table)
          } else {
            skip(&tokens)
          }
        }
      } else if let name = tokens.next()?.identifier {
        column(name, &tokens, of: &table)
      }
      _ = tokens.takeSign(",")
    }
    return table
  }

  private static func column(_ name: String, _ tokens: inout DumpTokens, of table: inout Table) {
    var type: [String] = []
    while let token = tokens.peek(), !token.isSign(","), !token.isSign(")") {
      if case .word(let word) = token, endsOfType.contains(word) { break }
      if let word = token.identifier { type.append(word) }
      if token.isSign("[") { type.append("[]") }
      skip(&tokens)
    }
    table.columns[name] = PostgresType(type)
    table.order.append(name)
    while let token = tokens.peek(), !token.isSign(","), !token.isSign(")") {
      if tokens.take("primary", "key") {
        table.primaryKey = [name]
      } else if tokens.take("references") {
        if let target = tokens.table() { table.references[name] = target }
      } else {
        skip(&tokens)
      }
    }
  }

  /// Takes `PRIMARY KEY (…)` or `FOREIGN KEY (…) REFERENCES table`.
  private static func constraint(_ tokens: inout DumpTokens, of table: inout Table) {
    if tokens.take("primary", "key") {
      if let names = tokens.names() { table.primaryKey = names }
    } else if tokens.take("foreign", "key") {
      guard let names = tokens.names(), tokens.take("references"), let target = tokens.table()
      else { return }
      if names.count == 1 { table.references[names[0]] = target }
    } else {
      _ = tokens.next()
    }
  }

  /// Passes over a word, or all that is between two parentheses.
  private static func skip(_ tokens: inout DumpTokens) {
    guard let token = tokens.next(), token.isSign("(") else { return }
    var depth = 1
    while depth > 0, let token = tokens.next() {
      if token.isSign("(") { depth += 1 }
      if token.isSign(")") { depth -= 1 }
    }
  }
}

import BaseJSON
import BaseText

// PocketBase's data folder:
//
//   data.db                                    SQLite: a table a collection, and _collections with their definitions
//   storage/COLLECTION-ID/RECORD-ID/FILE       files of records; FILE.attrs beside it, thumbs_FILE/ made from it
//
// A definition has its fields in `fields` since PocketBase 0.23; before, they were in `schema`, the options of each in
// `options`. Accounts are records of collections of the type `auth`.

/// The database of a PocketBase data folder.
package final class PocketBaseFolder {
  /// The name of the database in the folder.
  package static let database = "data.db"
  /// The name of the folder with the files.
  package static let storage = "storage"

  private let file: SQLiteFile
  /// The collections, by name, without PocketBase's own.
  package let collections: [PocketBaseCollection]
  private let names: [String: String]

  /// Opens the database of a folder, whose path has no link in it.
  package init(_ folder: String) throws(ExportFailure) {
    file = try SQLiteFile("\(folder)/\(Self.database)")
    guard try file.hasTable("_collections") else {
      throw ExportFailure("\(folder)/\(Self.database) is not a PocketBase database.")
    }
    let rows = try file.rows("SELECT * FROM _collections ORDER BY name")
    var found: [PocketBaseCollection] = []
    while try rows.next() { found.append(try PocketBaseCollection(rows.row())) }
    names = Dictionary(found.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    collections = found.filter { !$0.name.hasPrefix("_") }
  }

  /// The name of a collection by its id.
  func name(ofCollection id: String) -> String? { names[id] }

  /// The number of records of a collection.
  package func count(of collection: PocketBaseCollection) throws(ExportFailure) -> Int {
    guard try file.hasTable(collection.name) else { return 0 }
    let rows = try file.rows("SELECT count(*) FROM \(SQLiteFile.quoted(collection.name))")
    guard try rows.next(), case .integer(let count) = rows.value(0) else { return 0 }
    return Int(clamping: count)
  }

  /// The records of a collection.
  package func records(of collection: PocketBaseCollection) throws(ExportFailure) -> SQLiteRows {
    guard try file.hasTable(collection.name) else {
      throw ExportFailure("The collection \(collection.name) has no table.")
    }
    return try file.rows("SELECT * FROM \(SQLiteFile.quoted(collection.name))")
  }

  /// The linked providers of an account: their names, and the account's ids there.
  func providers(of record: String) throws(ExportFailure) -> [(name: String, id: String)] {
    guard try file.hasTable("_externalAuths") else { return [] }
    let columns = try file.rows("SELECT * FROM _externalAuths LIMIT 0").columns
    guard let column = ["recordRef", "recordId"].first(where: columns.contains) else { return [] }
    let rows = try file.rows(
      "SELECT provider, providerId FROM _externalAuths WHERE \(column) = ?1 ORDER BY provider",
      record
    )
    var found: [(name: String, id: String)] = []
    while try rows.next() {
      guard let name = rows.value(0).text, let id = rows.value(1).text else { continue }
      found.append((name, id))
    }
    return found
  }

  /// The number of administrators of PocketBase.
  package func administratorCount() throws(ExportFailure) -> Int {
    for table in ["_superusers", "_admins"] where try file.hasTable(table) {
      let rows = try file.rows("SELECT count(*) FROM \(table)")
      if try rows.next(), case .integer(let count) = rows.value(0) { return Int(clamping: count) }
    }
    return 0
  }
}

/// A collection of PocketBase's.
package struct PocketBaseCollection: Sendable {
  /// A field of a collection.
  struct Field: Sendable {
    let name: String
    let kind: String
    /// The id of the collection that a relation leads to.
    let target: String?
    let hasMany: Bool
  }

  /// The id, which names the folder of its files.
  package let id: String
  /// The name.
  package let name: String
  /// True for a collection of accounts.
  package let isOfAccounts: Bool
  /// The query of a view; nil for a collection with records of its own.
  package let view: String?
  let fields: [String: Field]
  /// True if records have files.
  package var hasFiles: Bool { fields.values.contains { $0.kind == "file" } }
  private let rules: [(act: String, rule: String?)]

  private static let acts = ["list", "view", "create", "update", "delete"]

  init(_ row: [String: SQLiteValue]) throws(ExportFailure) {
    guard let id = row["id"]?.text, let name = row["name"]?.text else {
      throw ExportFailure("A definition in _collections has no id or no name.")
    }
    self.id = id
    self.name = name
    isOfAccounts = row["type"]?.text == "auth"
    let options = Self.json(row["options"])
    let query = options["viewQuery"]?.string ?? row["viewQuery"]?.text ?? ""
    view = row["type"]?.text == "view" ? query : nil
    var fields: [String: Field] = [:]
    for definition in Self.json(row["fields"] ?? row["schema"]).elements ?? [] {
      guard let field = Self.field(definition) else { continue }
      fields[field.name] = field
    }
    self.fields = fields
    rules = Self.acts.map { ($0, row["\($0)Rule"]?.text) }
  }

  private static func json(_ value: SQLiteValue?) -> JSONValue {
    let bytes: [UInt8]
    switch value {
    case .text(let text)?: bytes = Array(text.utf8)
    case .blob(let blob)?: bytes = blob
    default: return .null
    }
    return (try? JSONParser.parse(bytes)) ?? .null
  }

  private static func field(_ json: JSONValue) -> Field? {
    guard let name = json["name"]?.string, let kind = json["type"]?.string else { return nil }
    let options = json["options"]
    let most = json["maxSelect"] ?? options?["maxSelect"]
    // Before 0.23 no limit meant any number of relations.
    let hasMany = options == nil ? (most?.integer ?? 1) > 1 : most?.integer != 1
    return Field(
      name: name,
      kind: kind,
      target: (json["collectionId"] ?? options?["collectionId"])?.string,
      hasMany: hasMany
    )
  }

  /// The rules that must be written by hand as security rules, on one line.
  package var rulesText: String {
    let parts = rules.map { act, rule in
      switch rule {
      case nil: "\(act): administrators only"
      case "": "\(act): everyone"
      case let rule?:
        "\(act): \(rule.split(whereSeparator: \.isNewline).joined(separator: " "))"
      }
    }
    return "\(name): \(parts.joined(separator: "; "))"
  }
}

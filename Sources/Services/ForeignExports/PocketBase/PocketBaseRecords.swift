import BaseJSON
import BaseText

/// The records of a PocketBase folder as documents, accounts and files.
package struct PocketBaseRecords {
  private let folder: PocketBaseFolder
  private let target: ForeignDatabase

  /// Records for a database.
  package init(_ folder: PocketBaseFolder, into target: ForeignDatabase) {
    self.folder = folder
    self.target = target
  }

  /// Columns that no document has: the document's name is the id, and secrets stay with accounts.
  private static let hidden: Set<String> = [
    "id", "password", "passwordHash", "tokenKey", "lastResetSentAt", "lastVerificationSentAt",
    "lastLoginAlertSentAt",
  ]

  // MARK: Documents

  /// A record as a document, on one line.
  package func document(
    _ row: [String: SQLiteValue],
    of collection: PocketBaseCollection,
    notes: inout ChangeNotes
  ) throws(ExportFailure) -> [UInt8] {
    let id = try Self.id(of: row)
    var members: [JSONValue.Member] = []
    for (column, value) in row.sorted(by: { $0.key < $1.key }) {
      guard !(Self.hidden.contains(column) && (collection.isOfAccounts || column == "id")) else {
        continue
      }
      let field = collection.fields[column]
      if let field, field.kind == "password" { continue }
      let made = Self.value(
        value,
        field,
        record: (collection.name, id),
        target: target,
        collectionName: folder.name(ofCollection:)
      ) {
        notes.add(
          "\(collection.name).\(column): a list inside a list becomes a map with the list in values"
        )
      }
      members.append(.init(column, made))
    }
    return target.document(collection.name, id, members)
  }

  private static func id(of row: [String: SQLiteValue]) throws(ExportFailure) -> String {
    guard let id = row["id"]?.text, !id.isEmpty, !id.utf8.contains(0x2F) else {
      throw ExportFailure("the ID of a record is not a valid document ID.")
    }
    return id
  }

  private static func value(
    _ value: SQLiteValue,
    _ field: PocketBaseCollection.Field?,
    record: (collection: String, id: String),
    target: ForeignDatabase,
    collectionName: (String) -> String?,
    changed: () -> Void
  ) -> JSONValue {
    let kind = field?.kind ?? ""
    switch kind {
    case "relation", "select", "file":
      func single(_ text: String) -> JSONValue {
        if kind == "file" { return FieldValue.text("\(record.collection)/\(record.id)/\(text)") }
        guard kind == "relation", !text.utf8.contains(0x2F),
          let name = field?.target.flatMap(collectionName)
        else { return FieldValue.text(text) }
        return target.reference(name, text)
      }
      let texts = texts(value)
      if field?.hasMany == true || texts.isList { return FieldValue.list(texts.all.map(single)) }
      return texts.all.first.map(single) ?? FieldValue.null
    case "bool": return value == .null ? FieldValue.null : FieldValue.boolean(value.isTrue)
    case "json":
      guard let text = value.text, !text.isEmpty else { return plain(value) }
      guard let json = try? JSONParser.parse(Array(text.utf8)) else { return FieldValue.text(text) }
      return FieldValue.json(json, changed: changed)
    case "geoPoint":
      guard let text = value.text, let json = try? JSONParser.parse(Array(text.utf8)),
        let latitude = number(json["lat"]), let longitude = number(json["lon"]),
        abs(latitude) <= 90, abs(longitude) <= 180
      else { return plain(value) }
      return FieldValue.value(
        "geoPointValue",
        .object(["latitude": .number("\(latitude)"), "longitude": .number("\(longitude)")])
      )
    case "date", "autodate": return time(value)
    case "": return field == nil && value.text != nil ? time(value) : plain(value)
    default: return plain(value)
    }
  }

  private static func number(_ json: JSONValue?) -> Double? {
    if case .number(let digits)? = json { Double(digits) } else { nil }
  }

  /// Times are texts; older definitions do not name `created` and `updated`.
  private static func time(_ value: SQLiteValue) -> JSONValue {
    guard let text = value.text else { return plain(value) }
    if text.isEmpty { return FieldValue.null }
    return FieldValue.timestamp(text) ?? FieldValue.text(text)
  }

  private static func plain(_ value: SQLiteValue) -> JSONValue {
    switch value {
    case .null: FieldValue.null
    case .integer(let number): FieldValue.integer(number)
    case .real(let number): FieldValue.double(number)
    case .text(let text): FieldValue.text(text)
    case .blob(let bytes): FieldValue.value("bytesValue", .string(Base64.standard(bytes)))
    }
  }

  /// The texts of a field that has one, or a list of them in JSON.
  private static func texts(_ value: SQLiteValue) -> (all: [String], isList: Bool) {
    guard let text = value.text, !text.isEmpty else { return ([], false) }
    guard text.hasPrefix("["), let list = try? JSONParser.parse(Array(text.utf8)).elements else {
      return ([text], false)
    }
    return (list.compactMap(\.string), true)
  }

  // MARK: Accounts

  /// The parameters of the passwords that accounts have.
  package static let passwordParameters = JSONValue.object(["hashAlgorithm": .string("BCRYPT")])

  /// A record as an account in the form of `auth:export`.
  package func account(
    _ row: [String: SQLiteValue],
    of collection: PocketBaseCollection,
    notes: inout ChangeNotes
  ) throws(ExportFailure) -> JSONValue {
    let id = try Self.id(of: row)
    var members = [JSONValue.Member("localId", .string(id))]
    func put(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { members.append(.init(name, .string(text))) }
    }
    put("email", row["email"]?.text)
    if row["email"]?.text?.isEmpty == false {
      members.append(.init("emailVerified", .boolean(row["verified"]?.isTrue ?? false)))
    }
    let hash = row["passwordHash"]?.text ?? row["password"]?.text ?? ""
    put("passwordHash", hash.isEmpty ? nil : Base64.standard(hash.utf8))
    put("displayName", row["name"]?.text ?? row["username"]?.text)
    put("createdAt", Self.milliseconds(row["created"]))
    var linked: [JSONValue] = []
    for provider in try folder.providers(of: id) {
      guard let name = ForeignProvider.id(provider.name) else {
        notes.add(
          "\(collection.name): the provider \(provider.name) is not linked, because Firebase does not have it"
        )
        continue
      }
      linked.append(.object(["providerId": .string(name), "rawId": .string(provider.id)]))
    }
    if !linked.isEmpty { members.append(.init("providerUserInfo", .array(linked))) }
    return .object(members)
  }

  private static func milliseconds(_ value: SQLiteValue?) -> String? {
    value?.text.flatMap(ForeignTime.milliseconds).map { "\($0)" }
  }

  // MARK: Files

  /// The names of a record's files, which are below `storage/COLLECTION-ID/RECORD-ID`.
  package func files(
    _ row: [String: SQLiteValue],
    of collection: PocketBaseCollection
  ) throws(ExportFailure) -> (id: String, names: [String]) {
    let id = try Self.id(of: row)
    let fields = collection.fields.values.filter { $0.kind == "file" }.map(\.name).sorted()
    return (id, fields.flatMap { Self.texts(row[$0] ?? .null).all })
  }
}

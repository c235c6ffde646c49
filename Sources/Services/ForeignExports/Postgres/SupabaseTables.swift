import BaseJSON
import BaseText

/// Rows of tables as documents.
package struct SupabaseTables {
  private let schema: DumpSchema
  private let target: ForeignDatabase
  private var rows: [TableName: Int] = [:]

  /// Tables of a dump for a database.
  init(_ schema: DumpSchema, into target: ForeignDatabase) {
    self.schema = schema
    self.target = target
  }

  /// A row as a document, on one line.
  ///
  /// The primary key is the id; several columns are joined by colons. A table without one has numbered rows.
  mutating func document(_ row: TableRow, notes: inout ChangeNotes) -> [UInt8] {
    rows[row.table, default: 0] += 1
    let table = schema[row.table] ?? DumpSchema.Table()
    let key = table.primaryKey.compactMap { row[$0] }
    let id =
      key.isEmpty || key.count < table.primaryKey.count
      ? "row-" + Self.padded(rows[row.table] ?? 0) : Self.id(key)
    var members: [JSONValue.Member] = []
    let columns = table.order.isEmpty ? row.values.keys.sorted() : table.order
    for column in columns {
      guard let value = row.values[column] else { continue }
      members.append(.init(column, self.value(value, column, of: table, row.table, &notes)))
    }
    return target.document(row.table.name, id, members)
  }

  private func value(
    _ text: String?,
    _ column: String,
    of table: DumpSchema.Table,
    _ name: TableName,
    _ notes: inout ChangeNotes
  ) -> JSONValue {
    guard let text else { return FieldValue.null }
    // Accounts are no documents: their uid stays a text.
    if let other = table.references[column], other.schema != "auth" {
      return target.reference(other.name, Self.id([text]))
    }
    let type = table.columns[column] ?? .text
    return type.value(text) { notes.add("\(name).\(column): \($0)") }
  }

  /// The ID of a key; characters that an ID can't have are percent-encoded, and so is the colon
  /// between two parts.
  private static func id(_ parts: [String]) -> String {
    parts.map { part in
      part.replacing("%", with: "%25").replacing("/", with: "%2F")
        .replacing(":", with: parts.count > 1 ? "%3A" : ":")
    }.joined(separator: ":")
  }

  private static func padded(_ number: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, 9 - digits.count)) + digits
  }
}

/// Rows of `auth.users` as accounts in the form of `auth:export`.
enum SupabaseAccount {
  /// The account of a row with its identities; nil for one that was deleted.
  ///
  /// - Parameter now: Milliseconds since 1970: an account that is banned beyond them is disabled.
  static func account(
    _ row: TableRow,
    identities: [TableRow],
    now: Int64,
    notes: inout ChangeNotes
  ) -> JSONValue? {
    guard row["deleted_at"] == nil else { return nil }
    var members = [JSONValue.Member("localId", .string(row["id"] ?? ""))]
    func put(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { members.append(.init(name, .string(text))) }
    }
    put("email", row["email"])
    if row["email"]?.isEmpty == false {
      let isVerified = row["email_confirmed_at"] != nil || row["confirmed_at"] != nil
      members.append(.init("emailVerified", .boolean(isVerified)))
    }
    let hash = row["encrypted_password"] ?? ""
    put("passwordHash", hash.isEmpty ? nil : Base64.standard(hash.utf8))
    if let phone = row["phone"], !phone.isEmpty {
      put("phoneNumber", phone.hasPrefix("+") ? phone : "+" + phone)
    }
    let metadata = json(row["raw_user_meta_data"] ?? row["user_metadata"])
    let name = metadata["full_name"] ?? metadata["name"] ?? metadata["display_name"]
    put("displayName", name?.string)
    put("photoUrl", (metadata["avatar_url"] ?? metadata["picture"])?.string)
    let kept = metadata.members?.filter { !known.contains($0.key) } ?? []
    if !kept.isEmpty {
      notes.add("auth.users: user metadata beside name and picture is left out")
    }
    put("createdAt", row["created_at"].flatMap(ForeignTime.milliseconds).map { "\($0)" })
    put("lastLoginAt", row["last_sign_in_at"].flatMap(ForeignTime.milliseconds).map { "\($0)" })
    if let end = row["banned_until"].flatMap(ForeignTime.milliseconds), end > now {
      members.append(.init("disabled", .boolean(true)))
    }
    let claims =
      json(row["raw_app_meta_data"] ?? row["app_metadata"]).members?
      .filter { $0.key != "provider" && $0.key != "providers" } ?? []
    if !claims.isEmpty { put("customAttributes", JSONValue.object(claims).compact) }
    let linked = identities.compactMap { provider($0, &notes) }
    if !linked.isEmpty { members.append(.init("providerUserInfo", .array(linked))) }
    return .object(members)
  }

  /// Members of the metadata that an account has, or that say nothing beside the account.
  private static let known: Set<String> = [
    "full_name", "name", "display_name", "avatar_url", "picture", "email", "email_verified",
    "phone_verified", "phone", "iss", "sub", "provider_id", "user_name", "preferred_username",
  ]

  private static func json(_ text: String?) -> JSONValue {
    text.flatMap { try? JSONParser.parse(Array($0.utf8)) } ?? .null
  }

  private static func provider(_ row: TableRow, _ notes: inout ChangeNotes) -> JSONValue? {
    guard let name = row["provider"], name != "email", name != "phone" else { return nil }
    let data = json(row["identity_data"])
    guard let id = ForeignProvider.id(name),
      let subject = row["provider_id"] ?? data["sub"]?.string ?? row["id"]
    else {
      notes.add(
        "auth.identities: the provider \(name) is not linked, because Firebase does not have it"
      )
      return nil
    }
    var members: [JSONValue.Member] = [
      .init("providerId", .string(id)), .init("rawId", .string(subject)),
    ]
    let texts = [
      ("email", data["email"]), ("displayName", data["full_name"] ?? data["name"]),
      ("photoUrl", data["avatar_url"] ?? data["picture"]),
    ]
    for (key, text) in texts {
      if let text = text?.string, !text.isEmpty { members.append(.init(key, .string(text))) }
    }
    return .object(members)
  }
}

import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
internal import SwiftProtobuf

/// A request of `google.firestore.admin.v1`, which comes over REST or gRPC (`AdminMethod`).
///
/// Routes, below `/v1/` or `/v1beta1/`:
///
/// - `projects/{p}/databases`: GET lists, POST with `databaseId` creates
/// - `projects/{p}/databases/{d}`: GET, PATCH (`updateMask`), DELETE (`etag`)
/// - `projects/{p}/databases/{d}:bulkDeleteDocuments`: POST
/// - `…/databases/{d}/collectionGroups/{c}/indexes`: GET lists (`filter`, `pageSize`, `pageToken`;
///   `-` is every group), POST creates. Paths under `…/indexes/{id}`: GET, DELETE
/// - `…/databases/{d}/collectionGroups/{c}/fields`: GET lists; `…/fields/{f}`: GET, PATCH (`updateMask`)
/// - `…/databases/{d}/operations`: GET lists; `…/operations/{id}`: GET
/// - `projects/{p}/databases:clone`, `projects/{p}/databases:restore`: POST
/// - `…/databases/{d}/backupSchedules`: GET lists, POST creates; `…/backupSchedules/{id}`: GET, PATCH (`updateMask`), DELETE
/// - `projects/{p}/locations/{l}/backups`: GET lists (`l` may be `-`); `…/backups/{id}`: GET, DELETE
///
/// Google's other methods below these paths are refused with UNIMPLEMENTED.
package enum AdminCall: Sendable, Equatable {
  /// A page of a list.
  package struct Page: Sendable, Hashable {
    /// The expression that entries must satisfy, as the client spells it; empty lists all.
    package let filter: String
    /// Zero leaves it to the server.
    package let size: Int
    /// Empty asks for the first page.
    package let token: String
  }

  case listDatabases(project: Text)
  case createDatabase(DatabaseID, Google_Firestore_Admin_V1_Database)
  case getDatabase(DatabaseID)
  /// An empty mask changes the fields that the message has.
  case updateDatabase(DatabaseID, Google_Firestore_Admin_V1_Database, mask: [String])
  /// The etag is empty where the client does not insist on one.
  case deleteDatabase(DatabaseID, etag: String)
  /// No collection ids mean every document.
  case bulkDeleteDocuments(DatabaseID, collectionIDs: [Text])
  case listIndexes(DatabaseID, collectionGroup: Text, Page)
  case createIndex(DatabaseID, collectionGroup: Text, Google_Firestore_Admin_V1_Index)
  case getIndex(DatabaseID, collectionGroup: Text, id: String)
  case deleteIndex(DatabaseID, collectionGroup: Text, id: String)
  case listFields(DatabaseID, collectionGroup: Text, Page)
  case getField(DatabaseID, collectionGroup: Text, path: String)
  /// Sets the parts of a field that the mask names as in the message; a part that the message lacks
  /// reverts to the setting that applies without it. An empty mask means the indexes, and the time
  /// to live where the message has it.
  case updateField(
    DatabaseID,
    collectionGroup: Text,
    path: String,
    Google_Firestore_Admin_V1_Field,
    mask: [String]
  )
  case listOperations(DatabaseID, Page)
  case getOperation(DatabaseID, id: String)
  /// Makes a database of the project with that id from another one's history.
  case cloneDatabase(DatabaseID, Google_Firestore_Admin_V1_PitrSnapshot)
  /// Makes a database of the project with that id from a backup, whose full name is given.
  case restoreDatabase(DatabaseID, backup: String)
  case listBackups(project: Text, location: Text, filter: String)
  case getBackup(project: Text, location: Text, id: String)
  case deleteBackup(project: Text, location: Text, id: String)
  case listBackupSchedules(DatabaseID)
  case createBackupSchedule(DatabaseID, Google_Firestore_Admin_V1_BackupSchedule)
  case getBackupSchedule(DatabaseID, id: String)
  case updateBackupSchedule(
    DatabaseID,
    id: String,
    Google_Firestore_Admin_V1_BackupSchedule,
    mask: [String]
  )
  case deleteBackupSchedule(DatabaseID, id: String)

  /// Reads a request; nil where the path is none of the admin API's.
  package init?(
    method: String,
    path: String,
    query: String?,
    body: [UInt8]
  ) throws(ServiceError) {
    guard let segments = try Self.segments(of: path) else { return nil }
    let request = AdminHTTPRequest(
      method: method,
      query: try QueryParameters(query),
      body: body
    )
    if segments[2] == "locations" {
      self = try request.backups(segments)
      return
    }
    switch segments.count {
    case 3 where segments[2] != "databases":
      self = try request.verb(segments[2], project: Text(segments[1]))
    case 3: self = try request.databases(project: Text(segments[1]))
    case 4: self = try request.database(segments)
    default: self = try request.part(of: try Self.database(segments), segments.dropFirst(4))
    }
  }

  /// The project in a path of this API; nil if the path is not of this API.
  package static func project(ofPath path: String) throws(ServiceError) -> Text? {
    try segments(of: path).map { Text($0[1]) }
  }

  /// The decoded segments of a path of this API; documents have an API of their own.
  private static func segments(of path: String) throws(ServiceError) -> [String]? {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    guard parts.popFirst()?.isEmpty == true, let version = parts.popFirst(),
      version == "v1" || version == "v1beta1", parts.count >= 3
    else { return nil }
    var segments: [String] = []
    for part in parts {
      guard let segment = PercentEncoding.decode(part) else {
        throw .invalidArgument("The URL's path has a malformed escape: \"\(part)\".")
      }
      segments.append(segment)
    }
    let isDatabases = segments[2] == "databases" || segments[2].hasPrefix("databases:")
    let isBackups =
      segments[2] == "locations" && segments.count >= 5 && segments[4] == "backups"
    guard segments[0] == "projects", isDatabases || isBackups else { return nil }
    if segments.count > 4, segments[4].split(separator: ":").first == "documents" { return nil }
    return segments
  }

  /// Namespaces are Datastore's; Firestore's documents all lie in the one without a name.
  static func bulkDeletion(
    _ database: DatabaseID,
    _ request: Google_Firestore_Admin_V1_BulkDeleteDocumentsRequest
  ) throws(ServiceError) -> AdminCall {
    guard request.namespaceIds.allSatisfy(\.isEmpty) else {
      throw .invalidArgument("namespace_ids must be empty: a Firestore database has no namespaces.")
    }
    return .bulkDeleteDocuments(database, collectionIDs: request.collectionIds.map { Text($0) })
  }

  fileprivate static func database(_ segments: [String]) throws(ServiceError) -> DatabaseID {
    try DatabaseID(parsing: segments.prefix(4).joined(separator: "/"))
  }
}

/// An HTTP request whose path is being read.
struct AdminHTTPRequest {
  static let package = "google.firestore.admin.v1."

  let method: String
  let query: QueryParameters
  let body: [UInt8]

  /// Members of a database that newer clients send, with the one value that is so here: any other is refused by its name.
  private static let dataAccessModes = [
    "firestoreDataAccessMode": "DATA_ACCESS_MODE_ENABLED",
    "mongodbCompatibleDataAccessMode": "DATA_ACCESS_MODE_DISABLED",
    "realtimeUpdatesMode": "REALTIME_UPDATES_MODE_ENABLED",
  ]

  var unimplemented: ServiceError {
    ServiceError(.unimplemented, "This method of the administration API is not served.")
  }

  func databases(project: Text) throws(ServiceError) -> AdminCall {
    switch method {
    case "GET":
      _ = try parameters(of: "ListDatabasesRequest", except: ["parent"])
      return .listDatabases(project: project)
    case "POST":
      let values = try parameters(of: "CreateDatabaseRequest", except: ["parent", "database"])
      guard let id = values["database_id"], !id.isEmpty else {
        throw .invalidArgument("The parameter databaseId is required.")
      }
      let database = DatabaseID(project: project, database: Text(id))
      return .createDatabase(
        database,
        try message("Database", at: "database", without: Self.dataAccessModes)
      )
    default: throw unimplemented
    }
  }

  func database(_ segments: [String]) throws(ServiceError) -> AdminCall {
    let verb = segments[3].firstIndex(of: ":")
    guard let verb else { return try database(AdminCall.database(segments)) }
    guard method == "POST", segments[3][verb...] == ":bulkDeleteDocuments" else {
      throw unimplemented
    }
    let name = Array(segments.dropLast()) + [String(segments[3][..<verb])]
    return try bulkDeletion(AdminCall.database(name))
  }

  private func bulkDeletion(_ database: DatabaseID) throws(ServiceError) -> AdminCall {
    try refuseParameters()
    return try .bulkDeletion(database, message("BulkDeleteDocumentsRequest", at: ""))
  }

  private func database(_ database: DatabaseID) throws(ServiceError) -> AdminCall {
    switch method {
    case "GET":
      try refuseParameters()
      return .getDatabase(database)
    case "PATCH":
      let values = try parameters(of: "UpdateDatabaseRequest", except: ["database"])
      return .updateDatabase(
        database,
        try message("Database", at: "database"),
        mask: Self.mask(values["update_mask"])
      )
    case "DELETE":
      let values = try parameters(of: "DeleteDatabaseRequest", except: ["name"])
      return .deleteDatabase(database, etag: values["etag"] ?? "")
    default: throw unimplemented
    }
  }

  func part(
    of database: DatabaseID,
    _ segments: ArraySlice<String>
  ) throws(ServiceError) -> AdminCall {
    let rest = Array(segments)
    if rest[0] == "operations" {
      if rest.count == 1, method == "GET" { return .listOperations(database, try page()) }
      if rest.count == 2, method == "GET" { return .getOperation(database, id: rest[1]) }
    }
    if rest[0] == "backupSchedules" {
      return try backupSchedules(of: database, Array(rest.dropFirst()))
    }
    guard rest.count >= 3, rest[0] == "collectionGroups" else { throw unimplemented }
    let group = Text(rest[1])
    switch (method, rest[2], rest.count) {
    case ("GET", "indexes", 3):
      return .listIndexes(database, collectionGroup: group, try page())
    case ("POST", "indexes", 3):
      try refuseParameters()
      return .createIndex(database, collectionGroup: group, try message("Index", at: "index"))
    case ("GET", "indexes", 4):
      try refuseParameters()
      return .getIndex(database, collectionGroup: group, id: rest[3])
    case ("DELETE", "indexes", 4):
      try refuseParameters()
      return .deleteIndex(database, collectionGroup: group, id: rest[3])
    case ("GET", "fields", 3):
      return .listFields(database, collectionGroup: group, try page())
    case ("GET", "fields", 4):
      try refuseParameters()
      return .getField(database, collectionGroup: group, path: rest[3])
    case ("PATCH", "fields", 4):
      let values = try parameters(of: "UpdateFieldRequest", except: ["field"])
      return .updateField(
        database,
        collectionGroup: group,
        path: rest[3],
        try message("Field", at: "field"),
        mask: Self.mask(values["update_mask"])
      )
    default: throw unimplemented
    }
  }

  func refuseParameters() throws(ServiceError) {
    if let parameter = query.parameters.first { throw QueryParameters.unknown(parameter.name) }
  }

  /// The paths of a field mask by the protocol's names, which clients also write as JSON has them.
  static func mask(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { path in
      path.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
  }

  /// Lists have the same parameters.
  private func page() throws(ServiceError) -> AdminCall.Page {
    let values = try parameters(of: "ListIndexesRequest", except: ["parent"])
    let size = values["page_size"] ?? "0"
    guard let size = Int(size), size >= 0 else {
      throw .invalidArgument("Invalid value at 'page_size' (TYPE_INT32), \"\(size)\"")
    }
    return AdminCall.Page(
      filter: values["filter"] ?? "",
      size: size,
      token: values["page_token"] ?? ""
    )
  }

  /// The query's parameters by the protocol's names of the request's fields.
  func parameters(
    of message: String,
    except taken: Set<String>
  ) throws(ServiceError) -> [String: String] {
    let schema = SchemaRegistry.shared.message(Self.package + message)
    var values: [String: String] = [:]
    for (name, value) in query.parameters {
      guard let field = schema[name], !taken.contains(field.name) else {
        throw QueryParameters.unknown(name)
      }
      values[field.name] = value
    }
    return values
  }

  /// The body as that message.
  func message<M: Message>(
    _ name: String,
    at path: String,
    without omitted: [String: String] = [:]
  ) throws(ServiceError) -> M {
    var json = body.isEmpty ? JSONValue.object([]) : try JSONParser.parse(body)
    if let members = json.members {
      json = .object(
        members.filter { member in
          omitted[member.key].map { member.value.string != $0 } ?? true
        }
      )
    }
    let bytes = try JSONTranscoder().encode(json, as: Self.package + name, path: path)
    do {
      return try M(serializedBytes: bytes)
    } catch {
      throw ServiceError(.internalError, "The request cannot be read.", cause: error)
    }
  }
}

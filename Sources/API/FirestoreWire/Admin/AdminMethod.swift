import BaseStatus
import BaseText
import FirestoreModel
internal import SwiftProtobuf

/// The methods of the administration API over gRPC.
///
/// They are those of `google.firestore.admin.v1.FirestoreAdmin` that are served, and of `google.longrunning.Operations` those
/// that look at operations. Raw values are the names in the path.
package enum AdminMethod: String, Sendable, CaseIterable {
  case listDatabases = "ListDatabases"
  case createDatabase = "CreateDatabase"
  case getDatabase = "GetDatabase"
  case updateDatabase = "UpdateDatabase"
  case deleteDatabase = "DeleteDatabase"
  case bulkDeleteDocuments = "BulkDeleteDocuments"
  case listIndexes = "ListIndexes"
  case createIndex = "CreateIndex"
  case getIndex = "GetIndex"
  case deleteIndex = "DeleteIndex"
  case listFields = "ListFields"
  case getField = "GetField"
  case updateField = "UpdateField"
  case listOperations = "ListOperations"
  case getOperation = "GetOperation"
  case cloneDatabase = "CloneDatabase"
  case restoreDatabase = "RestoreDatabase"
  case listBackups = "ListBackups"
  case getBackup = "GetBackup"
  case deleteBackup = "DeleteBackup"
  case listBackupSchedules = "ListBackupSchedules"
  case createBackupSchedule = "CreateBackupSchedule"
  case getBackupSchedule = "GetBackupSchedule"
  case updateBackupSchedule = "UpdateBackupSchedule"
  case deleteBackupSchedule = "DeleteBackupSchedule"

  /// The path of a call, as `/google.firestore.admin.v1.FirestoreAdmin/GetIndex`.
  package var path: String {
    switch self {
    case .listOperations, .getOperation: "/google.longrunning.Operations/\(rawValue)"
    default: "/google.firestore.admin.v1.FirestoreAdmin/\(rawValue)"
    }
  }

  /// True where the method changes nothing.
  package var isReading: Bool {
    switch self {
    case .listDatabases, .getDatabase, .listIndexes, .getIndex, .listFields, .getField,
      .listOperations, .getOperation, .listBackups, .getBackup, .listBackupSchedules,
      .getBackupSchedule:
      true
    case .createDatabase, .updateDatabase, .deleteDatabase, .bulkDeleteDocuments, .createIndex,
      .deleteIndex, .updateField, .cloneDatabase, .restoreDatabase, .deleteBackup,
      .createBackupSchedule, .updateBackupSchedule, .deleteBackupSchedule:
      false
    }
  }
}

extension AdminCall {
  /// The project of a request, from its path alone.
  ///
  /// Throws INVALID_ARGUMENT where the message cannot be read or names none.
  static func project(of method: AdminMethod, _ message: [UInt8]) throws(ServiceError) -> Text {
    Text(try ResourceName(name(in: message, of: method)).project)
  }

  /// Reads a request of a method.
  ///
  /// Throws INVALID_ARGUMENT for a message that cannot be read, or a name of another form.
  init(_ method: AdminMethod, _ message: [UInt8]) throws(ServiceError) {
    let name = try ResourceName(Self.name(in: message, of: method))
    switch method {
    case .listDatabases: self = .listDatabases(project: Text(try name.only()))
    case .getDatabase: self = .getDatabase(try name.database())
    case .createDatabase, .updateDatabase, .deleteDatabase, .bulkDeleteDocuments:
      self = try Self.change(ofDatabase: name, method, message)
    case .listIndexes, .listFields, .listOperations: self = try Self.list(name, method, message)
    case .createIndex:
      let request: Google_Firestore_Admin_V1_CreateIndexRequest = try Self.read(message)
      let group = try name.group()
      self = .createIndex(group.database, collectionGroup: group.id, request.index)
    case .getIndex:
      let index = try name.member("indexes")
      self = .getIndex(index.database, collectionGroup: index.group, id: index.id)
    case .deleteIndex:
      let index = try name.member("indexes")
      self = .deleteIndex(index.database, collectionGroup: index.group, id: index.id)
    case .getField:
      let field = try name.member("fields")
      self = .getField(field.database, collectionGroup: field.group, path: field.id)
    case .updateField:
      let request: Google_Firestore_Admin_V1_UpdateFieldRequest = try Self.read(message)
      let field = try name.member("fields")
      self = .updateField(
        field.database,
        collectionGroup: field.group,
        path: field.id,
        request.field,
        mask: request.updateMask.paths
      )
    case .getOperation:
      let operation = try name.operation()
      self = .getOperation(operation.database, id: operation.id)
    case .cloneDatabase:
      self = try .clone(Self.read(message), in: Text(try name.only()))
    case .restoreDatabase:
      self = try .restore(Self.read(message), in: Text(try name.only()))
    case .listBackups, .getBackup, .deleteBackup: self = try Self.backups(name, method, message)
    case .listBackupSchedules, .createBackupSchedule, .getBackupSchedule, .updateBackupSchedule,
      .deleteBackupSchedule:
      self = try Self.schedules(name, method, message)
    }
  }

  private static func backups(
    _ name: ResourceName,
    _ method: AdminMethod,
    _ message: [UInt8]
  ) throws(ServiceError) -> AdminCall {
    let project = Text(name.project)
    if method == .listBackups {
      let request: Google_Firestore_Admin_V1_ListBackupsRequest = try read(message)
      let location = try name.location()
      return .listBackups(project: project, location: location, filter: request.filter)
    }
    let backup = try name.backup()
    return method == .getBackup
      ? .getBackup(project: project, location: backup.location, id: backup.id)
      : .deleteBackup(project: project, location: backup.location, id: backup.id)
  }

  private static func schedules(
    _ name: ResourceName,
    _ method: AdminMethod,
    _ message: [UInt8]
  ) throws(ServiceError) -> AdminCall {
    switch method {
    case .listBackupSchedules: return .listBackupSchedules(try name.database())
    case .createBackupSchedule:
      let request: Google_Firestore_Admin_V1_CreateBackupScheduleRequest = try read(message)
      return .createBackupSchedule(try name.database(), request.backupSchedule)
    default: break
    }
    let schedule = try name.part("backupSchedules")
    switch method {
    case .getBackupSchedule: return .getBackupSchedule(schedule.database, id: schedule.id)
    case .updateBackupSchedule:
      let request: Google_Firestore_Admin_V1_UpdateBackupScheduleRequest = try read(message)
      return .updateBackupSchedule(
        schedule.database,
        id: schedule.id,
        request.backupSchedule,
        mask: request.updateMask.paths
      )
    default: return .deleteBackupSchedule(schedule.database, id: schedule.id)
    }
  }

  private static func change(
    ofDatabase name: ResourceName,
    _ method: AdminMethod,
    _ message: [UInt8]
  ) throws(ServiceError) -> AdminCall {
    switch method {
    case .createDatabase:
      let request: Google_Firestore_Admin_V1_CreateDatabaseRequest = try read(message)
      guard !request.databaseID.isEmpty else {
        throw .invalidArgument("The field database_id is required.")
      }
      let id = DatabaseID(project: Text(try name.only()), database: Text(request.databaseID))
      return .createDatabase(id, request.database)
    case .updateDatabase:
      let request: Google_Firestore_Admin_V1_UpdateDatabaseRequest = try read(message)
      return .updateDatabase(
        try name.database(),
        request.database,
        mask: request.updateMask.paths
      )
    case .deleteDatabase:
      let request: Google_Firestore_Admin_V1_DeleteDatabaseRequest = try read(message)
      return .deleteDatabase(try name.database(), etag: request.etag)
    default: return try bulkDeletion(name.database(), read(message))
    }
  }

  private static func list(
    _ name: ResourceName,
    _ method: AdminMethod,
    _ message: [UInt8]
  ) throws(ServiceError) -> AdminCall {
    if method == .listOperations {
      let request: Google_Longrunning_ListOperationsRequest = try read(message)
      let page = try Page(request.filter, request.pageSize, request.pageToken)
      return .listOperations(try name.parentOfOperations(), page)
    }
    // Both lists have the same request.
    let request: Google_Firestore_Admin_V1_ListIndexesRequest = try read(message)
    let page = try Page(request.filter, request.pageSize, request.pageToken)
    let group = try name.group()
    return method == .listIndexes
      ? .listIndexes(group.database, collectionGroup: group.id, page)
      : .listFields(group.database, collectionGroup: group.id, page)
  }

  private static func name(
    in message: [UInt8],
    of method: AdminMethod
  ) throws(ServiceError) -> String {
    switch method {
    case .updateDatabase:
      return try (read(message) as Google_Firestore_Admin_V1_UpdateDatabaseRequest).database.name
    case .updateField:
      return try (read(message) as Google_Firestore_Admin_V1_UpdateFieldRequest).field.name
    case .updateBackupSchedule:
      let request: Google_Firestore_Admin_V1_UpdateBackupScheduleRequest = try read(message)
      return request.backupSchedule.name
    case .listOperations:
      return try (read(message) as Google_Longrunning_ListOperationsRequest).name
    default:
      // All others have the name, or the parent's, in field 1.
      return try (read(message) as Google_Longrunning_GetOperationRequest).name
    }
  }

  private static func read<M: Message>(_ bytes: [UInt8]) throws(ServiceError) -> M {
    do {
      return try M(serializedBytes: bytes)
    } catch {
      throw ServiceError(
        .invalidArgument,
        "The message is not a valid \(M.protoMessageName).",
        cause: error
      )
    }
  }
}

extension AdminCall.Page {
  fileprivate init(_ filter: String, _ size: Int32, _ token: String) throws(ServiceError) {
    guard size >= 0 else { throw .invalidArgument("page_size must not be negative: \(size).") }
    self.init(filter: filter, size: Int(size), token: token)
  }
}

/// The name of a resource in the form of this API: `projects/{p}`, or a longer one that begins with it.
private struct ResourceName {
  private let text: String
  private let segments: [Substring]

  init(_ text: String) throws(ServiceError) {
    self.text = text
    segments = text.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count >= 2, segments[0] == "projects", !segments.contains(where: \.isEmpty)
    else {
      throw Self.malformed(text)
    }
  }

  var project: String { String(segments[1]) }

  /// The project, where nothing follows it.
  func only() throws(ServiceError) -> String {
    guard segments.count == 2 else { throw Self.malformed(text) }
    return project
  }

  func database() throws(ServiceError) -> DatabaseID {
    guard segments.count == 4 else { throw Self.malformed(text) }
    return try prefix()
  }

  func group() throws(ServiceError) -> (database: DatabaseID, id: Text) {
    guard segments.count == 6, segments[4] == "collectionGroups" else { throw Self.malformed(text) }
    return (try prefix(), Text(String(segments[5])))
  }

  /// An index or a field of a collection group.
  func member(
    _ kind: String
  ) throws(ServiceError) -> (database: DatabaseID, group: Text, id: String) {
    // A field's path may have slashes in its quotes.
    guard segments.count >= 8, segments[4] == "collectionGroups", segments[6] == kind,
      segments.count == 8 || kind == "fields"
    else { throw Self.malformed(text) }
    let id = segments[7...].joined(separator: "/")
    return (try prefix(), Text(String(segments[5])), id)
  }

  func operation() throws(ServiceError) -> (database: DatabaseID, id: String) {
    try part("operations")
  }

  /// A part of a database of that kind.
  func part(_ kind: String) throws(ServiceError) -> (database: DatabaseID, id: String) {
    guard segments.count == 6, segments[4] == kind else { throw Self.malformed(text) }
    return (try prefix(), String(segments[5]))
  }

  func location() throws(ServiceError) -> Text {
    guard segments.count == 4, segments[2] == "locations" else { throw Self.malformed(text) }
    return Text(String(segments[3]))
  }

  func backup() throws(ServiceError) -> (location: Text, id: String) {
    guard segments.count == 6, segments[2] == "locations", segments[4] == "backups" else {
      throw Self.malformed(text)
    }
    return (Text(String(segments[3])), String(segments[5]))
  }

  /// Clients name the database, or its operations.
  func parentOfOperations() throws(ServiceError) -> DatabaseID {
    guard segments.count == 4 || segments.count == 5 && segments[4] == "operations" else {
      throw Self.malformed(text)
    }
    return try prefix()
  }

  private func prefix() throws(ServiceError) -> DatabaseID {
    try DatabaseID(parsing: segments.prefix(4).joined(separator: "/"))
  }

  private static func malformed(_ text: String) -> ServiceError {
    .invalidArgument("Invalid resource name: \"\(text)\".")
  }
}

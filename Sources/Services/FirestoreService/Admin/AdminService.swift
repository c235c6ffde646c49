import Access
import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import FirestoreWire

/// `google.firestore.admin.v1` on the store: databases, indexes, fields and operations.
///
/// Operations have no life of their own: one is named for what it made, and looking it up looks at
/// that. Calls block.
struct AdminService {
  let permit: AdministratorPermit
  /// Nil where the server has no backup.
  let restorer: (any DatabaseRestorer)?

  /// Answers a call; what it names must exist.
  func perform(_ call: AdminCall) throws -> AdminResponse {
    switch call {
    case .listDatabases(let project):
      let listings = try permit.listDatabases().filter { $0.id.project == project }
      return .databases(listings.map(Google_Firestore_Admin_V1_Database.init))
    case .createDatabase(let id, let message): return try createDatabase(id, message)
    case .getDatabase(let id): return .database(.init(try listing(of: id)))
    case .updateDatabase(let id, let message, let mask):
      return try updateDatabase(id, message, mask)
    case .deleteDatabase(let id, let etag): return try deleteDatabase(id, etag: etag)
    case .bulkDeleteDocuments(let id, let collections):
      let deletion = try permit.database(id).startBulkDeletion(of: collections)
      return .operation(.init(deletion, in: id))
    case .listIndexes(let id, let group, let page): return try listIndexes(id, group, page)
    case .createIndex(let id, let group, let message):
      return try createIndex(message, group: group, in: id)
    case .getIndex(let id, let group, let name):
      return .index(.init(try index(name, group: group, in: id), in: id))
    case .deleteIndex(let id, let group, let name):
      _ = try index(name, group: group, in: id)
      try permit.database(id).deleteIndex(name)
      return .empty
    case .listFields(let id, let group, let page): return try listFields(id, group, page)
    case .getField(let id, let group, let path): return try field(path, group: group, in: id)
    case .updateField(let id, let group, let path, let message, let mask):
      return try updateField(path, message, mask, group: group, in: id)
    case .listOperations(let id, let page): return try listOperations(id, page)
    case .getOperation(let id, let name): return try operation(name, in: id)
    case .cloneDatabase(let id, let snapshot): return try clone(snapshot, as: id)
    case .restoreDatabase(let id, let backup): return try restore(backup, as: id)
    case .listBackups, .getBackup, .deleteBackup: return try performOnBackups(call)
    case .listBackupSchedules, .createBackupSchedule, .getBackupSchedule, .updateBackupSchedule,
      .deleteBackupSchedule:
      return try performOnSchedules(call)
    }
  }

  private func createDatabase(
    _ id: DatabaseID,
    _ message: Google_Firestore_Admin_V1_Database
  ) throws -> AdminResponse {
    guard message.type == .unspecified || message.type == .firestoreNative else {
      throw ServiceError.invalidArgument("Only databases of type FIRESTORE_NATIVE are supported.")
    }
    try Self.requireServed(message)
    try permit.createDatabase(id)
    if message.deleteProtectionState == .deleteProtectionEnabled { try permit.protect(id, true) }
    if message.pointInTimeRecoveryEnablement == .pointInTimeRecoveryEnabled {
      try permit.recoverPast(id, true)
    }
    return .operation(
      .init(
        name: "\(id.path)/operations/create",
        metadata: .createDatabase,
        outcome: .database(.init(try listing(of: id)))
      )
    )
  }

  /// Changes the protection of a database from deletion, and how long its history is kept.
  private func updateDatabase(
    _ id: DatabaseID,
    _ message: Google_Firestore_Admin_V1_Database,
    _ mask: [String]
  ) throws -> AdminResponse {
    let current = Google_Firestore_Admin_V1_Database(try listing(of: id))
    guard message.etag.isEmpty || message.etag == current.etag else {
      throw ServiceError(.aborted, "The etag does not match the database's.")
    }
    let recovery = "point_in_time_recovery_enablement"
    let protection = "delete_protection_state"
    // gcloud names the name, which stays.
    if let other = mask.first(where: { ![protection, recovery, "name"].contains($0) }) {
      throw ServiceError(.unimplemented, "\(other) of a database cannot be changed.")
    }
    try Self.requireServed(message)
    switch message.pointInTimeRecoveryEnablement {
    case .pointInTimeRecoveryEnabled where mask.isEmpty || mask.contains(recovery):
      try permit.recoverPast(id, true)
    case .pointInTimeRecoveryDisabled where mask.isEmpty || mask.contains(recovery):
      try permit.recoverPast(id, false)
    case .unspecified where mask.contains(recovery): try permit.recoverPast(id, false)
    default: break
    }
    switch message.deleteProtectionState {
    case .deleteProtectionEnabled where mask.isEmpty || mask.contains(protection):
      try permit.protect(id, true)
    case .deleteProtectionDisabled where mask.isEmpty || mask.contains(protection):
      try permit.protect(id, false)
    case .unspecified where mask.contains(protection): try permit.protect(id, false)
    default: break
    }
    return .operation(
      .init(
        name: "\(id.path)/operations/update",
        metadata: .updateDatabase,
        outcome: .database(.init(try listing(of: id)))
      )
    )
  }

  /// Throws UNIMPLEMENTED for a setting of a database that this server does not have.
  private static func requireServed(
    _ message: Google_Firestore_Admin_V1_Database
  ) throws(ServiceError) {
    guard message.cmekConfig.kmsKeyName.isEmpty else {
      throw ServiceError(.unimplemented, "Keys of a key management service are not supported.")
    }
  }

  private func deleteDatabase(_ id: DatabaseID, etag: String) throws -> AdminResponse {
    let listing = try listing(of: id)
    let current = Google_Firestore_Admin_V1_Database(listing)
    guard etag.isEmpty || etag == current.etag else {
      throw ServiceError(.aborted, "The etag does not match the database's.")
    }
    try permit.deleteDatabase(id)
    return .operation(
      .init(
        name: "\(id.path)/operations/delete",
        metadata: .deleteDatabase,
        outcome: .database(current)
      )
    )
  }

  func listing(of id: DatabaseID) throws -> DatabaseListing {
    guard let listing = try permit.listDatabases().first(where: { $0.id == id }) else {
      throw ServiceError(
        .notFound,
        "The database \(id.database.string) does not exist for project \(id.project.string)"
      )
    }
    return listing
  }

  // MARK: Indexes

  private func declared(_ id: DatabaseID) throws -> [DeclaredIndex] {
    try permit.database(id).indexes.current.listed
  }

  private func index(_ name: String, group: Text, in id: DatabaseID) throws -> DeclaredIndex {
    let found = try declared(id).first {
      $0.id == name && $0.definition.collectionID == group
    }
    guard let found else {
      throw ServiceError(.notFound, "Index \(name) does not exist.")
    }
    return found
  }

  private func listIndexes(
    _ id: DatabaseID,
    _ group: Text,
    _ page: AdminCall.Page
  ) throws -> AdminResponse {
    guard page.filter.isEmpty else { throw Self.unsupportedFilter }
    let all = try declared(id).filter { group == "-" || $0.definition.collectionID == group }
    let (shown, next) = try Self.slice(all, page)
    return .indexes(shown.map { .init($0, in: id) }, nextPageToken: next)
  }

  private func createIndex(
    _ message: Google_Firestore_Admin_V1_Index,
    group: Text,
    in id: DatabaseID
  ) throws -> AdminResponse {
    let definition = try IndexDefinition(message, collectionID: group)
    let index = try permit.database(id).declareIndex(definition)
    return .operation(Self.operation(of: index, in: id))
  }

  // MARK: Fields

  private func overrides(_ id: DatabaseID) throws -> [FieldOverride] {
    try permit.database(id).indexes.current.overrides
  }

  /// Lists the fields with overrides or a time to live, or those with a time to live alone; every client sends a filter that
  /// asks for one of the two.
  private func listFields(
    _ id: DatabaseID,
    _ group: Text,
    _ page: AdminCall.Page
  ) throws -> AdminResponse {
    // The Firebase CLI writes an equals sign for the colon.
    let filter = page.filter.replacing("=", with: ":")
    let isOfIndexes = filter.isEmpty || filter.contains("usesAncestorConfig:false")
    let isOfTimes = filter.isEmpty || filter.contains("ttlConfig:*")
    guard isOfIndexes || isOfTimes else { throw Self.unsupportedFilter }
    var paths = isOfIndexes ? try overrides(id).map { ($0.collectionID, $0.field) } : []
    if isOfTimes {
      for policy in try timesToLive(id)
      where !paths.contains(where: { $0 == (policy.collectionID, policy.field) }) {
        paths.append((policy.collectionID, policy.field))
      }
    }
    let (shown, next) = try Self.slice(paths.filter { group == "-" || $0.0 == group }, page)
    let fields = try shown.map { try shownField($0.1, group: $0.0, in: id) }
    return .fields(fields, nextPageToken: next)
  }

  private func timesToLive(_ id: DatabaseID) throws -> [TimeToLive] {
    try permit.database(id).indexes.current.timesToLive
  }

  private func field(_ path: String, group: Text, in id: DatabaseID) throws -> AdminResponse {
    .field(try shownField(try Self.fieldPath(path), group: group, in: id))
  }

  private static func fieldPath(_ text: String) throws -> FieldPath {
    text == "*" ? FieldOverride.anyField : try FieldPath(parsing: text)
  }

  /// A field with its own indexes, or with those that it has without, and its time to live.
  private func shownField(
    _ path: FieldPath,
    group: Text,
    in id: DatabaseID
  ) throws -> Google_Firestore_Admin_V1_Field {
    var field = try indexedField(path, group: group, in: id)
    let policy = try timesToLive(id).first { $0.collectionID == group && $0.field == path }
    if let policy {
      field.ttlConfig.state = policy.isActive ? .active : .creating
      if policy.offset > 0 { field.ttlConfig.expirationOffset.seconds = Int64(policy.offset) }
    }
    return field
  }

  private func indexedField(
    _ path: FieldPath,
    group: Text,
    in id: DatabaseID
  ) throws -> Google_Firestore_Admin_V1_Field {
    let own = try override(of: path, group: group, in: id)
    if let own { return .init(own, in: id) }
    // The one nearest to the field; that of any field is a prefix of every path.
    let ancestor = try overrides(id)
      .filter { $0.collectionID == group && $0.field.isPrefix(of: path) }
      .max { $0.field.segments.count < $1.field.segments.count }
    let inherited = FieldOverride(
      collectionID: group,
      field: path,
      indexes: ancestor?.indexes ?? SingleFieldIndex.defaults
    )
    var field = Google_Firestore_Admin_V1_Field(inherited, in: id)
    field.indexConfig.usesAncestorConfig = true
    field.indexConfig.ancestorField =
      ancestor.map { Google_Firestore_Admin_V1_Field($0, in: id).name }
      ?? "\(id.path)/collectionGroups/__default__/fields/*"
    return field
  }

  private func override(
    of path: FieldPath,
    group: Text,
    in id: DatabaseID
  ) throws -> FieldOverride? {
    try overrides(id).first { $0.collectionID == group && $0.field == path }
  }

  /// Gives a field exactly these indexes, or those that it has without a configuration, and a time to live or none: what the
  /// mask names.
  private func updateField(
    _ path: String,
    _ message: Google_Firestore_Admin_V1_Field,
    _ mask: [String],
    group: Text,
    in id: DatabaseID
  ) throws -> AdminResponse {
    if let other = mask.first(where: { $0 != "index_config" && $0 != "ttl_config" }) {
      throw ServiceError(
        .unimplemented,
        "Only the indexes and the time to live of a field can be changed, not \(other)."
      )
    }
    let offset = try TimeToLive.checkOffset(
      seconds: message.ttlConfig.expirationOffset.seconds,
      nanoseconds: Int(message.ttlConfig.expirationOffset.nanos)
    )
    let field = try Self.fieldPath(path)
    let indexes = try message.indexConfig.indexes.map { try SingleFieldIndex($0, of: field) }
    let database = try permit.database(id)
    if mask.contains("ttl_config") || mask.isEmpty && message.hasTtlConfig {
      try database.setTimeToLive(message.hasTtlConfig, offset: offset, field: field, of: group)
    }
    let isOfTimeAlone = message.hasTtlConfig && !message.hasIndexConfig
    if mask.contains("index_config") || mask.isEmpty && !isOfTimeAlone {
      try database.overrideField(
        field,
        of: group,
        indexes: message.hasIndexConfig ? Set(indexes) : nil
      )
    }
    return .operation(try operation(ofField: field, group: group, in: id))
  }

  // MARK: Operations

  private static let indexOperation = "index-"

  private static func operation(
    of index: DeclaredIndex,
    in id: DatabaseID
  ) -> AdminResponse.Operation {
    let message = Google_Firestore_Admin_V1_Index(index, in: id)
    var metadata = Google_Firestore_Admin_V1_IndexOperationMetadata()
    metadata.index = message.name
    let outcome: AdminResponse.Outcome
    switch index.state {
    case .ready: (metadata.state, outcome) = (.successful, .index(message))
    case .failed: (metadata.state, outcome) = (.failed, .failed(duplicated(index)))
    case .creating, .deleting: (metadata.state, outcome) = (.processing, .running)
    }
    return AdminResponse.Operation(
      name: "\(id.path)/operations/\(indexOperation)\(index.id)",
      metadata: .index(metadata),
      outcome: outcome
    )
  }

  private static func duplicated(_ index: DeclaredIndex) -> ServiceError {
    let fields = index.definition.fields.map(\.path.canonicalString).joined(separator: ", ")
    return ServiceError(
      .failedPrecondition,
      "Documents of \(index.definition.collectionID.string) have equal values, or values that are too long, for \(fields). "
        + "Delete the index, change those documents and declare the unique index again."
    )
  }

  private static let fieldOperation = "field-"

  /// Returns the operation of a change of a field's indexes; its name holds the field's.
  private func operation(
    ofField path: FieldPath,
    group: Text,
    in id: DatabaseID
  ) throws -> AdminResponse.Operation {
    let field = try shownField(path, group: group, in: id)
    let isChanging =
      try override(of: path, group: group, in: id)?.isChanging ?? false
      || field.ttlConfig.state == .creating
    var metadata = Google_Firestore_Admin_V1_FieldOperationMetadata()
    metadata.field = field.name
    metadata.state = isChanging ? .processing : .successful
    let name = Base64.url(Array("\(group)/\(FieldOverride.text(of: path))".utf8))
    return AdminResponse.Operation(
      name: "\(id.path)/operations/\(Self.fieldOperation)\(name)",
      metadata: .field(metadata),
      outcome: isChanging ? .running : .field(field)
    )
  }

  /// The operation of a field by its name; nil where it is none.
  private func operation(
    ofFieldNamed name: String,
    in id: DatabaseID
  ) throws -> AdminResponse.Operation? {
    guard name.hasPrefix(Self.fieldOperation),
      let bytes = Base64.decodeStrictly(name.dropFirst(Self.fieldOperation.count).utf8)
    else { return nil }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let path = try? Self.fieldPath(String(parts[1])) else { return nil }
    return try operation(ofField: path, group: Text(String(parts[0])), in: id)
  }

  private func listOperations(_ id: DatabaseID, _ page: AdminCall.Page) throws -> AdminResponse {
    guard page.filter.isEmpty else { throw Self.unsupportedFilter }
    let indexes = try declared(id).map { Self.operation(of: $0, in: id) }
    let changed =
      try overrides(id).map { ($0.collectionID, $0.field) }
      + timesToLive(id).map { ($0.collectionID, $0.field) }
    let fields = try changed.map { try operation(ofField: $0.1, group: $0.0, in: id) }
    let deletions = try permit.database(id).bulkDeletions().map {
      AdminResponse.Operation($0, in: id)
    }
    let copies = try permit.database(id).databaseCopy().map { [copyOperation($0, of: id)] } ?? []
    let (shown, next) = try Self.slice(indexes + fields + deletions + copies, page)
    return .operations(Array(shown), nextPageToken: next)
  }

  private func operation(_ name: String, in id: DatabaseID) throws -> AdminResponse {
    let database = try listing(of: id)
    if name == "create" || name == "update" {
      return .operation(
        .init(
          name: "\(id.path)/operations/\(name)",
          metadata: name == "create" ? .createDatabase : .updateDatabase,
          outcome: .database(.init(database))
        )
      )
    }
    if let field = try operation(ofFieldNamed: name, in: id) { return .operation(field) }
    if let copy = try permit.database(id).databaseCopy(), Self.name(of: copy) == name {
      return .operation(copyOperation(copy, of: id))
    }
    let deletion = try permit.database(id).bulkDeletions().first {
      AdminResponse.Operation.name(of: $0) == name
    }
    if let deletion { return .operation(.init(deletion, in: id)) }
    let known = try declared(id).first { Self.indexOperation + $0.id == name }
    guard let known else {
      throw ServiceError(.notFound, "Operation \(name) does not exist.")
    }
    return .operation(Self.operation(of: known, in: id))
  }

  // MARK: Pages

  static let unsupportedFilter = ServiceError.invalidArgument(
    "This filter is not supported."
  )

  /// A page of a list whose order is stable; the token is the number of elements before it.
  private static func slice<Element>(
    _ all: [Element],
    _ page: AdminCall.Page
  ) throws(ServiceError) -> (shown: ArraySlice<Element>, next: String) {
    let start = page.token.isEmpty ? 0 : Int(page.token)
    guard let start, start >= 0 else { throw .invalidArgument("Invalid page token.") }
    let size = page.size == 0 ? 1_000 : page.size
    let shown = all.dropFirst(start).prefix(size)
    let end = start + shown.count
    return (shown, end < all.count ? String(end) : "")
  }
}

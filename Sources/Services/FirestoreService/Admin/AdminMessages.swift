import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import FirestoreWire

// Between the store's index definitions and the messages of `google.firestore.admin.v1`.

extension IndexDefinition {
  /// The definition of a message; refuses indexes that this server does not support.
  init(
    _ message: Google_Firestore_Admin_V1_Index,
    collectionID: Text
  ) throws(ServiceError) {
    let scope = try IndexScope(message.queryScope)
    let parts = try message.fields.map { field throws(ServiceError) in try Self.part(field) }
    try self.init(
      collectionID: collectionID,
      scope: scope,
      parts: parts,
      isUnique: message.unique,
      density: try IndexDensity(message.density)
    )
  }

  private static func part(
    _ field: Google_Firestore_Admin_V1_Index.IndexField
  ) throws(ServiceError) -> IndexPart {
    let path =
      field.fieldPath == "__name__"
      ? FieldPath.documentName : try FieldPath(parsing: field.fieldPath)
    switch field.valueMode {
    case .order(.ascending): return .field(IndexedField(path, .ascending))
    case .order(.descending): return .field(IndexedField(path, .descending))
    case .arrayConfig(.contains): return .field(IndexedField(path, .contains))
    case .vectorConfig(let vector):
      guard case .flat = vector.type else { break }
      return .vector(VectorIndexField(path, dimension: Int(vector.dimension)))
    default: break
    }
    throw .invalidArgument(
      "field '\(field.fieldPath)' must have the order ASCENDING or DESCENDING, the array_config "
        + "CONTAINS, or a flat vector_config; other modes are not supported."
    )
  }
}

extension IndexScope {
  fileprivate init(
    _ scope: Google_Firestore_Admin_V1_Index.QueryScope
  ) throws(ServiceError) {
    switch scope {
    case .unspecified, .collection: self = .collection
    case .collectionGroup: self = .collectionGroup
    case .collectionRecursive, .UNRECOGNIZED:
      throw .invalidArgument("query_scope must be COLLECTION or COLLECTION_GROUP.")
    }
  }
}

extension IndexDensity {
  fileprivate init(
    _ density: Google_Firestore_Admin_V1_Index.Density
  ) throws(ServiceError) {
    switch density {
    case .unspecified, .sparseAll: self = .sparseAll
    case .sparseAny: self = .sparseAny
    case .dense: self = .dense
    case .UNRECOGNIZED:
      throw .invalidArgument("density must be SPARSE_ALL, SPARSE_ANY or DENSE.")
    }
  }

  fileprivate var message: Google_Firestore_Admin_V1_Index.Density {
    switch self {
    case .sparseAll: .sparseAll
    case .sparseAny: .sparseAny
    case .dense: .dense
    }
  }
}

extension SingleFieldIndex {
  /// An index of a field's configuration, which names that field or leaves its name out.
  init(
    _ message: Google_Firestore_Admin_V1_Index,
    of path: FieldPath
  ) throws(ServiceError) {
    let name = FieldOverride.text(of: path)
    guard let field = message.fields.first, message.fields.count == 1,
      field.fieldPath.isEmpty || field.fieldPath == name
    else { throw .invalidArgument("An index of the field \(name) must have that field alone.") }
    let mode: IndexFieldMode
    switch field.valueMode {
    case .order(.ascending): mode = .ascending
    case .order(.descending): mode = .descending
    case .arrayConfig(.contains): mode = .contains
    default:
      throw .invalidArgument(
        "An index of a single field must have the order ASCENDING or DESCENDING, or the array_config CONTAINS."
      )
    }
    self.init(try IndexScope(message.queryScope), mode)
  }
}

extension Google_Firestore_Admin_V1_Index {
  /// A declared index as the API shows it.
  init(_ index: DeclaredIndex, in database: DatabaseID) {
    self.init()
    let group = index.definition.collectionID.string
    name = "\(database.path)/collectionGroups/\(group)/indexes/\(index.id)"
    queryScope = index.definition.scope == .collection ? .collection : .collectionGroup
    fields = index.definition.listedFields.map(IndexField.init)
    if let vector = index.definition.vector { fields.append(IndexField(vector)) }
    unique = index.definition.isUnique
    if index.definition.density != .sparseAll { density = index.definition.density.message }
    state =
      switch index.state {
      case .ready: .ready
      case .failed: .needsRepair
      case .creating, .deleting: .creating
      }
  }

  /// One single-field index of an override.
  init(_ single: SingleFieldIndex, of field: FieldPath) {
    self.init()
    queryScope = single.scope == .collection ? .collection : .collectionGroup
    fields = [IndexField(IndexedField(field, single.mode))]
    state = .ready
  }
}

extension Google_Firestore_Admin_V1_Index.IndexField {
  fileprivate init(_ vector: VectorIndexField) {
    self.init()
    fieldPath = vector.path.canonicalString
    vectorConfig.dimension = Int32(vector.dimension)
    vectorConfig.flat = .init()
  }

  fileprivate init(_ field: IndexedField) {
    self.init()
    fieldPath = field.path.isDocumentName ? "__name__" : field.path.canonicalString
    switch field.mode {
    case .ascending: order = .ascending
    case .descending: order = .descending
    case .contains: arrayConfig = .contains
    }
  }
}

extension Google_Firestore_Admin_V1_Database {
  /// A database of this server: native mode, Standard edition, pessimistic.
  init(_ listing: DatabaseListing) {
    self.init()
    name = listing.id.path
    uid = String(listing.incarnation)
    type = .firestoreNative
    concurrencyMode = .pessimistic
    databaseEdition = .standard
    pointInTimeRecoveryEnablement =
      listing.recoversPast ? .pointInTimeRecoveryEnabled : .pointInTimeRecoveryDisabled
    setHistory(from: listing.earliestVersion, seconds: listing.retention / 1_000_000)
    deleteProtectionState =
      listing.isProtected ? .deleteProtectionEnabled : .deleteProtectionDisabled
    etag = String(listing.createTime.microseconds)
    setCreateTime(listing.createTime)
  }
}

extension Google_Firestore_Admin_V1_Field {
  /// A field with an override of its own.
  init(_ override: FieldOverride, in database: DatabaseID) {
    self.init()
    let group = override.collectionID.string
    let path =
      override.field == FieldOverride.anyField ? "*" : override.field.canonicalString
    name = "\(database.path)/collectionGroups/\(group)/fields/\(path)"
    indexConfig.indexes = override.indexes.sorted { "\($0)" < "\($1)" }.map {
      Google_Firestore_Admin_V1_Index($0, of: override.field)
    }
    indexConfig.reverting = override.isReverting
  }
}

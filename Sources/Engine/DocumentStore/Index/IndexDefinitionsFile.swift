import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel

/// The index definitions of a database as the Firebase CLI keeps them: `firestore.indexes.json`.
///
///     indexes[]        { collectionGroup, queryScope, unique, density, fields[] { fieldPath, order | arrayConfig
///                        | vectorConfig { dimension, flat {} } } }
///     fieldOverrides[] { collectionGroup, fieldPath, ttl, ttlOffset, indexes[] { queryScope, order | arrayConfig } }
///
/// A `density` of SPARSE_ALL is left out. Anything that is not supported is refused by the name of its member.
package struct IndexDefinitionsFile: Sendable, Hashable {
  /// The declared indexes of one field's override.
  package struct Override: Sendable, Hashable {
    /// The id of the collections that the override is for, `collectionGroup` in the file.
    package let collectionID: Text
    /// The overridden field; `FieldOverride.anyField` for `*`.
    package let field: FieldPath
    /// All single-field indexes of the field; empty exempts it from indexing.
    package let indexes: Set<SingleFieldIndex>
    /// True where documents are deleted once the field's time is past, false where they are not; nil, which is how a
    /// database without the policy shows it, leaves that as it is.
    package var expires: Bool?
    /// The seconds between the field's time and the end of its document, `ttlOffset` in the file; nil leaves those of a
    /// policy as they are.
    package var offset: UInt32?

    /// An exact list of a field's indexes, and whether and when its time ends documents.
    package init(
      collectionID: Text,
      field: FieldPath,
      indexes: Set<SingleFieldIndex>,
      expires: Bool? = nil,
      offset: UInt32? = nil
    ) {
      self.collectionID = collectionID
      self.field = field
      self.indexes = indexes
      self.expires = expires
      self.offset = offset
    }
  }

  /// Composite and vector indexes, in the order of the file.
  package var indexes: [IndexDefinition]
  /// Overrides of single-field indexes, in the order of the file.
  package var overrides: [Override]

  /// Definitions to print.
  package init(indexes: [IndexDefinition] = [], overrides: [Override] = []) {
    self.indexes = indexes
    self.overrides = overrides
  }

  /// Reads a file's text.
  package init(parsing text: String) throws(ServiceError) {
    self.init()
    let document = try JSONValue(parsing: text)
    for (name, value) in try Self.members(document, of: "the file") {
      switch name {
      case "indexes":
        for (index, element) in try Self.elements(value, "indexes").enumerated() {
          indexes.append(try Self.definition(element, "indexes[\(index)]"))
        }
      case "fieldOverrides":
        for (index, element) in try Self.elements(value, "fieldOverrides").enumerated() {
          overrides.append(try Self.override(element, "fieldOverrides[\(index)]"))
        }
      default: throw Self.unsupported(name)
      }
    }
  }

  /// The file's text; the same definitions give the same text.
  package var text: String {
    let document = JSONValue.object([
      .init("indexes", .array(indexes.map(Self.json))),
      .init("fieldOverrides", .array(overrides.map(Self.json))),
    ])
    return document.printed(flat: Self.isFlat) + "\n"
  }

  /// One declared index as a file has it.
  static func entry(_ definition: IndexDefinition) -> String {
    json(definition).printed { _ in true }
  }

  /// The override that adds an index to a field's defaults, as a file has it.
  static func entry(collectionID: Text, field: FieldPath, adding index: SingleFieldIndex) -> String
  {
    let override = Override(
      collectionID: collectionID,
      field: field,
      indexes: SingleFieldIndex.defaults.union([index])
    )
    return json(override).printed { _ in true }
  }
}

// Reading.
extension IndexDefinitionsFile {
  private static func definition(
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> IndexDefinition {
    var collectionID: Text?
    var scope = IndexScope.collection
    var parts: [IndexPart] = []
    var isUnique = false
    var density = IndexDensity.sparseAll
    for (name, value) in try members(value, of: location) {
      switch name {
      case "collectionGroup", "collectionId":
        collectionID = Text(try string(value, "\(location).\(name)"))
      case "queryScope": scope = try self.scope(value, "\(location).queryScope")
      case "fields":
        for (index, element) in try elements(value, "\(location).fields").enumerated() {
          parts.append(try part(element, "\(location).fields[\(index)]"))
        }
      case "density":
        let text = try string(value, "\(location).density")
        guard let known = IndexDensity(name: text) else {
          throw .invalidArgument("\(location).density: \"\(text)\" is not supported.")
        }
        density = known
      case "unique":
        guard case .boolean(let flag) = value else {
          throw .invalidArgument("\(location).unique must be true or false.")
        }
        isUnique = flag
      default: throw unsupported("\(location).\(name)")
      }
    }
    guard let collectionID else { throw missing("\(location).collectionGroup") }
    return try IndexDefinition(
      collectionID: collectionID,
      scope: scope,
      parts: parts,
      isUnique: isUnique,
      density: density
    )
  }

  private static func part(
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> IndexPart {
    var path: FieldPath?
    var mode: IndexFieldMode?
    var dimension: Int?
    for (name, value) in try members(value, of: location) {
      switch name {
      case "fieldPath":
        path = try FieldPath(parsing: try string(value, "\(location).fieldPath"))
      case "order", "mode", "arrayConfig":
        mode = try self.mode(name, value, "\(location).\(name)")
      case "vectorConfig": dimension = try self.dimension(value, "\(location).vectorConfig")
      default: throw unsupported("\(location).\(name)")
      }
    }
    guard let path else { throw missing("\(location).fieldPath") }
    switch (mode, dimension) {
    case (let mode?, nil): return .field(IndexedField(path, mode))
    case (nil, let dimension?): return .vector(VectorIndexField(path, dimension: dimension))
    case (nil, nil): throw missing("\(location).order")
    case (.some, .some):
      throw .invalidArgument("\(location) has both an order and a vectorConfig.")
    }
  }

  /// The dimension of a vector configuration, whose one kind is `flat`.
  private static func dimension(
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> Int {
    var dimension: Int?
    var isFlat = false
    for (name, value) in try members(value, of: location) {
      switch name {
      case "dimension":
        guard let number = value.integer.flatMap(Int.init(exactly:))
        else { throw .invalidArgument("\(location).dimension must be a number.") }
        dimension = number
      case "flat":
        guard try members(value, of: "\(location).flat").isEmpty
        else { throw unsupported("\(location).flat") }
        isFlat = true
      default: throw unsupported("\(location).\(name)")
      }
    }
    guard let dimension else { throw missing("\(location).dimension") }
    guard isFlat else { throw missing("\(location).flat") }
    return dimension
  }

  private static func override(
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> Override {
    var collectionID: Text?
    var path: FieldPath?
    var expires: Bool?
    var offset: UInt32?
    var indexes: Set<SingleFieldIndex>?
    for (name, value) in try members(value, of: location) {
      switch name {
      case "collectionGroup", "collectionId":
        collectionID = Text(try string(value, "\(location).\(name)"))
      case "fieldPath":
        let text = try string(value, "\(location).fieldPath")
        path = text == "*" ? FieldOverride.anyField : try FieldPath(parsing: text)
      case "ttl":
        guard case .boolean(let flag) = value else {
          throw .invalidArgument("\(location).ttl must be true or false.")
        }
        expires = flag
      case "ttlOffset": offset = try seconds(value, "\(location).ttlOffset")
      case "indexes":
        var list: Set<SingleFieldIndex> = []
        for (index, element) in try elements(value, "\(location).indexes").enumerated() {
          list.insert(try single(element, "\(location).indexes[\(index)]"))
        }
        indexes = list
      default: throw unsupported("\(location).\(name)")
      }
    }
    guard let collectionID else { throw missing("\(location).collectionGroup") }
    guard let path else { throw missing("\(location).fieldPath") }
    guard let indexes else { throw missing("\(location).indexes") }
    if expires == true {
      try TimeToLive.check(path)
    } else if offset != nil {
      throw .invalidArgument("\(location).ttlOffset needs \"ttl\": true.")
    }
    return Override(
      collectionID: collectionID,
      field: path,
      indexes: indexes,
      expires: expires,
      offset: offset
    )
  }

  /// A duration in whole seconds, as Google's JSON has it: "3600s".
  private static func seconds(
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> UInt32 {
    let text = try string(value, location)
    guard text.hasSuffix("s"), let seconds = UInt32(text.dropLast()),
      seconds <= TimeToLive.maximumOffset
    else {
      throw .invalidArgument(
        "\(location) must be whole seconds from \"0s\" to \"\(TimeToLive.maximumOffset)s\", not \"\(text)\"."
      )
    }
    return seconds
  }

  private static func single(
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> SingleFieldIndex {
    var scope = IndexScope.collection
    var mode: IndexFieldMode?
    for (name, value) in try members(value, of: location) {
      switch name {
      case "queryScope": scope = try self.scope(value, "\(location).queryScope")
      case "order", "arrayConfig": mode = try self.mode(name, value, "\(location).\(name)")
      default: throw unsupported("\(location).\(name)")
      }
    }
    guard let mode else { throw missing("\(location).order") }
    return SingleFieldIndex(scope, mode)
  }

  private static func mode(
    _ name: String,
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> IndexFieldMode {
    let text = try string(value, location)
    switch (name, text) {
    case ("order", "ASCENDING"), ("mode", "ASCENDING"): return .ascending
    case ("order", "DESCENDING"), ("mode", "DESCENDING"): return .descending
    case ("arrayConfig", "CONTAINS"), ("mode", "ARRAY_CONTAINS"): return .contains
    default: throw .invalidArgument("\(location): \"\(text)\" is not supported.")
    }
  }

  private static func scope(
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> IndexScope {
    switch try string(value, location) {
    case "COLLECTION": return .collection
    case "COLLECTION_GROUP": return .collectionGroup
    case let other: throw .invalidArgument("\(location): \"\(other)\" is not supported.")
    }
  }

  private static func members(
    _ value: JSONValue,
    of location: String
  ) throws(ServiceError) -> [(String, JSONValue)] {
    guard case .object(let members) = value
    else { throw .invalidArgument("\(location) must be an object.") }
    return members.map { ($0.key, $0.value) }
  }

  private static func elements(
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> [JSONValue] {
    guard case .array(let elements) = value
    else { throw .invalidArgument("\(location) must be a list.") }
    return elements
  }

  private static func string(
    _ value: JSONValue,
    _ location: String
  ) throws(ServiceError) -> String {
    guard case .string(let text) = value
    else { throw .invalidArgument("\(location) must be a string.") }
    return text
  }

  private static func unsupported(_ location: String) -> ServiceError {
    .invalidArgument("\(location) is not supported.")
  }

  private static func missing(_ location: String) -> ServiceError {
    .invalidArgument("\(location) is missing.")
  }
}

// Printing.
extension IndexDefinitionsFile {
  private static func json(_ definition: IndexDefinition) -> JSONValue {
    // The CLI leaves the name out where it follows the last field's direction.
    let last = definition.fields.last?.mode.direction ?? .ascending
    let fields = definition.nameDirection == last ? definition.fields : definition.listedFields
    let vector = definition.vector.map { [json($0)] } ?? []
    let list = fields.map { field in
      JSONValue.object([
        .init("fieldPath", .string(field.path.canonicalString)), json(field.mode),
      ])
    }
    var members: [JSONValue.Member] = [
      .init("collectionGroup", .string(definition.collectionID.string)),
      .init("queryScope", .string(name(definition.scope))),
    ]
    if definition.isUnique { members.append(.init("unique", .boolean(true))) }
    if definition.density != .sparseAll {
      members.append(.init("density", .string(definition.density.name)))
    }
    members.append(.init("fields", .array(list + vector)))
    return .object(members)
  }

  private static func json(_ vector: VectorIndexField) -> JSONValue {
    .object([
      .init("fieldPath", .string(vector.path.canonicalString)),
      .init(
        "vectorConfig",
        .object([.init("dimension", .integer(vector.dimension)), .init("flat", .object([]))])
      ),
    ])
  }

  private static func json(_ override: Override) -> JSONValue {
    let indexes = override.indexes.sorted { $0.sortKey < $1.sortKey }.map {
      JSONValue.object([json($0.mode), .init("queryScope", .string(name($0.scope)))])
    }
    var members: [JSONValue.Member] = [
      .init("collectionGroup", .string(override.collectionID.string)),
      .init("fieldPath", .string(FieldOverride.text(of: override.field))),
    ]
    if let expires = override.expires { members.append(.init("ttl", .boolean(expires))) }
    if let offset = override.offset, offset > 0 {
      members.append(.init("ttlOffset", .string("\(offset)s")))
    }
    members.append(.init("indexes", .array(indexes)))
    return .object(members)
  }

  private static func json(_ mode: IndexFieldMode) -> JSONValue.Member {
    switch mode {
    case .ascending: .init("order", .string("ASCENDING"))
    case .descending: .init("order", .string("DESCENDING"))
    case .contains: .init("arrayConfig", .string("CONTAINS"))
    }
  }

  private static func name(_ scope: IndexScope) -> String {
    scope == .collection ? "COLLECTION" : "COLLECTION_GROUP"
  }

  /// Fields of an index are one line each.
  private static func isFlat(_ value: JSONValue) -> Bool {
    guard case .object(let members) = value else { return false }
    return members.allSatisfy { if case .string = $0.value { true } else { false } }
  }
}

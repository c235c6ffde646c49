import BaseStatus
import BaseText
import FirestoreModel

/// The scope of the documents that an index holds; raw values are those of
/// `google.firestore.admin.v1`.
package enum IndexScope: UInt8, Sendable, Hashable, CaseIterable {
  /// One collection at a time, each in a range of its own.
  case collection = 1
  /// All collections of one id, in one range.
  case collectionGroup = 2
}

/// The documents that have an entry in an index, by the fields that they have; raw values are those of
/// `google.firestore.admin.v1`.
package enum IndexDensity: UInt8, Sendable, Hashable, CaseIterable {
  /// Documents that have all fields.
  case sparseAll = 1
  /// Documents that have one of the fields at least; `__name__` does not count.
  case sparseAny = 2
  /// All documents.
  case dense = 3

  /// The name in Google's API and in files.
  package var name: String {
    switch self {
    case .sparseAll: "SPARSE_ALL"
    case .sparseAny: "SPARSE_ANY"
    case .dense: "DENSE"
    }
  }

  /// The density of a name; nil for other texts.
  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// The way in which an index holds one field.
package enum IndexFieldMode: UInt8, Sendable, Hashable, CaseIterable {
  case ascending = 1
  case descending = 2
  /// One entry for each distinct element of an array.
  case contains = 3

  /// The order's mode.
  package init(_ direction: Order.Direction) {
    self = direction == .ascending ? .ascending : .descending
  }

  /// The direction in which the encoded value is written; elements are written ascending.
  package var direction: Order.Direction { self == .descending ? .descending : .ascending }
}

/// One field of a declared index.
package struct IndexedField: Sendable, Hashable {
  /// The field, at any depth; `__name__` only as the last one of a list that declares an index.
  package let path: FieldPath
  /// The direction of its values, or one entry for each array element.
  package let mode: IndexFieldMode

  /// A field in that mode.
  package init(_ path: FieldPath, _ mode: IndexFieldMode) {
    self.path = path
    self.mode = mode
  }
}

/// The vector field that ends an index for nearest-neighbour searches.
///
/// Searches look at every document that the query finds, so there are no entries for the vector: the
/// index serves the filters of searches on this field, and no other query.
package struct VectorIndexField: Sendable, Hashable {
  /// The field whose vectors are compared.
  package let path: FieldPath
  /// The number of components, 1 to 2,048; vectors of another dimension are no results.
  package let dimension: Int

  /// A field that holds vectors of that dimension.
  package init(_ path: FieldPath, dimension: Int) {
    self.path = path
    self.dimension = dimension
  }
}

/// One member of the list of fields that declares an index.
package enum IndexPart: Sendable, Hashable {
  case field(IndexedField)
  case vector(VectorIndexField)
}

/// A composite index as it is declared: the fields in order, then the document's name.
///
/// Two declarations that mean the same index are equal: the name's direction is kept apart and
/// follows the last field's where it is not given.
package struct IndexDefinition: Sendable, Hashable {
  /// The id of the collections that the index covers.
  package let collectionID: Text
  /// One collection, or all collections of the id.
  package let scope: IndexScope
  /// None of them `__name__`; empty only where the index holds the names descending, or a vector alone.
  package let fields: [IndexedField]
  /// The direction of the names among equal values.
  package let nameDirection: Order.Direction
  /// Nil for all but vector indexes.
  package let vector: VectorIndexField?
  /// True where no two documents with an entry may have equal values in all fields; a field that one lacks counts as null.
  package let isUnique: Bool
  /// The documents that have an entry.
  package let density: IndexDensity

  /// The most fields that one index may have.
  package static let maximumFields = 100

  /// Declares an index by the list of its parts; a vector must be the last.
  package init(
    collectionID: Text,
    scope: IndexScope,
    parts: [IndexPart],
    isUnique: Bool = false,
    density: IndexDensity = .sparseAll
  ) throws(ServiceError) {
    var fields: [IndexedField] = []
    var vector: VectorIndexField?
    for part in parts {
      if vector != nil { throw .invalidArgument("a vector field must be the last of an index") }
      switch part {
      case .field(let field): fields.append(field)
      case .vector(let field): vector = field
      }
    }
    try self.init(
      collectionID: collectionID,
      scope: scope,
      fields: fields,
      vector: vector,
      isUnique: isUnique,
      density: density
    )
  }

  /// Declares an index; `__name__`, if present, must be the last field.
  ///
  /// Refuses what Firestore refuses: no fields but an ascending name, a field twice, more than one array field, more than
  /// 100 fields.
  package init(
    collectionID: Text,
    scope: IndexScope,
    fields declared: [IndexedField],
    vector: VectorIndexField? = nil,
    isUnique: Bool = false,
    density: IndexDensity = .sparseAll
  ) throws(ServiceError) {
    var fields = declared
    var direction = Order.Direction.ascending
    if let last = fields.last, last.path.isDocumentName {
      guard last.mode != .contains else {
        throw .invalidArgument("field '__name__' cannot have an array configuration")
      }
      direction = last.mode.direction
      fields.removeLast()
    } else if let last = fields.last {
      direction = last.mode.direction
    }
    // In ascending order the documents themselves are that index.
    if fields.isEmpty, direction == .ascending, vector == nil {
      throw .invalidArgument("an index needs at least one field")
    }
    try Self.check(fields)
    if let vector { try Self.check(vector, beside: fields) }
    if isUnique {
      guard vector == nil, !fields.isEmpty, !fields.contains(where: { $0.mode == .contains }) else {
        throw .invalidArgument("a unique index must have fields with an order, and no others")
      }
    }
    if density != .sparseAll {
      guard vector == nil, !fields.isEmpty, !fields.contains(where: { $0.mode == .contains }) else {
        throw .invalidArgument(
          "an index with the density \(density.name) must have fields with an order, and no others"
        )
      }
    }
    self.density = density
    self.isUnique = isUnique
    self.vector = vector
    self.collectionID = collectionID
    self.scope = scope
    self.fields = fields
    nameDirection = direction
  }

  private static func check(_ fields: [IndexedField]) throws(ServiceError) {
    if fields.count > maximumFields {
      throw .invalidArgument("an index may not have more than \(maximumFields) fields")
    }
    // An array field may be there a second time as the value it is, to be sorted by.
    let sorted = fields.filter { $0.mode != .contains }
    if Set(sorted.map(\.path)).count < sorted.count {
      throw .invalidArgument("an index may not name a field twice")
    }
    if fields.count(where: { $0.mode == .contains }) > 1 {
      throw .invalidArgument("an index may not have more than one array field")
    }
    if fields.contains(where: \.path.isDocumentName) {
      throw .invalidArgument("field '__name__' must be the last field of an index")
    }
  }

  private static func check(
    _ vector: VectorIndexField,
    beside fields: [IndexedField]
  ) throws(ServiceError) {
    guard (1...Limits.vectorDimension).contains(vector.dimension) else {
      throw .invalidArgument("a vector field must have 1 to \(Limits.vectorDimension) dimensions")
    }
    if vector.path.isDocumentName || fields.contains(where: { $0.path == vector.path }) {
      throw .invalidArgument("an index may not name a field twice")
    }
  }

  /// True if documents have entries in it.
  package var hasEntries: Bool { vector == nil || !fields.isEmpty }

  /// The fields with the name behind them, as the admin API and the links list them.
  package var listedFields: [IndexedField] {
    fields + [IndexedField(.documentName, IndexFieldMode(nameDirection))]
  }
}

/// The state of an index, which says if queries may use it.
package enum IndexState: Sendable, Hashable {
  /// Commits maintain it; documents from before are still being added.
  case creating
  /// Complete for reads at this version and later.
  case ready(since: CommitVersion)
  /// Unique, but documents with equal values were there before: it checks nothing and serves no query until it is
  /// deleted and declared again.
  case failed
  /// No longer maintained; its entries are being erased.
  case deleting

  /// Returns true if a read at `version` may rely on the index.
  package func isUsable(at version: CommitVersion) -> Bool {
    if case .ready(let since) = self { return since <= version }
    return false
  }

  /// True if every document has the entries that commits keep.
  var isBuilt: Bool {
    switch self {
    case .ready, .deleting: true
    case .creating, .failed: false
    }
  }

  /// True if commits keep its entries up to date.
  package var isMaintained: Bool { self != .deleting }
}

/// The purpose of an index.
package enum IndexPurpose: Sendable, Hashable {
  /// Queries use it, and lists of indexes have it.
  case queries
  /// It finds documents whose time to live is over, that many seconds after the time in the field. No query and no list
  /// of indexes sees it.
  case timeToLive(offset: UInt32)

  /// The seconds between a field's time and the end of its document; nil where the index is for queries.
  var expirationOffset: UInt32? {
    if case .timeToLive(let offset) = self { return offset }
    return nil
  }
}

/// A declared index of one database.
package struct DeclaredIndex: Sendable, Hashable {
  /// Part of its keys; never used again after a deletion.
  package let number: UInt32
  /// The fields, scope and collection id.
  package let definition: IndexDefinition
  /// The progress of its entries, from building to deleting.
  package var state: IndexState
  /// The reader of its entries.
  package var purpose: IndexPurpose

  /// An index under its number.
  package init(
    number: UInt32,
    definition: IndexDefinition,
    state: IndexState,
    purpose: IndexPurpose = .queries
  ) {
    self.number = number
    self.definition = definition
    self.state = state
    self.purpose = purpose
  }

  /// True for an index that queries may use once it is ready, and that lists show.
  package var isListed: Bool { purpose == .queries && state.isMaintained }

  /// The id that the admin API and links show.
  package var id: String { Self.id(of: number) }

  /// The id of the index of a number.
  static func id(of number: UInt32) -> String {
    "CICAg\(String(number, radix: 36, uppercase: true))"
  }
}

import BaseStatus
import BaseText
import FirestoreModel

/// One database's index definitions at one moment: what commits maintain and queries may use.
package struct IndexSet: Sendable {
  /// Two pictures of one database are the same exactly if this is.
  package let generation: UInt64
  /// The life of the database that the definitions belong to.
  package let incarnation: Incarnation
  /// The declared indexes by number.
  package let declared: [DeclaredIndex]
  /// Overrides of single-field indexes, including those on their way back.
  package let overrides: [FieldOverride]
  /// Versions before which some automatic entries are incomplete.
  let floors: [IndexFloor]
  /// The greatest number that a declared index ever had.
  let lastNumber: UInt32

  /// True if every document has all its entries: none are being built, and no index failed.
  let isBuilt: Bool

  private let rules: [Text: CollectionIndexRules]
  private let maintainers: [Text: [any IndexMaintainer]]
  private let defaultRules: CollectionIndexRules
  private let defaultMaintainers: [any IndexMaintainer]

  /// A picture of some definitions.
  package init(
    generation: UInt64,
    incarnation: Incarnation,
    declared: [DeclaredIndex] = [],
    overrides: [FieldOverride] = [],
    floors: [IndexFloor] = [],
    lastNumber: UInt32 = 0
  ) {
    self.generation = generation
    self.incarnation = incarnation
    self.declared = declared.sorted { $0.number < $1.number }
    self.overrides = overrides
    self.floors = floors
    self.lastNumber = max(lastNumber, declared.map(\.number).max() ?? 0)
    isBuilt =
      declared.allSatisfy(\.state.isBuilt)
      && overrides.allSatisfy { $0.states.values.allSatisfy(\.isBuilt) }
    let ids = Set(declared.map(\.definition.collectionID) + overrides.map(\.collectionID))
    var rules: [Text: CollectionIndexRules] = [:]
    for id in ids {
      rules[id] = CollectionIndexRules(
        incarnation: incarnation,
        declared: declared.filter { $0.definition.collectionID == id },
        overrides: overrides.filter { $0.collectionID == id }
      )
    }
    self.rules = rules
    maintainers = rules.mapValues(IndexMaintainers.make)
    defaultRules = CollectionIndexRules(incarnation: incarnation, declared: [], overrides: [])
    defaultMaintainers = IndexMaintainers.make(for: defaultRules)
  }

  /// All entries of a document that is to be stored; throws Firestore's refusal where they exceed its limits.
  package func allowedEntries(
    of path: ResourcePath,
    fields: DocumentFields
  ) throws(ServiceError) -> [IndexEntry] {
    let entries = entries(of: path, fields: fields)
    try IndexEntryLimits(self, path: path).check(entries)
    return entries
  }

  /// All entries of a document, sorted by key, each key once.
  ///
  /// One that is stored may have more than may be written now: an index can have been declared since.
  package func entries(of path: ResourcePath, fields: DocumentFields) -> [IndexEntry] {
    let document = IndexedDocument(path: path, fields: fields)
    let id = document.collection.lastID ?? ""
    var entries: [IndexEntry] = []
    entries.reserveCapacity(document.values.count + 4)
    for maintainer in maintainers[id] ?? defaultMaintainers {
      maintainer.addEntries(of: document, to: &entries)
    }
    entries.sort { $0.key.precedes($1.key) }
    return entries
  }

  /// Returns the index rules for the collections of an id.
  func rules(for collectionID: Text) -> CollectionIndexRules { rules[collectionID] ?? defaultRules }

  /// The override of exactly that field; nil without one.
  package func override(of field: FieldPath, collectionID: Text) -> FieldOverride? {
    overrides.first { $0.field == field && $0.collectionID == collectionID }
  }

  /// The declared indexes that queries of a collection id in a scope may use.
  package func declared(collectionID: Text, scope: IndexScope) -> [DeclaredIndex] {
    rules[collectionID]?.declared.filter {
      $0.definition.scope == scope && $0.purpose == .queries
    } ?? []
  }

  /// The declared indexes as lists show them: those that are kept for queries.
  package var listed: [DeclaredIndex] { declared.filter(\.isListed) }

  /// Returns the state of a field's index, which says if queries may use it; nil if there is none.
  package func state(
    of index: SingleFieldIndex,
    field: FieldPath,
    collectionID: Text
  ) -> IndexState? {
    var state = IndexState.ready(since: .zero)
    if let override = rules(for: collectionID).override(for: field) {
      guard let own = override.state(of: index) else { return nil }
      state = own
    } else if !SingleFieldIndex.defaults.contains(index) {
      return nil
    }
    guard !floors.isEmpty, case .ready(var since) = state else { return state }
    for floor in floors
    where floor.collectionID == collectionID && floor.concerns(field, index.storage) {
      since = max(since, floor.since)
    }
    return .ready(since: since)
  }
}

import FirestoreModel

// Indexes: made when asked for, filled in steps, kept by every change of a document, and asked by queries.

extension LocalCache {
  /// The number of documents that one step of filling takes.
  private static let fillStep = 200
  /// A query that reads no more documents than this needs no index.
  private static let leastScan = 100
  /// The number of documents that a query reads for each result before it gets an index.
  private static let greatestRatio = 3

  // MARK: Definitions

  /// The indexes of the store; a transaction that fails has them read again.
  func fieldIndexes() throws -> [FieldIndex] {
    if let knownIndexes { return knownIndexes }
    let indexes = try store.fieldIndexes()
    knownIndexes = indexes
    return indexes
  }

  /// Makes the indexes the ones of a configuration: others go, and new ones are to be filled.
  func configureIndexes(_ definitions: [FieldIndex.Definition]) throws {
    try transaction(.configureIndexes) {
      let present = try fieldIndexes()
      for index in present where !definitions.contains(index.definition) {
        try store.removeFieldIndex(index.id)
      }
      knownIndexes = nil
      let kept = Set(present.map(\.definition))
      var added: Set<FieldIndex.Definition> = []
      for definition in definitions
      where !kept.contains(definition) && added.insert(definition).inserted {
        try add(definition)
      }
      _ = try fieldIndexes()
    }
  }

  private func add(_ definition: FieldIndex.Definition) throws {
    let last = try store.fieldIndexes().map(\.id).max() ?? 0
    try store.save(
      FieldIndex(id: last + 1, definition: definition, progress: .building(after: nil))
    )
    knownIndexes = nil
  }

  /// Returns true if an index lacks entries.
  func hasUnfinishedIndexes() -> Bool {
    (knownIndexes ?? []).contains { $0.progress != .complete }
  }

  // MARK: Filling

  /// Gives the next documents their entries in the first index that is not complete.
  func fillIndexes() throws {
    try transaction(.fillIndexes) {
      guard var index = try fieldIndexes().first(where: { $0.progress != .complete }),
        case .building(let position) = index.progress
      else { return }
      var documents: [CachedDocument] = []
      for collection in try store.collections(withID: index.definition.collectionID).sorted() {
        let isStarted = position.map { collection == $0.parent } ?? false
        if let position, !isStarted, collection < position.parent { continue }
        documents += try store.documents(
          in: collection,
          after: isStarted ? position : nil,
          limit: Self.fillStep - documents.count
        )
        if documents.count >= Self.fillStep { break }
      }
      for document in documents { try store.setEntries(of: document, in: index) }
      index.progress = documents.last.map { .building(after: $0.path) } ?? .complete
      try store.save(index)
      knownIndexes = nil
      _ = try fieldIndexes()
    }
  }

  // MARK: Changes of documents

  /// Saves documents with their entries.
  func saveDocuments(_ documents: [CachedDocument]) throws {
    try store.save(documents)
    let indexes = try fieldIndexes()
    if indexes.isEmpty { return }
    for document in documents {
      for index in indexes where index.definition.collectionID == document.path.parent.lastID {
        try store.setEntries(of: document, in: index)
      }
    }
  }

  /// Removes documents with their entries.
  func removeDocuments(_ paths: some Collection<ResourcePath>) throws {
    try store.removeDocuments(paths)
    for index in try fieldIndexes() {
      for path in paths where path.parent.lastID == index.definition.collectionID {
        try store.setEntries([], of: path, in: index.id)
      }
    }
  }

  // MARK: Queries

  /// The results of a query by indexes; nil where one of its alternatives has none.
  func indexedResults(_ query: ListenQuery) throws -> Documents? {
    guard let normalized = query.normalized, let id = normalized.collectionID else { return nil }
    let indexes = try fieldIndexes().filter {
      $0.definition.collectionID == id && $0.progress == .complete
    }
    if indexes.isEmpty { return nil }
    var lookups: [IndexLookup] = []
    for conditions in normalized.disjuncts {
      guard let lookup = IndexLookup.best(normalized, conditions, among: indexes) else {
        return nil
      }
      lookups.append(lookup)
    }
    var found: Documents = [:]
    let collections = try collections(of: query)
    for collection in collections {
      let pending = try store.overlays(in: collection, user: user)
      if collections.count == 1, lookups.count == 1, query.limit != nil {
        try find(query, lookups[0], in: collection, but: pending, &found)
      } else {
        try find(query, lookups, in: collection, but: pending, &found)
      }
      for (path, document) in try views(of: pending.keys) where query.matches(document) {
        found[path] = document
      }
    }
    return found
  }

  /// Adds the matches of all lookups in a collection.
  private func find(
    _ query: ListenQuery,
    _ lookups: [IndexLookup],
    in collection: ResourcePath,
    but pending: [ResourcePath: Overlay],
    _ found: inout Documents
  ) throws {
    var paths: Set<ResourcePath> = []
    for lookup in lookups {
      try store.forEachEntry(lookup.index.id, collection, lookup.range, isReversed: false) { path in
        if pending[path] == nil { paths.insert(path) }
        return true
      }
    }
    for (path, document) in try store.documents(paths) where query.matches(document) {
      found[path] = document
    }
  }

  /// Adds the matches of a lookup, as many as the query's limit wants where they come in its order.
  private func find(
    _ query: ListenQuery,
    _ lookup: IndexLookup,
    in collection: ResourcePath,
    but pending: [ResourcePath: Overlay],
    _ found: inout Documents
  ) throws {
    guard let limit = query.limit, lookup.walk != .unordered else {
      return try find(query, [lookup], in: collection, but: pending, &found)
    }
    var matches: Documents = [:]
    try store.forEachEntry(
      lookup.index.id,
      collection,
      lookup.range,
      isReversed: (lookup.walk == .backward) != (query.limitType == .last)
    ) { path in
      guard matches.count < limit else { return false }
      guard pending[path] == nil, let document = try store.documents([path])[path],
        query.matches(document)
      else { return true }
      matches[path] = document
      return matches.count < limit
    }
    found.merge(matches) { _, new in new }
  }

  // MARK: Indexes that queries get by themselves

  /// Makes indexes for a query that read many documents for few results, where that is wanted.
  func considerIndexes(for query: ListenQuery, scanned: Int, found: Int) throws {
    guard makesIndexes, scanned > Self.leastScan, scanned > found * Self.greatestRatio,
      let normalized = query.normalized
    else { return }
    let present = Set(try fieldIndexes().map(\.definition))
    for conditions in normalized.disjuncts {
      guard let definition = FieldIndex.Definition(for: normalized, conditions),
        !present.contains(definition)
      else { continue }
      try add(definition)
    }
    _ = try fieldIndexes()
  }
}

extension LocalStore {
  /// Puts a document's entries in the place of its earlier ones.
  fileprivate func setEntries(of document: CachedDocument, in index: FieldIndex) throws {
    try setEntries(index.definition.keys(of: document), of: document.path, in: index.id)
  }
}

extension FieldIndex.Definition {
  /// The index that serves one of a query's alternatives best: the fields with one value, then those that order.
  fileprivate init?(for query: NormalizedQuery, _ conditions: [Condition]) {
    guard let id = query.collectionID else { return nil }
    var fields: [FieldIndex.Field] = []
    for condition in conditions.sorted(by: { $0.field < $1.field }) {
      let isContained = if case .arrayContains = condition.test { true } else { false }
      let isKnown = fields.contains {
        $0.path == condition.field || (isContained && $0.kind == .contains)
      }
      guard !isKnown, !condition.field.isDocumentName else { continue }
      if isContained {
        fields.append(FieldIndex.Field(condition.field, .contains))
      } else if condition.equalValue != nil {
        fields.append(FieldIndex.Field(condition.field, .ascending))
      }
    }
    for order in query.orders where !order.field.isDocumentName {
      if fields.contains(where: { $0.path == order.field }) { continue }
      fields.append(
        FieldIndex.Field(order.field, order.direction == .ascending ? .ascending : .descending)
      )
    }
    self.init(id, fields)
  }
}

import FirestoreModel
import KeyValueStore

/// Does one index task in bounded steps, each a group of its own that also keeps how far it came.
///
/// Building puts the entries that commits have not put already: an entry that is there is right,
/// because commits keep the index since its definition. A built entry carries its document's update
/// version; the index serves reads only from the version at which it became ready. Steps may be
/// repeated, so a restart goes on behind the last durable one.
struct IndexBuilder {
  let database: Database
  /// Documents that one step reads at most.
  var documentBudget = 100
  /// Entries that one step writes or erases at most.
  var entryBudget = 2_000

  private var incarnation: Incarnation { database.incarnation }

  /// Does one step of the first task there is and answers whether there is more to do.
  func step() throws -> Bool {
    guard !database.isRetired, IndexTask(database.indexes.current) != nil else { return false }
    let done = try database.engine.write { group -> IndexTask? in
      guard !database.isRetired, let task = IndexTask(database.indexes.current) else { return nil }
      let key = IndexStorage.progressKey(task, incarnation)
      if let next = try advance(task, from: try group.get(key) ?? [], in: group) {
        try group.put(key, next)
        return nil
      }
      return task
    }
    if let done {
      try database.changeIndexes { draft, group in
        try group.delete(IndexStorage.progressKey(done, incarnation))
        let version = CommitVersion(microseconds: try group.allocateVersion())
        draft.finish(done, at: version)
        let oldest = version.microseconds - database.configuration.retention
        draft.forgetFloors(before: CommitVersion(microseconds: oldest))
      }
    }
    return IndexTask(database.indexes.current) != nil
  }

  /// Does a part of a task; the position to go on from, nil when it is done.
  private func advance(
    _ task: IndexTask,
    from position: [UInt8],
    in group: any KeyValueGroup
  ) throws -> [UInt8]? {
    let set = database.indexes.current
    switch task {
    case .buildDeclared(let number):
      guard let index = set.declared.first(where: { $0.number == number }) else { return nil }
      let id = index.definition.collectionID
      let rules = set.rules(for: id)
      return try build(id, [DeclaredMaintainer(rules, index)], from: position, in: group)
    case .buildAutomatic(let id, let field, let kind):
      return try buildAutomatic(id, field, kind, from: position, in: group)
    case .eraseDeclared(let number):
      return try eraseDeclared(number, from: position, in: group)
    case .eraseAutomatic(let id, let field, let kind):
      return try eraseAutomatic(id, field, kind, from: position, in: group)
    }
  }
}

// Building.
extension IndexBuilder {
  private func build(
    _ collectionID: Text,
    _ maintainers: [any IndexMaintainer],
    from position: [UInt8],
    in group: any KeyValueGroup
  ) throws -> [UInt8]? {
    let walk = CollectionIDWalk(collectionID, in: incarnation, reader: group)
    var added: [(IndexEntry, CommitVersion)] = []
    let next = try walk.forEachDocument(from: position, budget: documentBudget) { path, stored in
      let document = IndexedDocument(path: path, fields: stored.fields)
      var entries: [IndexEntry] = []
      for maintainer in maintainers { maintainer.addEntries(of: document, to: &entries) }
      added += entries.map { ($0, stored.updateTime) }
    }
    for (entry, version) in added where try group.get(entry.key) == nil {
      try group.put(entry.key, IndexEntryCoding.value(version: version, tags: entry.tags))
    }
    return next
  }

  /// First erases what an earlier change may have left, then adds what is missing; the position's
  /// first byte tells which.
  private func buildAutomatic(
    _ collectionID: Text,
    _ field: FieldPath,
    _ kind: AutomaticIndexKind,
    from position: [UInt8],
    in group: any KeyValueGroup
  ) throws -> [UInt8]? {
    let erasing: [UInt8] = [0]
    let adding: [UInt8] = [1]
    let rest = Array(position.dropFirst())
    guard position.starts(with: adding) else {
      let next = try eraseAutomatic(collectionID, field, kind, from: rest, in: group)
      return next.map { erasing + $0 } ?? adding
    }
    let maintainer = maintainer(collectionID, field, kind)
    return try build(collectionID, [maintainer], from: rest, in: group).map { adding + $0 }
  }

  /// Computes one field's entries of one kind.
  private func maintainer(
    _ collectionID: Text,
    _ field: FieldPath,
    _ kind: AutomaticIndexKind
  ) -> any IndexMaintainer {
    let rules = database.indexes.current.rules(for: collectionID).restricted(to: field, kind)
    return kind.elements ? ElementMaintainer(rules) : ValueMaintainer(rules)
  }
}

// Erasing.
extension IndexBuilder {
  /// Erases keys below a prefix from a position on; where to go on, relative to the prefix.
  private func erase(
    below prefix: [UInt8],
    from position: [UInt8],
    budget: inout Int,
    in group: any KeyValueGroup,
    where isOver: (AutomaticEntry) throws -> Bool
  ) throws -> [UInt8]? {
    let range = PositionRange(lower: position).keys(below: prefix)
    let cursor = try group.cursor(over: range, reversed: false)
    var over: [[UInt8]] = []
    var next: [UInt8]?
    while try cursor.next() {
      if budget <= 0 {
        next = Array(cursor.key.dropFirst(prefix.count))
        break
      }
      budget -= 1
      if try isOver(AutomaticEntry(key: cursor.key, value: cursor.value)) {
        over.append(Array(cursor.key))
      }
    }
    for key in over { try group.delete(key) }
    return next
  }

  private func eraseDeclared(
    _ number: UInt32,
    from position: [UInt8],
    in group: any KeyValueGroup
  ) throws -> [UInt8]? {
    let prefix = IndexKey.declaredPrefix(incarnation: incarnation, number: number)
    var budget = entryBudget
    return try erase(below: prefix, from: position, budget: &budget, in: group) { _ in true }
  }

  /// Erases a field's entries of one kind in every collection of the id, or in the group.
  private func eraseAutomatic(
    _ collectionID: Text,
    _ field: FieldPath,
    _ kind: AutomaticIndexKind,
    from position: [UInt8],
    in group: any KeyValueGroup
  ) throws -> [UInt8]? {
    var budget = entryBudget
    if kind.scope == .collectionGroup {
      let collection = ResourcePath([collectionID])
      return try eraseField(field, kind, collection, position, &budget, group)
    }
    let walk = CollectionIDWalk(collectionID, in: incarnation, reader: group)
    return try walk.forEachCollection(from: position, budget: &budget) {
      collection,
      start,
      budget in
      try eraseField(field, kind, collection, start, &budget, group)
    }
  }

  /// The same in one place; entries whose field is ruled by another override stay.
  private func eraseField(
    _ field: FieldPath,
    _ kind: AutomaticIndexKind,
    _ collection: ResourcePath,
    _ position: [UInt8],
    _ budget: inout Int,
    _ group: any KeyValueGroup
  ) throws -> [UInt8]? {
    let place = IndexKey.automaticPrefix(
      incarnation: incarnation,
      kind: kind,
      collection: collection
    )
    let rules = database.indexes.current.rules(for: collection.lastID ?? "")
    let names = field == FieldOverride.anyField ? [] : CollectionIndexRules.names(field)
    let maintainer = maintainer(collection.lastID ?? "", field, kind)
    return try erase(below: place + names, from: position, budget: &budget, in: group) { entry in
      guard let parts = entry.parts(behind: place.count, kind.scope, collection),
        let ruling = rules.override(for: parts.field), ruling.field == field
      else { return false }
      guard ruling.storage.contains(kind) else { return true }
      return try !holds(entry.key, maintainer, parts.path, group)
    }
  }

  /// Whether a document has an entry.
  private func holds(
    _ key: UnsafeRawBufferPointer,
    _ maintainer: any IndexMaintainer,
    _ path: ResourcePath,
    _ group: any KeyValueGroup
  ) throws -> Bool {
    let document = try group.get(DocumentKey(path, in: incarnation).bytes, as: .document)
    guard let fields = document?.fields else { return false }
    var entries: [IndexEntry] = []
    maintainer.addEntries(of: IndexedDocument(path: path, fields: fields), to: &entries)
    return entries.contains { $0.key.elementsEqual(key) }
  }
}

/// A stored automatic entry, taken apart.
private struct AutomaticEntry {
  let key: UnsafeRawBufferPointer
  let value: UnsafeRawBufferPointer

  /// The field and the document, behind the key's place; nil for a malformed key.
  func parts(
    behind place: Int,
    _ scope: IndexScope,
    _ collection: ResourcePath
  ) -> (field: FieldPath, path: ResourcePath)? {
    let rest = UnsafeRawBufferPointer(rebasing: key.dropFirst(place))
    let tag = IndexEntryCoding.tags(ofValue: value).first.map { ValueTag(rawValue: $0) } ?? .exact
    var offset = 0
    guard let names = SegmentEncoding.decodePath(rest, at: &offset),
      OrderedEncoding.skip(rest, at: &offset, tag: tag)
    else { return nil }
    let name = UnsafeRawBufferPointer(rebasing: rest[offset...])
    let space = NameSpace(collection: scope == .collection ? collection : nil)
    return space.path(ofName: name).map { (FieldPath(names.segments), $0) }
  }
}

extension Database {
  /// Does one step of building or erasing indexes and answers whether there is more to do at once.
  package func performIndexMaintenance() throws -> Bool { try IndexBuilder(database: self).step() }
}

import BaseText
import FirestoreModel
import KeyValueStore

/// Computes in a view the writes of one bounded step of an index task.
struct IndexSlicer {
  let incarnation: Incarnation
  let set: IndexSet
  let reader: any KeyValueReader
  /// Documents that a step reads at most.
  let documentBudget: Int
  /// Entries that a step looks at for erasing at most.
  let entryBudget: Int

  /// The task's next slice; nil where the view does not hold the definitions yet.
  func slice(of task: IndexTask) throws -> IndexSlice? {
    guard try IndexStorage.generation(incarnation, reader) == set.generation else { return nil }
    let position = try reader.get(IndexStorage.progressKey(task, incarnation)) ?? []
    var slice = IndexSlice(task: task, set: set, position: position)
    slice.next = try advance(task, from: position, &slice)
    return slice
  }

  /// Does a part of a task; returns the position to continue from, nil when it is done.
  private func advance(
    _ task: IndexTask,
    from position: [UInt8],
    _ slice: inout IndexSlice
  ) throws -> [UInt8]? {
    switch task {
    case .buildDeclared(let number):
      guard let index = set.declared.first(where: { $0.number == number }) else { return nil }
      return try build(index.definition.collectionID, task, from: position, &slice)
    case .buildAutomatic(let id, let field, let kind):
      return try buildAutomatic(task, id, field, kind, from: position, &slice)
    case .eraseDeclared(let number):
      return try eraseDeclared(number, from: position, &slice)
    case .eraseAutomatic(let id, let field, let kind):
      return try eraseAutomatic(id, field, kind, from: position, &slice)
    }
  }
}

// Building.
extension IndexSlicer {
  private func build(
    _ collectionID: Text,
    _ task: IndexTask,
    from position: [UInt8],
    _ slice: inout IndexSlice
  ) throws -> [UInt8]? {
    guard let maintainer = task.maintainer(for: collectionID, in: set) else { return nil }
    let walk = CollectionIDWalk(collectionID, in: incarnation, reader: reader)
    return try walk.forEachDocument(from: position, budget: documentBudget) { path, stored in
      var entries: [IndexEntry] = []
      maintainer.addEntries(of: IndexedDocument(path: path, fields: stored.fields), to: &entries)
      let known = try reader.get(entries.map(\.key))
      let missing = try zip(entries, known).filter { try $1.get() == nil }.map(\.0)
      guard !missing.isEmpty else { return }
      slice.additions.append(
        IndexSlice.Addition(path: path, version: stored.updateTime, entries: missing)
      )
    }
  }

  /// First erases the possible remains of an earlier change, then adds the missing entries; the
  /// position's first byte shows the phase.
  private func buildAutomatic(
    _ task: IndexTask,
    _ collectionID: Text,
    _ field: FieldPath,
    _ kind: AutomaticIndexKind,
    from position: [UInt8],
    _ slice: inout IndexSlice
  ) throws -> [UInt8]? {
    let erasing: [UInt8] = [0]
    let adding: [UInt8] = [1]
    let rest = Array(position.dropFirst())
    guard position.starts(with: adding) else {
      let next = try eraseAutomatic(collectionID, field, kind, from: rest, &slice)
      return next.map { erasing + $0 } ?? adding
    }
    return try build(collectionID, task, from: rest, &slice).map { adding + $0 }
  }
}

// Erasing.
extension IndexSlicer {
  /// The decision on an entry.
  private enum Verdict {
    case stays
    case goes
    /// The document does not have it.
    case goesUnlessWritten(ResourcePath)
  }

  /// Erases keys below a prefix from a position on; returns the position to continue from, relative
  /// to the prefix.
  private func erase(
    below prefix: [UInt8],
    from position: [UInt8],
    budget: inout Int,
    _ slice: inout IndexSlice,
    verdict: (AutomaticEntry) throws -> Verdict
  ) throws -> [UInt8]? {
    let range = PositionRange(lower: position).keys(below: prefix)
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      if budget <= 0 { return Array(cursor.key.dropFirst(prefix.count)) }
      budget -= 1
      switch try verdict(AutomaticEntry(key: cursor.key, value: cursor.value)) {
      case .stays: continue
      case .goes: slice.removals.append(.init(key: Array(cursor.key), path: nil))
      case .goesUnlessWritten(let path):
        slice.removals.append(.init(key: Array(cursor.key), path: path))
      }
    }
    return nil
  }

  private func eraseDeclared(
    _ number: UInt32,
    from position: [UInt8],
    _ slice: inout IndexSlice
  ) throws -> [UInt8]? {
    let prefix = IndexKey.declaredPrefix(incarnation: incarnation, number: number)
    var budget = entryBudget
    return try erase(below: prefix, from: position, budget: &budget, &slice) { _ in .goes }
  }

  /// Erases a field's entries of one kind in every collection of the id, or in the group.
  private func eraseAutomatic(
    _ collectionID: Text,
    _ field: FieldPath,
    _ kind: AutomaticIndexKind,
    from position: [UInt8],
    _ slice: inout IndexSlice
  ) throws -> [UInt8]? {
    var budget = entryBudget
    if kind.scope == .collectionGroup {
      let collection = ResourcePath([collectionID])
      return try eraseField(field, kind, collection, position, &budget, &slice)
    }
    let walk = CollectionIDWalk(collectionID, in: incarnation, reader: reader)
    return try walk.forEachCollection(from: position, budget: &budget) {
      collection,
      start,
      budget in
      try eraseField(field, kind, collection, start, &budget, &slice)
    }
  }

  /// The same in one collection; entries whose field is ruled by another override stay.
  private func eraseField(
    _ field: FieldPath,
    _ kind: AutomaticIndexKind,
    _ collection: ResourcePath,
    _ position: [UInt8],
    _ budget: inout Int,
    _ slice: inout IndexSlice
  ) throws -> [UInt8]? {
    let prefix = IndexKey.automaticPrefix(
      incarnation: incarnation,
      kind: kind,
      collection: collection
    )
    let id = collection.lastID ?? ""
    let rules = set.rules(for: id)
    let names = field == FieldOverride.anyField ? [] : CollectionIndexRules.names(field)
    let maintainer = IndexTask.maintainer(field, kind, of: id, in: set)
    return try erase(below: prefix + names, from: position, budget: &budget, &slice) { entry in
      guard let parts = entry.parts(behind: prefix.count, kind.scope, collection),
        let ruling = rules.override(for: parts.field), ruling.field == field
      else { return .stays }
      guard ruling.storage.contains(kind) else { return .goes }
      let document = DocumentKey(parts.path, in: incarnation)
      let fields = try reader.get(document.bytes, as: .document)?.fields
      let isHeld = fields.map { maintainer.hasEntry(entry.key, parts.path, $0) } ?? false
      return isHeld ? .stays : .goesUnlessWritten(parts.path)
    }
  }
}

extension IndexTask {
  /// Returns the maintainer that computes the task's entries in one collection id; nil if the index
  /// does not exist any more.
  func maintainer(for collectionID: Text, in set: IndexSet) -> (any IndexMaintainer)? {
    switch self {
    case .buildDeclared(let number), .eraseDeclared(let number):
      set.declared.first { $0.number == number }
        .map { DeclaredMaintainer(set.rules(for: collectionID), $0) }
    case .buildAutomatic(_, let field, let kind), .eraseAutomatic(_, let field, let kind):
      Self.maintainer(field, kind, of: collectionID, in: set)
    }
  }

  /// Computes one field's entries of one kind.
  static func maintainer(
    _ field: FieldPath,
    _ kind: AutomaticIndexKind,
    of collectionID: Text,
    in set: IndexSet
  ) -> any IndexMaintainer {
    let rules = set.rules(for: collectionID).restricted(to: field, kind)
    return kind.elements ? ElementMaintainer(rules) : ValueMaintainer(rules)
  }
}

extension IndexMaintainer {
  /// Returns true if a document with those fields has an entry.
  func hasEntry(
    _ key: UnsafeRawBufferPointer,
    _ path: ResourcePath,
    _ fields: DocumentFields
  ) -> Bool {
    var entries: [IndexEntry] = []
    addEntries(of: IndexedDocument(path: path, fields: fields), to: &entries)
    return entries.contains { $0.key.elementsEqual(key) }
  }
}

/// A stored automatic entry, taken apart.
private struct AutomaticEntry {
  let key: UnsafeRawBufferPointer
  let value: UnsafeRawBufferPointer

  /// The field and the document, behind the prefix of the key; nil for a malformed key.
  func parts(
    behind prefixCount: Int,
    _ scope: IndexScope,
    _ collection: ResourcePath
  ) -> (field: FieldPath, path: ResourcePath)? {
    let rest = UnsafeRawBufferPointer(rebasing: key.dropFirst(prefixCount))
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

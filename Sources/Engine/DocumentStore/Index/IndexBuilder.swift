import FirestoreModel
import KeyValueStore

/// Does one index task in bounded steps, each a background write that also keeps how far it came.
///
/// A step reads documents and entries in a view, outside of any group. Its write checks that the
/// definitions and the position are still the same, and reads the documents that were written since
/// again. Building puts the entries that commits have not put already: an entry that is there is
/// right, because commits keep the index since its definition. A built entry carries its document's
/// update version; the index serves reads only from the version at which it became ready. Steps may
/// be repeated, so a restart continues behind the last durable one.
struct IndexBuilder {
  let database: Database
  /// Documents that one step reads at most.
  var documentBudget = 100
  /// Entries that one step erases at most.
  var entryBudget = 2_000

  private var incarnation: Incarnation { database.incarnation }

  /// Does one step of the first task there is and answers whether there is more to do.
  func step() throws -> Bool {
    // Recorded before the view: later writes are read again.
    let basis = database.writer.recentWrites.landed
    let set = database.indexes.current
    guard !database.isRetired, let task = IndexTask(set) else { return false }
    let slice = try database.engine.read { view in
      let slicer = IndexSlicer(
        incarnation: incarnation,
        set: set,
        reader: view,
        documentBudget: documentBudget,
        entryBudget: entryBudget
      )
      return try slicer.slice(of: task)
    }
    if let slice {
      let outcome = try database.engine.write(.background) { group in
        try write(slice, since: basis, in: group)
      }
      switch outcome {
      case .written: if slice.next == nil { try finish(task) }
      case .outdated: break
      case .duplicated: try fail(task)
      }
    }
    return IndexTask(database.indexes.current) != nil
  }

  /// The outcome of a slice's write.
  private enum Outcome {
    case written
    /// Nothing was written.
    case outdated
    /// Documents have equal values in a unique index; the entries up to there were written.
    case duplicated
  }

  private func write(
    _ slice: IndexSlice,
    since basis: RecentWrites.Moment,
    in group: any KeyValueGroup
  ) throws -> Outcome {
    let progressKey = IndexStorage.progressKey(slice.task, incarnation)
    guard !database.isRetired, database.indexes.current.generation == slice.set.generation,
      try group.get(progressKey) ?? [] == slice.position
    else { return .outdated }
    for addition in slice.additions {
      guard try add(addition, of: slice, since: basis, in: group) else { return .duplicated }
    }
    for removal in slice.removals { try remove(removal, of: slice, since: basis, in: group) }
    if let next = slice.next { try group.put(progressKey, next) }
    return .written
  }

  /// Puts the entries of a document; false where another one has the values of a unique index.
  private func add(
    _ addition: IndexSlice.Addition,
    of slice: IndexSlice,
    since basis: RecentWrites.Moment,
    in group: any KeyValueGroup
  ) throws -> Bool {
    let document = DocumentKey(addition.path, in: incarnation)
    if isUntouched(document, since: basis) {
      return try put(addition.entries, addition.version, in: group)
    }
    guard let stored = try group.get(document.bytes, as: .document) else { return true }
    var entries: [IndexEntry] = []
    maintainer(for: addition.path, of: slice)?.addEntries(
      of: IndexedDocument(path: addition.path, fields: stored.fields),
      to: &entries
    )
    let missing = try entries.filter { try group.get($0.key) == nil }
    return try put(missing, stored.updateTime, in: group)
  }

  private func put(
    _ entries: [IndexEntry],
    _ version: CommitVersion,
    in group: any KeyValueGroup
  ) throws -> Bool {
    for entry in entries {
      let isCut = entry.claim?.isCut == true
      guard !isCut, try UniqueCheck(group: group).isFree(entry) else { return false }
      try group.put(entry.key, IndexEntryCoding.value(version: version, tags: entry.tags))
    }
    return true
  }

  private func remove(
    _ removal: IndexSlice.Removal,
    of slice: IndexSlice,
    since basis: RecentWrites.Moment,
    in group: any KeyValueGroup
  ) throws {
    if let path = removal.path {
      let document = DocumentKey(path, in: incarnation)
      if !isUntouched(document, since: basis),
        let fields = try group.get(document.bytes, as: .document)?.fields,
        let maintainer = maintainer(for: path, of: slice),
        removal.key.withUnsafeBytes({ maintainer.hasEntry($0, path, fields) })
      {
        return
      }
    }
    try group.delete(removal.key)
  }

  private func isUntouched(_ document: DocumentKey, since basis: RecentWrites.Moment) -> Bool {
    database.writer.recentWrites.isUntouched(document.bytes, since: basis)
  }

  private func maintainer(
    for path: ResourcePath,
    of slice: IndexSlice
  ) -> (any IndexMaintainer)? {
    slice.task.maintainer(for: path.parent.lastID ?? "", in: slice.set)
  }

  private func fail(_ task: IndexTask) throws {
    try database.changeIndexes(.background) { draft, group in
      try group.delete(IndexStorage.progressKey(task, incarnation))
      draft.fail(task)
    }
  }

  private func finish(_ task: IndexTask) throws {
    try database.changeIndexes(.background) { draft, group in
      try group.delete(IndexStorage.progressKey(task, incarnation))
      let version = CommitVersion(microseconds: try group.allocateVersion())
      draft.finish(task, at: version)
      let oldest = version.microseconds - database.retention
      draft.forgetFloors(before: CommitVersion(microseconds: oldest))
    }
  }
}

extension Database {
  /// Does one step of building or erasing indexes and answers whether there is more to do at once.
  package func performIndexMaintenance() throws -> Bool { try IndexBuilder(database: self).step() }
}

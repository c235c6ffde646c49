import FirestoreModel
import KeyValueStore

/// Does one index task in bounded steps, each a background write that also keeps how far it came.
///
/// A step reads documents and entries in a view, outside of any group; its write checks that the
/// definitions and the position are the same still, and looks again at the documents that were written
/// since. Building puts the entries that commits have not put already: an entry that is there is right,
/// because commits keep the index since its definition. A built entry carries its document's update
/// version; the index serves reads only from the version at which it became ready. Steps may be
/// repeated, so a restart goes on behind the last durable one.
struct IndexBuilder {
  let database: Database
  /// Documents that one step reads at most.
  var documentBudget = 100
  /// Entries that one step erases at most.
  var entryBudget = 2_000

  private var incarnation: Incarnation { database.incarnation }

  /// Does one step of the first task there is and answers whether there is more to do.
  func step() throws -> Bool {
    // Noted before the view: what is written after this is looked at again.
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
      let isWritten = try database.engine.write(.background) { group in
        try write(slice, since: basis, in: group)
      }
      if isWritten, slice.next == nil { try finish(task) }
    }
    return IndexTask(database.indexes.current) != nil
  }

  /// Writes a slice; false, and nothing written, where it is out of date.
  private func write(
    _ slice: IndexSlice,
    since basis: RecentWrites.Moment,
    in group: any KeyValueGroup
  ) throws -> Bool {
    let progressKey = IndexStorage.progressKey(slice.task, incarnation)
    guard !database.isRetired, database.indexes.current.generation == slice.set.generation,
      try group.get(progressKey) ?? [] == slice.position
    else { return false }
    for addition in slice.additions { try add(addition, of: slice, since: basis, in: group) }
    for removal in slice.removals { try remove(removal, of: slice, since: basis, in: group) }
    if let next = slice.next { try group.put(progressKey, next) }
    return true
  }

  private func add(
    _ addition: IndexSlice.Addition,
    of slice: IndexSlice,
    since basis: RecentWrites.Moment,
    in group: any KeyValueGroup
  ) throws {
    let document = DocumentKey(addition.path, in: incarnation)
    if isUntouched(document, since: basis) {
      return try put(addition.entries, addition.version, in: group)
    }
    guard let stored = try group.get(document.bytes, as: .document) else { return }
    var entries: [IndexEntry] = []
    maintainer(for: addition.path, of: slice)?.addEntries(
      of: IndexedDocument(path: addition.path, fields: stored.fields),
      to: &entries
    )
    let missing = try entries.filter { try group.get($0.key) == nil }
    try put(missing, stored.updateTime, in: group)
  }

  private func put(
    _ entries: [IndexEntry],
    _ version: CommitVersion,
    in group: any KeyValueGroup
  ) throws {
    for entry in entries {
      try group.put(entry.key, IndexEntryCoding.value(version: version, tags: entry.tags))
    }
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

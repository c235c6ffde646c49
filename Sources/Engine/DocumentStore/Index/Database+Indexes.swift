import FirestoreModel
import KeyValueStore

// Changing index definitions. A change is one write: nothing commits between the old picture and
// the new one, so commits keep a new index from its definition on, and what was there before is
// added by `performIndexMaintenance`.
extension Database {
  /// Declares an index.
  ///
  /// It is ready at once where there is nothing to add, else it is built in the background.
  @discardableResult
  package func declareIndex(_ definition: IndexDefinition) throws -> DeclaredIndex {
    try ResourceID.checkCollection(definition.collectionID)
    return try changeIndexes { set, group in
      if set.declared.contains(where: { $0.definition == definition && $0.state.isMaintained }) {
        throw FirestoreError(.alreadyExists, "index already exists")
      }
      if set.declared.count(where: \.state.isMaintained) >= IndexLimits.declared {
        throw FirestoreError(
          .resourceExhausted,
          "A database may not have more than \(IndexLimits.declared) composite indexes."
        )
      }
      let index = DeclaredIndex(
        number: set.lastNumber + 1,
        definition: definition,
        state: try initialState(definition.collectionID, group)
      )
      set.declared.append(index)
      set.lastNumber = index.number
      return index
    }
  }

  /// Deletes a declared index by its id; its entries are erased in the background.
  package func deleteIndex(_ id: String) throws {
    try changeIndexes { set, _ in
      let position = set.declared.firstIndex { $0.id == id && $0.state.isMaintained }
      guard let position else { throw FirestoreError(.notFound, "Index \(id) does not exist.") }
      set.declared[position].state = .deleting
    }
  }

  /// Sets the exact list of a field's single-field indexes; nil gives it back to what applies to
  /// the field without an override.
  package func overrideField(
    _ field: FieldPath,
    of collectionID: Text,
    indexes: Set<SingleFieldIndex>?
  ) throws {
    try ResourceID.checkCollection(collectionID)
    try changeIndexes { set, group in
      try set.override(
        field,
        of: collectionID,
        indexes: indexes,
        added: try initialState(collectionID, group)
      )
    }
  }

  /// Declares what a definitions file has and the database has not.
  ///
  /// With `deletingOthers` the database has nothing else afterwards.
  package func apply(_ file: IndexDefinitionsFile, deletingOthers: Bool = false) throws {
    let set = indexes.current
    let known = set.declared.filter(\.state.isMaintained)
    for definition in file.indexes where !known.contains(where: { $0.definition == definition }) {
      try declareIndex(definition)
    }
    for wanted in file.overrides {
      let current = set.override(of: wanted.field, collectionID: wanted.collectionID)
      if current?.indexes == wanted.indexes, current?.isReverting == false { continue }
      try overrideField(wanted.field, of: wanted.collectionID, indexes: wanted.indexes)
    }
    guard deletingOthers else { return }
    for index in known where !file.indexes.contains(index.definition) {
      try deleteIndex(index.id)
    }
    for override in set.overrides where !override.isReverting {
      let isWanted = file.overrides.contains {
        $0.collectionID == override.collectionID && $0.field == override.field
      }
      if !isWanted {
        try overrideField(override.field, of: override.collectionID, indexes: nil)
      }
    }
  }

  /// The definitions as a file would declare them.
  package var indexDefinitions: IndexDefinitionsFile {
    let set = indexes.current
    return IndexDefinitionsFile(
      indexes: set.declared.filter(\.state.isMaintained).map(\.definition),
      overrides: set.overrides.filter { !$0.isReverting }.map {
        .init(collectionID: $0.collectionID, field: $0.field, indexes: $0.indexes)
      }
    )
  }

  /// Switches to other definitions in one write.
  func changeIndexes<R>(
    _ priority: WritePriority = .interactive,
    _ change: (inout IndexSetDraft, any KeyValueGroup) throws -> R
  ) throws -> R {
    var before: IndexSet?
    var version = CommitVersion.zero
    do {
      return try engine.write(priority) { group in
        guard !isRetired else { throw FirestoreError.unknownDatabase(id) }
        let old = indexes.current
        var draft = IndexSetDraft(old)
        let result = try change(&draft, group)
        let new = draft.set(after: old)
        try IndexStorage.save(new, replacing: old, in: group)
        before = old
        indexes.replace(with: new)
        version = CommitVersion(microseconds: try group.allocateVersion())
        return result
      } settled: { outcome in
        switch outcome {
        // An index that is ready since a version of this write is ready for who listens from now on.
        case .success: writer.advance(to: version)
        // Before any later commit follows definitions that were never stored. Of several changes in one group the first one undoes
        // all.
        case .failure:
          if let before, indexes.current.generation > before.generation {
            indexes.replace(with: before)
          }
        }
      }
    } catch {
      throw FirestoreError.storage(error)
    }
  }

  /// Ready where no collection of the id has documents, else to be built.
  private func initialState(
    _ collectionID: Text,
    _ group: any KeyValueGroup
  ) throws -> IndexState {
    let directory = KeyRange(
      prefix: DirectoryKey.prefix(ofCollectionID: collectionID, in: incarnation)
    )
    if try group.cursor(over: directory, reversed: false).next() { return .creating }
    return .ready(since: CommitVersion(microseconds: try group.allocateVersion()))
  }
}

/// How many definitions a database may have.
package enum IndexLimits {
  /// Declared indexes.
  package static let declared = 1_000
  /// Overrides of single fields.
  package static let overrides = 1_000
}

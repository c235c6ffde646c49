import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore

// Changing index definitions. A change is one write: nothing commits between the old picture and
// the new one. So commits maintain a new index from its definition on, and
// `performIndexMaintenance` adds the earlier documents.
extension Database {
  /// True if the database has an index that keeps a document from being written because of another one.
  package var hasUniqueIndexes: Bool { indexes.current.declared.contains(where: \.isChecked) }

  /// Declares an index.
  ///
  /// It is ready at once where there is nothing to add, else it is built in the background.
  @discardableResult
  package func declareIndex(_ definition: IndexDefinition) throws -> DeclaredIndex {
    try ResourceID.checkCollection(definition.collectionID)
    return try changeIndexes { set, group in
      if set.maintains(definition) {
        throw ServiceError(.alreadyExists, "index already exists")
      }
      return try declare(definition, in: &set, group)
    }
  }

  private func declare(
    _ definition: IndexDefinition,
    in set: inout IndexSetDraft,
    _ group: any KeyValueGroup
  ) throws -> DeclaredIndex {
    if set.declared.count(where: \.isListed) >= IndexLimits.declared {
      throw ServiceError(
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
    if definition.isUnique { try DatabaseCatalog.requireUniqueIndexes(in: group) }
    if definition.density != .sparseAll { try DatabaseCatalog.requireDensities(in: group) }
    return index
  }

  /// Declares the unique indexes that another database has and this one has not.
  ///
  /// They are built over the documents that are there, and fail where those have duplicates.
  func declareUniqueIndexes(of other: Database) throws {
    let wanted = other.indexes.current.listed.map(\.definition).filter(\.isUnique)
    guard !wanted.isEmpty else { return }
    try changeIndexes(.background) { set, group in
      for definition in wanted where !set.maintains(definition) {
        guard set.declared.count(where: \.isListed) < IndexLimits.declared else { break }
        _ = try declare(definition, in: &set, group)
      }
    }
  }

  /// Deletes a declared index by its id; its entries are erased in the background.
  package func deleteIndex(_ id: String) throws {
    try changeIndexes { set, _ in
      let position = set.declared.firstIndex { $0.id == id && $0.isListed }
      guard let position else { throw ServiceError(.notFound, "Index \(id) does not exist.") }
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

  /// Declares the definitions of a file that the database lacks: all of them or, if something is
  /// refused, none.
  ///
  /// A definition that the file has twice counts once, and the last one of a field's overrides. With `deletingOthers` the database has
  /// nothing else afterwards.
  package func apply(_ file: IndexDefinitionsFile, deletingOthers: Bool = false) throws {
    for definition in file.indexes { try ResourceID.checkCollection(definition.collectionID) }
    for wanted in file.overrides { try ResourceID.checkCollection(wanted.collectionID) }
    let known = indexDefinitions
    let isKnown =
      Set(file.indexes).isSubset(of: known.indexes)
      && file.lastOverrides.allSatisfy { wanted in known.overrides.contains { $0.meets(wanted) } }
    let others =
      known.indexes.contains { !file.indexes.contains($0) }
      || known.overrides.contains {
        !file.names($0) || $0.expires == true && file.offset(of: $0) != ($0.offset ?? 0)
      }
    guard !isKnown || (deletingOthers && others) else { return }
    try changeIndexes { set, group in
      if deletingOthers { try deleteOthers(than: file, in: &set, group) }
      for definition in file.indexes where !set.maintains(definition) {
        _ = try declare(definition, in: &set, group)
      }
      for wanted in file.lastOverrides where !set.has(wanted) {
        try set.override(
          wanted.field,
          of: wanted.collectionID,
          indexes: wanted.indexes,
          added: try initialState(wanted.collectionID, group)
        )
      }
      for wanted in file.lastOverrides {
        guard let expires = wanted.expires else { continue }
        try setTimeToLive(
          expires,
          offset: wanted.offset ?? (deletingOthers ? 0 : nil),
          wanted.field,
          of: wanted.collectionID,
          in: &set,
          group
        )
      }
    }
  }

  private func deleteOthers(
    than file: IndexDefinitionsFile,
    in set: inout IndexSetDraft,
    _ group: any KeyValueGroup
  ) throws {
    for position in set.declared.indices where set.declared[position].isListed {
      if !file.indexes.contains(set.declared[position].definition) {
        set.declared[position].state = .deleting
      }
    }
    for policy in set.timesToLive where file.offset(of: .init(policy)) == nil {
      try setTimeToLive(false, offset: nil, policy.field, of: policy.collectionID, in: &set, group)
    }
    for override in set.overrides where !override.isReverting {
      let other = IndexDefinitionsFile.Override(override)
      if file.names(other) { continue }
      try set.override(
        override.field,
        of: override.collectionID,
        indexes: nil,
        added: try initialState(override.collectionID, group)
      )
    }
  }

  /// The definitions as a file would declare them.
  package var indexDefinitions: IndexDefinitionsFile {
    let set = indexes.current
    return IndexDefinitionsFile(
      indexes: set.listed.map(\.definition),
      overrides: set.fileOverrides
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
        guard !isRetired else { throw ServiceError.unknownDatabase(id) }
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
        // Before any later commit follows definitions that were never stored. The first of several
        // changes in one group undoes all.
        case .failure:
          if let before, indexes.current.generation > before.generation {
            indexes.replace(with: before)
          }
        }
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }

  /// Ready where no collection of the id has documents, else to be built.
  func initialState(
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

extension IndexSetDraft {
  /// True where there is an index of that definition, and it is not being deleted.
  fileprivate func maintains(_ definition: IndexDefinition) -> Bool {
    declared.contains { $0.definition == definition && $0.isListed }
  }

  /// True where a field has exactly that override.
  fileprivate func has(_ wanted: IndexDefinitionsFile.Override) -> Bool {
    overrides.contains {
      !$0.isReverting && $0.collectionID == wanted.collectionID && $0.field == wanted.field
        && $0.indexes == wanted.indexes
    }
  }
}

extension IndexDefinitionsFile.Override {
  /// The declaration of an override.
  fileprivate init(_ override: FieldOverride) {
    self.init(
      collectionID: override.collectionID,
      field: override.field,
      indexes: override.indexes
    )
  }

  /// The declaration of a time to live of a field without an override of its indexes.
  fileprivate init(_ policy: TimeToLive) {
    self.init(
      collectionID: policy.collectionID,
      field: policy.field,
      indexes: SingleFieldIndex.defaults,
      expires: true,
      offset: policy.writtenOffset
    )
  }
}

extension TimeToLive {
  /// The offset as a file has it, which leaves out none.
  fileprivate var writtenOffset: UInt32? { offset > 0 ? offset : nil }
}

extension IndexSet {
  /// The overrides as a file has them, in their order; behind them fields that have a time to live alone.
  fileprivate var fileOverrides: [IndexDefinitionsFile.Override] {
    var result = overrides.filter { !$0.isReverting }.map(IndexDefinitionsFile.Override.init)
    for policy in timesToLive {
      let other = IndexDefinitionsFile.Override(policy)
      if let position = result.firstIndex(where: { $0.isOfField(of: other) }) {
        result[position].expires = true
        result[position].offset = policy.writtenOffset
      } else {
        result.append(other)
      }
    }
    return result
  }
}

extension IndexDefinitionsFile {
  /// The last override of each field.
  fileprivate var lastOverrides: [Override] {
    overrides.indices.filter { index in
      !overrides[(index + 1)...].contains { $0.isOfField(of: overrides[index]) }
    }
    .map { overrides[$0] }
  }

  /// The offset of the time to live that the file gives that field; nil where it gives none.
  fileprivate func offset(of other: Override) -> UInt32? {
    guard let own = overrides.last(where: { $0.isOfField(of: other) }), own.expires == true
    else { return nil }
    return own.offset ?? 0
  }

  /// True where the file has an override of the same field.
  fileprivate func names(_ other: Override) -> Bool {
    overrides.contains { $0.isOfField(of: other) }
  }
}

extension IndexDefinitionsFile.Override {
  fileprivate func isOfField(of other: Self) -> Bool {
    collectionID == other.collectionID && field == other.field
  }

  /// True where a field with this override needs no change to have the wanted one.
  fileprivate func meets(_ wanted: Self) -> Bool {
    isOfField(of: wanted) && indexes == wanted.indexes
      && (wanted.expires == nil || wanted.expires == (expires ?? false))
      && (wanted.expires != true || wanted.offset == nil || wanted.offset == (offset ?? 0))
  }
}

/// The limits on the number of definitions that a database may have.
package enum IndexLimits {
  /// Declared indexes.
  package static let declared = 1_000
  /// Overrides of single fields.
  package static let overrides = 1_000
}

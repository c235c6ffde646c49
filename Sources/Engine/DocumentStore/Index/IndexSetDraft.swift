import BaseStatus
import BaseText
import FirestoreModel

/// Definitions on their way from one picture to the next.
struct IndexSetDraft {
  var declared: [DeclaredIndex]
  var overrides: [FieldOverride]
  var floors: [IndexFloor]
  var lastNumber: UInt32

  init(_ set: IndexSet) {
    declared = set.declared
    overrides = set.overrides
    floors = set.floors
    lastNumber = set.lastNumber
  }

  /// The next picture.
  func set(after old: IndexSet) -> IndexSet {
    IndexSet(
      generation: old.generation + 1,
      incarnation: old.incarnation,
      declared: declared,
      overrides: overrides,
      floors: floors,
      lastNumber: lastNumber
    )
  }

  /// Forgets floors below a version, before which nothing is read any more.
  mutating func forgetFloors(before version: CommitVersion) {
    floors.removeAll { $0.since < version }
  }

  /// Takes an override away and keeps from when on its entries are complete.
  private mutating func remove(at position: Int) {
    let override = overrides.remove(at: position)
    keepFloors(of: override)
  }

  private mutating func keepFloors(of override: FieldOverride) {
    for kind in AutomaticIndexKind.all {
      guard case .ready(let since)? = override.states[kind], since > .zero else { continue }
      let floor = IndexFloor(
        collectionID: override.collectionID,
        field: override.field,
        kind: kind,
        since: since
      )
      if !floors.contains(floor) { floors.append(floor) }
    }
  }

  /// Gives a field a list of indexes; kinds of entries that it did not have are `added`, those that
  /// it has no more are erased.
  mutating func override(
    _ field: FieldPath,
    of collectionID: Text,
    indexes: Set<SingleFieldIndex>?,
    added: IndexState
  ) throws {
    let position = overrides.firstIndex { $0.collectionID == collectionID && $0.field == field }
    let isBusy = position.map { overrides[$0].isReverting || overrides[$0].isChanging } ?? false
    if isBusy {
      throw ServiceError(
        .failedPrecondition,
        "The field \(FieldOverride.text(of: field)) of \(collectionID) is still being changed."
      )
    }
    if position == nil, overrides.count >= IndexLimits.overrides {
      throw ServiceError(
        .resourceExhausted,
        "A database may not have more than \(IndexLimits.overrides) single field overrides."
      )
    }
    if indexes == nil, position == nil { return }
    let inherited = self.inherited(field, of: collectionID)
    var result = FieldOverride(
      collectionID: collectionID,
      field: field,
      indexes: indexes ?? inherited?.indexes ?? SingleFieldIndex.defaults
    )
    let before = position.map { overrides[$0] } ?? inherited
    result.setStates(replacing: before, added: added)
    result.isReverting = indexes == nil
    if let position { overrides.remove(at: position) }
    if result.isReverting, !result.isChanging {
      keepFloors(of: result)
    } else {
      overrides.append(result)
    }
  }

  /// Notes that a task is done at a version.
  mutating func finish(_ task: IndexTask, at version: CommitVersion) {
    switch task {
    case .buildDeclared(let number):
      let position = declared.firstIndex { $0.number == number && $0.state == .creating }
      if let position { declared[position].state = .ready(since: version) }
    case .eraseDeclared(let number): declared.removeAll { $0.number == number }
    case .buildAutomatic(let id, let field, let kind):
      finish(id, field, kind, from: .creating, to: .ready(since: version))
    case .eraseAutomatic(let id, let field, let kind):
      finish(id, field, kind, from: .deleting, to: nil)
    }
    while let position = overrides.firstIndex(where: { $0.isReverting && !$0.isChanging }) {
      remove(at: position)
    }
  }

  /// Notes that a unique index can't be built, because documents have equal values.
  mutating func fail(_ task: IndexTask) {
    guard case .buildDeclared(let number) = task else { return }
    let position = declared.firstIndex { $0.number == number && $0.state == .creating }
    if let position { declared[position].state = .failed }
  }

  private mutating func finish(
    _ collectionID: Text,
    _ field: FieldPath,
    _ kind: AutomaticIndexKind,
    from old: IndexState,
    to new: IndexState?
  ) {
    let position = overrides.firstIndex { $0.collectionID == collectionID && $0.field == field }
    if let position, overrides[position].states[kind] == old {
      overrides[position].states[kind] = new
    }
  }

  /// The override that would rule a field without one of its own.
  private func inherited(_ field: FieldPath, of collectionID: Text) -> FieldOverride? {
    let others = overrides.filter { $0.collectionID == collectionID && $0.field != field }
    let rules = CollectionIndexRules(incarnation: 0, declared: [], overrides: others)
    return rules.override(for: field)
  }
}

extension FieldOverride {
  /// True if entries are still being added or erased.
  package var isChanging: Bool {
    states.values.contains { $0 == .creating || $0 == .deleting }
  }

  /// Takes over the complete entries of a field.
  fileprivate mutating func setStates(replacing before: FieldOverride?, added: IndexState) {
    var old = before?.storage ?? Set(SingleFieldIndex.defaults.map(\.storage))
    // Data that is still being erased exists, but is not complete.
    let leftover = before?.states.filter { $0.value == .deleting }.keys.map { $0 } ?? []
    old.subtract(leftover)
    for kind in AutomaticIndexKind.all {
      switch (old.contains(kind), storage.contains(kind)) {
      case (true, true): states[kind] = before?.states[kind]
      case (false, true): states[kind] = added
      case (true, false): states[kind] = added == .creating ? .deleting : nil
      case (false, false): if leftover.contains(kind) { states[kind] = .deleting }
      }
    }
  }
}

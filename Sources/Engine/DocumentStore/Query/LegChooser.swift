import FirestoreModel

/// Finds the fewest indexes that together fix all of a disjunct's equalities and elements and
/// continue with its open orders.
struct LegChooser {
  let planner: Planner
  let conditions: DisjunctConditions
  /// The orders that no equality fixes, without the name.
  let open: [Order]

  /// Equalities, then elements: the conditions that legs must cover.
  private let goals: [Goal]

  init(planner: Planner, conditions: DisjunctConditions, open: [Order]) {
    self.planner = planner
    self.conditions = conditions
    self.open = open
    goals =
      conditions.equalities.map { Goal(equality: $0, isElement: false) }
      + conditions.elements.map { Goal(equality: $0, isElement: true) }
  }

  struct Choice {
    let legs: [IndexLeg]
    let isReversed: Bool
  }

  /// An index that fits, with what it fixes.
  private struct Candidate {
    let leg: IndexLeg
    let covers: Set<Int>
  }

  /// Nil where the indexes there are do not serve the disjunct.
  func choose() -> Choice? {
    guard planner.collectionID != nil else { return nil }
    let forward = cover(candidates(reversed: false)).map { Choice(legs: $0, isReversed: false) }
    if let forward, forward.legs.count == 1 { return forward }
    let backward = cover(candidates(reversed: true)).map { Choice(legs: $0, isReversed: true) }
    guard let forward, let backward else { return forward ?? backward }
    return backward.legs.count < forward.legs.count ? backward : forward
  }

  /// The single-field indexes that fix one value each, positions by name ascending.
  func availableSingles() -> [IndexLeg] {
    goals.compactMap { automaticLeg($0) }
  }

  private struct Goal {
    let equality: DisjunctConditions.Equality
    let isElement: Bool
  }

  /// Repeatedly takes the candidate that covers most of the rest.
  private func cover(_ candidates: [Candidate]) -> [IndexLeg]? {
    var left = Set(goals.indices)
    guard !left.isEmpty else { return candidates.first.map { [$0.leg] } }
    var legs: [IndexLeg] = []
    while !left.isEmpty {
      guard
        let best = candidates.max(by: {
          $0.covers.intersection(left).count < $1.covers.intersection(left).count
        }), !best.covers.isDisjoint(with: left)
      else { return nil }
      legs.append(best.leg)
      left.subtract(best.covers)
    }
    return legs
  }

  private func candidates(reversed: Bool) -> [Candidate] {
    let written = reversed ? open.map { Order($0.field, $0.direction.opposite) } : open
    let name = reversed ? planner.nameDirection.opposite : planner.nameDirection
    var result: [Candidate] = []
    if name == .ascending, planner.forcedIndex == nil {
      result = automaticCandidates(written)
    }
    for index in planner.declaredIndexes where index.state.isUsable(at: planner.version) {
      guard index.definition.nameDirection == name,
        let candidate = candidate(index, followedBy: written)
      else { continue }
      result.append(candidate)
    }
    return result
  }

  private func automaticCandidates(_ written: [Order]) -> [Candidate] {
    if written.isEmpty {
      return goals.enumerated().compactMap { offset, goal in
        automaticLeg(goal).map { Candidate(leg: $0, covers: [offset]) }
      }
    }
    guard written.count == 1, let order = written.first, order.direction == .ascending,
      goals.isEmpty,
      !planner.query.optionalFields.subtracting(conditions.fields).contains(order.field),
      let prefix = planner.automaticPrefix(order.field, elements: false, asked: open[0].direction)
    else { return [] }
    let leg = IndexLeg(
      prefix: prefix,
      leadingValues: 0,
      scope: planner.indexScope,
      fields: [IndexedField(order.field, .ascending)],
      nameDirection: .ascending
    )
    return [Candidate(leg: leg, covers: [])]
  }

  private func automaticLeg(_ goal: Goal) -> IndexLeg? {
    guard
      var prefix = planner.automaticPrefix(
        goal.equality.field,
        elements: goal.isElement,
        asked: .ascending
      )
    else { return nil }
    prefix += goal.equality.encoded
    return IndexLeg(
      prefix: prefix,
      leadingValues: 1,
      scope: planner.indexScope,
      fields: [IndexedField(goal.equality.field, goal.isElement ? .contains : .ascending)],
      nameDirection: .ascending
    )
  }

  /// A declared index whose first fields are all fixed and whose last ones are the open orders.
  private func candidate(_ index: DeclaredIndex, followedBy written: [Order]) -> Candidate? {
    let definition = index.definition
    guard holdsAllResults(definition) else { return nil }
    let fixedCount = definition.fields.count - written.count
    guard fixedCount >= 0 else { return nil }
    let suffix = definition.fields[fixedCount...]
    guard suffix.elementsEqual(written, by: { $0 == IndexedField($1.field, .init($1.direction)) })
    else { return nil }
    var prefix = planner.declaredPrefix(index)
    var covers: Set<Int> = []
    for field in definition.fields[..<fixedCount] {
      guard let offset = goalOffset(for: field) else { return nil }
      let encoded = goals[offset].equality.encoded
      prefix += field.mode == .descending ? encoded.map { ~$0 } : encoded
      covers.insert(offset)
    }
    let leg = IndexLeg(
      prefix: prefix,
      leadingValues: fixedCount,
      scope: definition.scope,
      fields: definition.fields,
      nameDirection: definition.nameDirection,
      declared: index.number,
      holdsAbsent: definition.density != .sparseAll
    )
    return Candidate(leg: leg, covers: covers)
  }

  /// Returns true if every document that can be a result has an entry.
  ///
  /// Results have the fields of conditions and of orders, but those orders that documents may lack.
  private func holdsAllResults(_ definition: IndexDefinition) -> Bool {
    let optional = planner.query.optionalFields.subtracting(conditions.fields)
    return switch definition.density {
    case .dense: true
    case .sparseAll: !definition.fields.contains { optional.contains($0.path) }
    case .sparseAny: definition.fields.contains { !optional.contains($0.path) }
    }
  }

  private func goalOffset(for field: IndexedField) -> Int? {
    goals.firstIndex {
      $0.isElement == (field.mode == .contains) && $0.equality.field == field.path
    }
  }
}

// The planner's knowledge of indexes.
extension Planner {
  /// The declared indexes of the query's collection id and scope; vector indexes serve searches alone.
  var declaredIndexes: [DeclaredIndex] {
    guard let collectionID else { return [] }
    return indexes.declared(collectionID: collectionID, scope: indexScope).filter {
      if let forcedIndex, $0.number != forcedIndex { return false }
      guard let vector = $0.definition.vector else { return true }
      return $0.definition.hasEntries && vector == query.findNearest?.indexField
    }
  }

  /// The collection whose entries in an index the query reads.
  private var collectionPath: ResourcePath { collectionID.map { parent.appending($0) } ?? parent }

  /// The beginning of a field's automatic entries; nil where queries may not use them.
  func automaticPrefix(
    _ field: FieldPath,
    elements: Bool,
    asked direction: Order.Direction
  ) -> [UInt8]? {
    guard let collectionID else { return nil }
    let mode = elements ? IndexFieldMode.contains : IndexFieldMode(direction)
    let index = SingleFieldIndex(indexScope, mode)
    let state = indexes.state(of: index, field: field, collectionID: collectionID)
    guard let state, state.isUsable(at: version) else { return nil }
    var prefix = IndexKey.automaticPrefix(
      incarnation: indexes.incarnation,
      kind: index.storage,
      collection: collectionPath
    )
    SegmentEncoding.append(field, to: &prefix)
    return prefix
  }

  /// The beginning of a declared index's entries for the query's collection.
  func declaredPrefix(_ index: DeclaredIndex) -> [UInt8] {
    IndexKey.declaredPrefix(
      incarnation: indexes.incarnation,
      number: index.number,
      scope: index.definition.scope,
      collection: collectionPath
    )
  }
}

extension FindNearest {
  /// The vector field of an index for this search.
  var indexField: VectorIndexField { VectorIndexField(field, dimension: vector.count) }
}

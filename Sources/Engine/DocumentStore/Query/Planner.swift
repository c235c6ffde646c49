import BaseText
import FirestoreModel

/// Chooses indexes for a normalised query.
///
/// For each disjunct: the conditions that fix a value must be a prefix of an index (in any order),
/// the remaining orders its suffix, either all as requested or all reversed. If no single index has
/// them all, several with the same suffix are intersected.
package struct Planner {
  let indexes: IndexSet
  let query: NormalizedQuery
  /// Fields, then `__name__`: the query's own, or others that give the same documents.
  let orders: [Order]
  /// The version at which the query reads.
  let version: CommitVersion
  /// The number of the only index that may serve the query; nil where the planner chooses.
  let forcedIndex: UInt32?

  let space: NameSpace
  let collectionID: Text?
  let indexScope: IndexScope

  /// Plans a query at one version.
  package init(
    indexes: IndexSet,
    query: NormalizedQuery,
    orders: [Order]? = nil,
    version: CommitVersion,
    forcedIndex: UInt32? = nil
  ) {
    self.forcedIndex = forcedIndex
    self.indexes = indexes
    self.query = query
    self.orders = orders ?? query.orders
    self.version = version
    let parent = query.parent
    switch query.scope {
    case .collection(let id):
      space = NameSpace(collection: parent.appending(id))
      collectionID = id
      indexScope = .collection
    case .collectionGroup(let id):
      space = NameSpace(collection: nil)
      collectionID = id
      indexScope = .collectionGroup
    case .children, .descendants:
      space = NameSpace(collection: nil)
      collectionID = nil
      indexScope = .collectionGroup
    }
  }

  var parent: ResourcePath { query.parent }

  /// The plan, reading and sorting where an index is missing.
  package func plan() -> QueryPlan {
    var plans: [DisjunctPlan] = []
    var missing: MissingIndex?
    for disjunct in query.disjuncts {
      let conditions = DisjunctConditions(disjunct, in: space)
      if conditions.isUnsatisfiable { continue }
      if let served = serve(conditions) {
        plans.append(served)
        if missing == nil, asksForNamesDescending(conditions) {
          missing = missingIndex(for: conditions)
        }
      } else {
        if missing == nil { missing = missingIndex(for: conditions) }
        plans.append(sorting(conditions))
      }
    }
    return QueryPlan(
      space: space,
      orders: orders,
      disjuncts: plans,
      // An index of another density is never asked for, and none beside a forced one.
      missingIndex: query.optionalFields.isEmpty && forcedIndex == nil ? missing : nil,
      generation: indexes.generation,
      vector: query.findNearest?.indexField
    )
  }

  /// The orders that no equality fixes, without the name.
  func openOrders(_ conditions: DisjunctConditions) -> [Order] {
    orders.filter { order in
      !order.field.isDocumentName && !conditions.equalities.contains { $0.field == order.field }
    }
  }

  /// The direction of the name, which ends every order.
  var nameDirection: Order.Direction { orders.last?.direction ?? .ascending }

  private func serve(_ conditions: DisjunctConditions) -> DisjunctPlan? {
    if let name = conditions.exactName { return lookup(name) }
    let open = openOrders(conditions)
    let fixed = conditions.equalities.count + conditions.elements.count
    if fixed == 0, open.isEmpty, let scan = scan(conditions) { return scan }
    guard let choice = LegChooser(planner: self, conditions: conditions, open: open).choose()
    else { return nil }
    return indexPlan(conditions, open, choice)
  }

  /// Returns true if the only order of the documents is by name, descending, and the index that
  /// production wants for that is not there: here the documents are scanned backwards.
  private func asksForNamesDescending(_ conditions: DisjunctConditions) -> Bool {
    nameDirection == .descending && collectionID != nil && conditions.exactName == nil
      && conditions.equalities.isEmpty && conditions.elements.isEmpty
      && openOrders(conditions).isEmpty
      && !declaredIndexes.contains {
        $0.definition.fields.isEmpty && $0.state.isUsable(at: version)
      }
  }

  /// Returns true if a position with these orders' values omits something that a result needs: an
  /// explicit `__name__` ends the orders before the fields of inequalities.
  private func orders(_ open: [Order], hideSome conditions: DisjunctConditions) -> Bool {
    let known = Set(open.map(\.field) + conditions.equalities.map(\.field))
    return !known.isSuperset(of: conditions.ranges.keys)
      || !known.isSuperset(of: query.requiredFields)
  }

  private func lookup(_ name: [UInt8]) -> DisjunctPlan {
    DisjunctPlan(
      source: .lookup(name: name),
      isReversed: false,
      directions: orders.dropLast().map(\.direction),
      nameDirection: nameDirection,
      components: orders.dropLast().indices.map { .position($0) } + [.name],
      ranges: [.all],
      checksDocuments: false
    )
  }

  /// Documents in the order of their names, without an index.
  private func scan(_ conditions: DisjunctConditions) -> DisjunctPlan? {
    let reversed = nameDirection == .descending
    var plan = unorderedScan(conditions)
    // Several collections merge forward only.
    if reversed, space.collection == nil { return nil }
    plan.isReversed = reversed
    plan.components = [.name]
    return plan
  }

  private func unorderedScan(_ conditions: DisjunctConditions) -> DisjunctPlan {
    DisjunctPlan(
      source: scanSource,
      isReversed: false,
      directions: [],
      nameDirection: .ascending,
      components: [],
      ranges: scopeNames(conditions),
      checksDocuments: orders([], hideSome: conditions)
    )
  }

  private var scanSource: DisjunctPlan.Source {
    switch query.scope {
    case .collection(let id): .documents(collection: parent.appending(id))
    case .collectionGroup(let id):
      .collections(CollectionSet(parent: parent, members: .group(id)))
    case .children: .collections(CollectionSet(parent: parent, members: .children))
    case .descendants: .collections(CollectionSet(parent: parent, members: .descendants))
    }
  }

  /// The names that the scope and the conditions on `__name__` leave.
  private func scopeNames(_ conditions: DisjunctConditions) -> [PositionRange] {
    var scopeRange = PositionRange.all
    if space.collection == nil, !parent.isRoot {
      var bytes: [UInt8] = []
      SegmentEncoding.append(parent, to: &bytes)
      // Keys that begin with the parent's segments and continue, so not the parent itself.
      scopeRange = PositionRange(prefix: bytes)
      scopeRange.lower.append(SegmentEncoding.numericTag)
    }
    return [scopeRange].intersection(conditions.names ?? [.all])
  }

  private func indexPlan(
    _ conditions: DisjunctConditions,
    _ open: [Order],
    _ choice: LegChooser.Choice
  ) -> DisjunctPlan {
    var plan = DisjunctPlan(
      source: .index(choice.legs),
      isReversed: choice.isReversed,
      directions: open.map { choice.isReversed ? $0.direction.opposite : $0.direction },
      nameDirection: choice.isReversed ? nameDirection.opposite : nameDirection,
      components: components(conditions, open),
      ranges: [.all],
      checksDocuments: needsLook(conditions) || orders(open, hideSome: conditions)
        || choice.legs.contains(where: \.holdsAbsent)
    )
    addConditions(conditions, open, to: &plan)
    return plan
  }

  /// Conditions on the position's first value choose its ranges, the others filter.
  private func addConditions(
    _ conditions: DisjunctConditions,
    _ open: [Order],
    to plan: inout DisjunctPlan
  ) {
    for (index, order) in open.enumerated() {
      guard let allowed = conditions.ranges[order.field] else { continue }
      let written = plan.directions[index] == .ascending ? allowed : allowed.inverted
      if index == 0 {
        plan.ranges = written
      } else {
        plan.valueConditions.append(.init(index: index, ranges: written))
      }
    }
    let names = scopeNames(conditions)
    if names == [.all] { return }
    let written = plan.nameDirection == .ascending ? names : names.inverted
    if open.isEmpty { plan.ranges = written } else { plan.nameCondition = written }
  }

  private func components(
    _ conditions: DisjunctConditions,
    _ open: [Order]
  ) -> [DisjunctPlan.Component] {
    orders.map { order in
      if order.field.isDocumentName { return .name }
      if let index = open.firstIndex(where: { $0.field == order.field }) {
        return .position(index)
      }
      guard let fixed = conditions.equalities.first(where: { $0.field == order.field })
      else { preconditionFailure("an order is open or fixed") }
      return .constant(order.direction == .ascending ? fixed.encoded : fixed.encoded.map { ~$0 })
    }
  }

  /// Returns true if an operand was cut, so that entries alone cannot decide.
  private func needsLook(_ conditions: DisjunctConditions) -> Bool {
    (conditions.equalities + conditions.elements).contains { $0.tag.isTruncated }
  }
}

// Without the index: read what the fixed values find, or everything, and sort.
extension Planner {
  private func sorting(_ conditions: DisjunctConditions) -> DisjunctPlan {
    var base = unorderedScan(conditions)
    let chooser = LegChooser(planner: self, conditions: conditions, open: [])
    let legs = chooser.availableSingles()
    if !legs.isEmpty { base.source = .index(legs) }
    // Sorting judges every document anyway.
    base.checksDocuments = false
    var plan = lookup([])
    plan.source = .sort(base)
    return plan
  }
}

extension Order.Direction {
  /// The other way.
  package var opposite: Order.Direction { self == .ascending ? .descending : .ascending }
}

import BaseStatus

/// A query as the planner and the matcher take it: checked, implicit orders added, filters
/// multiplied out.
///
/// Equal normalised queries have equal results, so it is the identity of a shared query.
package struct NormalizedQuery: Sendable, Hashable {
  /// The root or a document.
  package let parent: ResourcePath
  /// The collections below the parent, their id checked.
  package let scope: Query.Scope
  /// Alternatives of conditions that must all hold.
  ///
  /// One empty alternative is no filter; none at all
  /// is a query without results.
  package let disjuncts: [[Condition]]
  /// Explicit orders, then the inequality fields without one, then `__name__`, which is always last.
  package let orders: [Order]
  /// Fields that a result must have, beyond what its conditions demand; never `__name__`.
  ///
  /// Every ordered field is one, but in a query that keeps documents without it (`keepingAbsent`).
  package let requiredFields: [FieldPath]
  /// A prefix of `orders`, never empty.
  package let start: Cursor?
  /// A prefix of `orders`, never empty.
  package let end: Cursor?
  /// Results to skip after the start cursor; never negative.
  package let offset: Int
  /// Nil is no limit; zero is no results.
  package let limit: Int?
  /// Nil is the whole document; otherwise without `__name__`, possibly empty.
  package let projection: [FieldPath]?
  /// A search over the matches; then there are no cursors, no limit and no offset.
  package let findNearest: FindNearest?
}

extension Query {
  /// Checks the query as Firestore does, with its texts, and brings it into normal form.
  package func normalized() throws(ServiceError) -> NormalizedQuery {
    try checkScope()
    try checkWindow()
    let filter = filter?.simplified
    let check = FilterCheck(self, simplified: filter)
    try check.run()
    try checkOrders()
    try checkCursor(start)
    try checkCursor(end)
    try checkFindNearest()
    let inequalities = check.inequalityFields
    let orders = completedOrders(inequalities)
    return NormalizedQuery(
      parent: parent,
      scope: scope,
      disjuncts: Self.deduplicated(filter?.disjuncts ?? [[]]),
      orders: orders,
      requiredFields: requiredFields(orders, inequalities),
      start: start.flatMap { $0.values.isEmpty ? nil : $0 },
      end: end.flatMap { $0.values.isEmpty ? nil : $0 },
      offset: offset,
      limit: limit,
      projection: projection.map(FieldMask.reduced),
      findNearest: findNearest
    )
  }

  private func checkScope() throws(ServiceError) {
    switch scope {
    case .collection(let id), .collectionGroup(let id): try ResourceID.checkCollection(id)
    case .children, .descendants: break
    }
  }

  private func checkWindow() throws(ServiceError) {
    if let limit, limit < 0 { throw .invalidArgument("limit is negative") }
    if offset < 0 { throw .invalidArgument("offset is negative") }
  }

  private func checkOrders() throws(ServiceError) {
    var seen: Set<FieldPath> = []
    for order in orders {
      if seen.contains(.documentName) {
        throw .invalidArgument("order by clause cannot contain more fields after the key")
      }
      guard seen.insert(order.field).inserted else {
        throw .invalidArgument(
          "order by clause cannot contain duplicate fields \(order.field.canonicalString)"
        )
      }
    }
    switch scope {
    case .collection, .collectionGroup: return
    case .children, .descendants:
      if orders.contains(where: { $0 != Order(.documentName, .ascending) }) {
        throw .invalidArgument("kind is required for all orders except __key__ ascending")
      }
    }
  }

  /// A cursor's values belong to the orders that the client sent.
  private func checkCursor(_ cursor: Cursor?) throws(ServiceError) {
    guard let cursor else { return }
    if cursor.values.count > orders.count { throw .invalidArgument("Cursor has too many values.") }
    for (value, order) in zip(cursor.values, orders) where order.field.isDocumentName {
      guard case .reference = value
      else { throw .invalidArgument("Cursor __key__ value is not a document reference.") }
    }
  }

  private func checkFindNearest() throws(ServiceError) {
    guard let search = findNearest else { return }
    if limit != nil {
      throw .invalidArgument("A query limit cannot be used with FindNearest")
    }
    if offset != 0 { throw .invalidArgument("A query offset cannot be used with FindNearest") }
    if start != nil || end != nil {
      throw .invalidArgument("A cursor cannot be used with FindNearest")
    }
    guard (1...Limits.nearestNeighbours).contains(search.limit) else {
      throw .invalidArgument(
        "FindNearest.limit must be a positive integer of no more than \(Limits.nearestNeighbours)."
      )
    }
    if search.vector.isEmpty { throw .invalidArgument("Cannot have a zero length vector.") }
    if search.vector.count > Limits.vectorDimension {
      throw .invalidArgument("Vectors must be at most \(Limits.vectorDimension) dimensions.")
    }
    if search.measure == .cosine, search.vector.allSatisfy({ $0 == 0 }) {
      throw ServiceError(
        .failedPrecondition,
        "Cannot compute cosine distance against a vector with a magnitude of zero.",
        reason: ServiceError.Reason("COSINE_DISTANCE_ON_ZERO_VECTOR")
      )
    }
  }

  /// Adds the inequality fields that have no order, sorted, and then the name.
  ///
  /// All get the direction of the last explicit order. Behind the name nothing has an effect.
  private func completedOrders(_ inequalities: [FieldPath]) -> [Order] {
    let direction = orders.last?.direction ?? .ascending
    if orders.last?.field.isDocumentName == true { return orders }
    let ordered = Set(orders.map(\.field))
    let implied = inequalities.filter { !ordered.contains($0) }.map { Order($0, direction) }
    return orders + implied + [Order(.documentName, direction)]
  }

  private func requiredFields(_ orders: [Order], _ inequalities: [FieldPath]) -> [FieldPath] {
    Set(orders.map(\.field) + inequalities).filter { !$0.isDocumentName }.sorted()
  }

  private static func deduplicated(_ disjuncts: [[Condition]]) -> [[Condition]] {
    var result: [[Condition]] = []
    for disjunct in disjuncts {
      var conditions: [Condition] = []
      for condition in disjunct where !conditions.contains(condition) {
        conditions.append(condition)
      }
      if !result.contains(conditions) { result.append(conditions) }
    }
    return result
  }
}

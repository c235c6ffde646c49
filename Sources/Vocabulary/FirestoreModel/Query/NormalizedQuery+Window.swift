import BaseText

extension NormalizedQuery {
  /// The same query with another offset and limit.
  package func windowed(offset: Int, limit: Int?) -> NormalizedQuery {
    changed(requiredFields: requiredFields, offset: offset, limit: limit)
  }

  /// The same query with documents that lack some of the ordered fields; they are sorted as null is.
  ///
  /// Fields under conditions stay required by those.
  package func keepingAbsent(_ fields: Set<FieldPath>) -> NormalizedQuery {
    changed(
      requiredFields: requiredFields.filter { !fields.contains($0) },
      offset: offset,
      limit: limit
    )
  }

  /// The ordered fields that documents may lack.
  package var optionalFields: Set<FieldPath> {
    var fields = Set(orders.map(\.field))
    fields.remove(.documentName)
    return fields.subtracting(requiredFields)
  }

  private func changed(
    requiredFields: [FieldPath],
    offset: Int,
    limit: Int?
  ) -> NormalizedQuery {
    NormalizedQuery(
      parent: parent,
      scope: scope,
      disjuncts: disjuncts,
      orders: orders,
      requiredFields: requiredFields,
      start: start,
      end: end,
      offset: offset,
      limit: limit,
      projection: projection,
      findNearest: findNearest
    )
  }

  /// The id of the collections that the query ranges over; nil where it is any.
  package var collectionID: Text? {
    switch scope {
    case .collection(let id), .collectionGroup(let id): id
    case .children, .descendants: nil
    }
  }
}

import BaseText

extension NormalizedQuery {
  /// The same query with another offset and limit.
  package func windowed(offset: Int, limit: Int?) -> NormalizedQuery {
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

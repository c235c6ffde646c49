import BaseStatus
import FirestoreModel

extension Database {
  /// Aggregates over a query's documents, reading index entries alone where they tell enough.
  ///
  /// Documents without one of the summed fields drop out of all aggregations.
  package func aggregate(
    _ query: Query,
    _ aggregations: [Aggregation],
    consistency: Consistency = .latest
  ) throws -> AggregationResult {
    try Aggregation.check(aggregations, of: query)
    return try aggregate(try query.normalized(), aggregations, consistency: consistency)
  }

  /// The same for a query in normal form and checked aggregations.
  package func aggregate(
    _ query: NormalizedQuery,
    _ aggregations: [Aggregation],
    consistency: Consistency = .latest
  ) throws -> AggregationResult {
    try aggregate(query, aggregations, read: try beginRead(consistency))
  }

  /// The same as part of a reading that has begun.
  package func aggregate(
    _ query: NormalizedQuery,
    _ aggregations: [Aggregation],
    read: ConsistentRead
  ) throws -> AggregationResult {
    let cursor = aggregation(query, aggregations, read: read)
    while true {
      if let result = try cursor.next() { return result }
    }
  }

  /// The same, to be worked off in slices.
  package func aggregation(
    _ query: NormalizedQuery,
    _ aggregations: [Aggregation],
    read: ConsistentRead
  ) -> AggregationCursor {
    AggregationCursor(query, aggregations, read: read, database: self)
  }

  /// Returns the plan that would serve an aggregation; reads nothing but the version.
  package func aggregationPlan(
    _ query: NormalizedQuery,
    _ aggregations: [Aggregation],
    read: ConsistentRead
  ) throws -> QueryPlan {
    do {
      let run = AggregationRun(query, aggregations, read: read, database: self)
      return try run.plan()
    } catch {
      throw ServiceError.storage(error)
    }
  }
}

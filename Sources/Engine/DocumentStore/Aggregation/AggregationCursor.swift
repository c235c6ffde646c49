import BaseStatus
import FirestoreModel
import Synchronization

/// An aggregation query that is being answered, slice by slice, all at one version.
///
/// Every slice opens a view of its own; between slices only the sums and the sort key of the last document are
/// held. One call at a time; calls block.
package final class AggregationCursor: Sendable {
  private let run: Mutex<AggregationRun>

  init(
    _ query: NormalizedQuery,
    _ aggregations: [Aggregation],
    read: ConsistentRead,
    database: Database
  ) {
    run = Mutex(AggregationRun(query, aggregations, read: read, database: database))
  }

  /// Takes in the documents of one slice; returns the result if these were the last, otherwise nil.
  ///
  /// - Parameter slice: The largest number of candidates to evaluate.
  package func next(slice: Int = QueryCursor.longSlice) throws -> AggregationResult? {
    do {
      return try run.withLock { try $0.next(slice: slice) }
    } catch {
      throw ServiceError.storage(error)
    }
  }
}

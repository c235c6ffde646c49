import BaseText
import FirestoreModel

/// The answer to an aggregation query.
package struct AggregationResult: Sendable {
  /// One value an aggregation, under its alias, in their order.
  package let values: [(alias: Text, value: Value)]
  /// The version at which all values were computed.
  package let readTime: CommitVersion
  /// The transaction that the consistency began, if it did.
  package let newTransaction: TransactionID?
  /// The plan of the underlying query, for explanations.
  package let plan: QueryPlan
  /// The reads that computing the values took.
  package let statistics: QueryStatistics
}

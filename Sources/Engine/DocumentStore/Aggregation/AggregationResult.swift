import FirestoreModel

/// The answer to an aggregation query.
package struct AggregationResult: Sendable {
  /// One value an aggregation, under its alias, in their order.
  package let values: [(alias: Text, value: Value)]
  package let readTime: CommitVersion
  /// The transaction that the consistency began, if it did.
  package let newTransaction: TransactionID?
  package let plan: QueryPlan
  package let statistics: QueryStatistics
}

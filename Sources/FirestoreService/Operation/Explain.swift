import DocumentStore
import FirestoreWire

extension QueryPlan {
  /// The indexes as `plan_summary` lists them.
  var plannedIndexes: [ExplainMetrics.PlannedIndex] {
    indexesUsed.map { .init(queryScope: $0.queryScope, properties: $0.properties) }
  }
}

extension QueryStatistics {
  /// What the run took, as `execution_stats` tells it.
  ///
  /// One read operation a document that was returned or skipped, one at least, as Google bills.
  func execution(results: Int? = nil, in duration: Duration) -> ExplainMetrics.Execution {
    let billed = max(1, documentsReturned + documentsSkipped)
    return ExplainMetrics.Execution(
      resultsReturned: Int64(results ?? documentsReturned),
      duration: duration,
      readOperations: Int64(billed),
      debug: [
        .text(name: "documents_scanned", value: "\(reads.documentsScanned)"),
        .text(name: "index_entries_scanned", value: "\(reads.indexEntriesScanned)"),
        .group(
          name: "billing_details",
          [
            .text(name: "documents_billable", value: "\(billed)"),
            .text(name: "index_entries_billable", value: "0"),
            .text(name: "small_ops", value: "0"),
            .text(name: "min_query_cost", value: "0"),
          ]
        ),
      ]
    )
  }
}

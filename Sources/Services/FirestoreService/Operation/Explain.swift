import DocumentStore
import FirestoreWire

extension QueryPlan {
  /// The indexes as `plan_summary` lists them.
  var plannedIndexes: [ExplainMetrics.PlannedIndex] {
    indexesUsed.map { .init(queryScope: $0.queryScope, properties: $0.properties) }
  }
}

extension QueryStatistics {
  /// The cost of the run, as in `execution_stats`.
  ///
  /// As Google bills it: one read operation a document that was returned or skipped, and one for up to 100 vectors that a search
  /// looked at; one at least.
  func execution(in duration: Duration) -> ExplainMetrics.Execution {
    let documents = documentsReturned + documentsSkipped
    let batches = (vectorsMeasured + Self.vectorsPerRead - 1) / Self.vectorsPerRead
    let billed = max(1, documents + batches)
    return execution(
      results: documentsReturned,
      in: duration,
      billed: billed,
      documents: billed - batches,
      entries: vectorsMeasured
    )
  }

  /// The same for an aggregation: one read operation for up to 1,000 index entries that it matched.
  func executionOfAggregation(in duration: Duration) -> ExplainMetrics.Execution {
    let entries = documentsReturned + documentsSkipped
    let billed = Self.readOperations(forEntries: entries)
    return execution(results: 1, in: duration, billed: billed, documents: 0, entries: entries)
  }

  /// The read operations of an aggregation that matched so many index entries.
  static func readOperations(forEntries entries: Int) -> Int {
    max(1, (entries + entriesPerRead - 1) / entriesPerRead)
  }

  private static let entriesPerRead = 1_000
  private static let vectorsPerRead = 100

  private func execution(
    results: Int,
    in duration: Duration,
    billed: Int,
    documents: Int,
    entries: Int
  ) -> ExplainMetrics.Execution {
    ExplainMetrics.Execution(
      resultsReturned: Int64(results),
      duration: duration,
      readOperations: Int64(billed),
      debug: [
        .text(name: "documents_scanned", value: "\(reads.documentsScanned)"),
        .text(name: "index_entries_scanned", value: "\(reads.indexEntriesScanned)"),
        .group(
          name: "billing_details",
          [
            .text(name: "documents_billable", value: "\(documents)"),
            .text(name: "index_entries_billable", value: "\(entries)"),
            .text(name: "small_ops", value: "0"),
            .text(name: "min_query_cost", value: "0"),
          ]
        ),
      ]
    )
  }
}

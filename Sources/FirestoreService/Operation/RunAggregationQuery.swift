import DocumentStore
import FirestoreModel
import FirestoreWire

extension FirestoreService {
  func runAggregationQuery(
    _ request: RunAggregationQueryRequest,
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    try access.authorize(call.caller, .list(request.parent.database, request.query))
    let database = try databases.database(request.parent.database)
    try Aggregation.check(request.aggregations)
    let query = try request.query.normalized()
    let consistency = try Consistency(request.consistency)
    try onEngine(call, respond) {
      if request.explain == .plan {
        let plan = try database.aggregationPlan(
          query,
          request.aggregations,
          consistency: consistency
        )
        return MessageStream([
          RunAggregationQueryResponse(
            result: nil,
            readTime: nil,
            explain: ExplainMetrics(plan: plan.plannedIndexes)
          ).encoded()
        ])
      }
      let started = ContinuousClock.now
      let result = try database.aggregate(query, request.aggregations, consistency: consistency)
      let explain =
        request.explain == .analyze
        ? ExplainMetrics(
          plan: result.plan.plannedIndexes,
          execution: result.statistics.execution(
            results: 1,
            in: ContinuousClock.now - started
          )
        ) : nil
      return MessageStream([
        RunAggregationQueryResponse(
          result: result.values,
          transaction: result.newTransaction?.bytes,
          readTime: result.readTime,
          explain: explain
        ).encoded()
      ])
    }
  }
}

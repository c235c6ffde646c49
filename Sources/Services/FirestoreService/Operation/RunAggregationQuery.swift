import DocumentStore
import FirestoreModel
import FirestoreWire

extension FirestoreService {
  func runAggregationQuery(
    _ request: RunAggregationQueryRequest,
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    let permit = try permit(call, request.parent.database)
    try Aggregation.check(request.aggregations, of: request.query)
    let query = try request.query.normalized()
    let consistency = try permit.consistency(request.consistency)
    let isProven = try permit.allowsAlone(query, isInTransaction: consistency.isTransaction)
    let database = try permit.database()
    beginRead(database, consistency, call, respond) { [self] read in
      try onEngine(call, respond) {
        if !isProven { try permit.require(query, database, read, consistency) }
        if request.explain == .plan {
          let plan = try database.aggregationPlan(query, request.aggregations, read: read)
          return MessageStream([
            RunAggregationQueryResponse(
              result: nil,
              readTime: nil,
              explain: ExplainMetrics(plan: plan.plannedIndexes)
            ).encoded()
          ])
        }
        let started = ContinuousClock.now
        let result = try database.aggregate(query, request.aggregations, read: read)
        let explain =
          request.explain == .analyze
          ? ExplainMetrics(
            plan: result.plan.plannedIndexes,
            execution: result.statistics.executionOfAggregation(
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
}

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
    let database = try database(of: permit, call)
    beginRead(database, consistency, call, respond) { [self] read, respond in
      try onEngine(call, onlyFailure(respond)) { [self] in
        if !isProven { try permit.require(query, database, read, consistency) }
        if request.explain == .plan {
          let plan = try database.aggregationPlan(query, request.aggregations, read: read)
          let response = RunAggregationQueryResponse(
            result: nil,
            readTime: nil,
            explain: ExplainMetrics(plan: plan.plannedIndexes)
          )
          return respond(.success(MessageStream([response.encoded()])))
        }
        try aggregate(
          database.aggregation(query, request.aggregations, read: read),
          request,
          call,
          respond
        )
      }
    }
  }

  /// Works off one slice of an aggregation here and the next ones behind what others wait for.
  private func aggregate(
    _ cursor: AggregationCursor,
    _ request: RunAggregationQueryRequest,
    started: ContinuousClock.Instant = .now,
    slice: Int = QueryCursor.shortSlice,
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    if let result = try cursor.next(slice: slice) {
      let explain =
        request.explain == .analyze
        ? ExplainMetrics(
          plan: result.plan.plannedIndexes,
          execution: result.statistics.executionOfAggregation(in: ContinuousClock.now - started)
        ) : nil
      let response = RunAggregationQueryResponse(
        result: result.values,
        transaction: result.newTransaction?.bytes,
        readTime: result.readTime,
        explain: explain
      )
      return respond(.success(MessageStream([response.encoded()])))
    }
    try onEngine(call, lane: .scans, onlyFailure(respond)) { [self] in
      try aggregate(
        cursor,
        request,
        started: started,
        slice: QueryCursor.longSlice,
        call,
        respond
      )
    }
  }
}

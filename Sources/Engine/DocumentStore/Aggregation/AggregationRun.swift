import FirestoreModel

/// An aggregation query on its way through the query's documents.
struct AggregationRun {
  private let read: ConsistentRead
  private let database: Database
  private let query: NormalizedQuery
  private let aggregations: [Aggregation]
  private var accumulators: [Accumulator]
  private var run: QueryRun?
  /// The number of documents taken in so far.
  private var taken: Int64 = 0

  init(
    _ query: NormalizedQuery,
    _ aggregations: [Aggregation],
    read: ConsistentRead,
    database: Database
  ) {
    self.query = query
    self.aggregations = aggregations
    self.read = read
    self.database = database
    accumulators = aggregations.map { Accumulator($0.operator) }
  }

  func plan() throws -> QueryPlan {
    try read.view { view in
      var run = try makeRun(view)
      return try run.plan(in: view)
    }
  }

  /// Takes in the documents of one slice; nil where more are left.
  mutating func next(slice: Int) throws -> AggregationResult? {
    let enough = countBound
    return try read.view { view in
      var current = try run ?? makeRun(view)
      let plan = try current.plan(in: view)
      if taken < enough {
        let orders = current.orders
        _ = try current.pull(view, slice: slice) { result in
          try take(result, orders)
          taken += 1
          return taken < enough
        }
      }
      run = current
      guard taken >= enough || current.isDone else { return nil }
      return AggregationResult(
        values: zip(aggregations, accumulators).map { ($0.alias, $1.result) },
        readTime: view.version,
        newTransaction: read.newTransaction,
        plan: plan,
        statistics: current.statistics
      )
    }
  }

  private mutating func take(_ result: QueryResult, _ orders: [Order]) throws {
    for index in accumulators.indices {
      let value = try accumulators[index].field.map { try result.value(at: $0, orders: orders) }
      accumulators[index].add(value ?? nil)
    }
  }

  /// After so many documents no result changes any more.
  private var countBound: Int64 {
    let bounds = accumulators.map { $0.upperBound ?? .max }
    return bounds.max() ?? .max
  }

  private var fields: [FieldPath] { Aggregation.fields(of: aggregations) }

  private func makeRun(_ view: ReadView) throws -> QueryRun {
    let orders = try ordersWithFields(view)
    return QueryRun(
      query,
      read: read,
      database: database,
      orders: orders,
      neededFields: fields
    )
  }

  /// The query's orders, the summed fields and the name; nil is the query's own orders.
  ///
  /// With an index that has them all no document need be read, and production asks for it. A limit or
  /// an offset counts in this order; without either its index can be done without.
  private func ordersWithFields(_ view: ReadView) throws -> [Order]? {
    guard !fields.isEmpty, query.findNearest == nil, let name = query.orders.last
    else { return nil }
    let known = query.orders.dropLast()
    let added = fields.filter { field in !known.contains { $0.field == field } }
    let orders = known + added.map { Order($0, name.direction) } + [name]
    if query.limit != nil || query.offset != 0 { return Array(orders) }
    let planner = Planner(
      indexes: database.indexes.current,
      query: query,
      orders: Array(orders),
      version: view.version
    )
    let plan = planner.plan()
    guard let missing = plan.missingIndex else { return Array(orders) }
    database.uses.noteMissing(plan)
    if database.configuration.requireIndexes {
      throw missing.error(in: database.id, console: database.configuration.consoleOrigin)
    }
    database.configuration.missingIndexObserver?(missing.entry)
    return nil
  }
}

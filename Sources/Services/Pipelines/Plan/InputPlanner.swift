import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel

/// Chooses how an input's documents are read: as much as possible by a classic query on indexes, the rest by a filter.
struct InputPlanner {
  /// The most negations that are tried for a proof: a classic query has one at most.
  private static let negations = 4

  let store: PipelineStore
  /// True if indexes may be used; false only scans.
  let usesIndexes: Bool
  /// The only index that may be read; nil for any.
  var forced: DeclaredIndex?

  /// A choice among a query's arguments.
  private struct Choice {
    let filters: [Filter]
    let orders: [Order]
    /// Ordered fields that documents may lack.
    var optional: Set<FieldPath> = []
    let limit: Int?
    /// Conditions that the query does not decide.
    let residual: [Expression]
    let isSorted: Bool
  }

  /// The plan of an input with the stages behind it, of which the first `limit` rows are wanted if it is given.
  ///
  /// - Parameter needed: The fields that the stages behind the prefix read; nil for all.
  func plan(
    _ scope: InputScope,
    _ prefix: InputPrefix,
    limit: Int?,
    needed: NeededFields? = nil
  ) throws -> InputPlan {
    for choice in choices(scope, prefix, limit, needed) {
      guard let query = normalized(scope, choice) else { continue }
      let cursor = store.cursor(query, index: forced?.number)
      guard let plan = accepted(cursor, choice) else { continue }
      return InputPlan(
        scope: scope,
        cursor: cursor,
        proofs: proofs(scope, prefix),
        isSorted: choice.isSorted,
        isLimited: choice.limit != nil,
        residual: choice.residual,
        covered: covered(plan, choice, prefix, needed),
        nodeName: choice.filters.isEmpty && choice.orders.isEmpty ? "TableScan" : "IndexSeek",
        read: plan
      )
    }
    guard let forced else {
      throw ServiceError.invalidArgument("The input \(scope.text) can't be read.")
    }
    throw ServiceError(
      .failedPrecondition,
      "The index \"\(forced.id)\" can't serve the conditions and the sort behind the input "
        + "\(scope.text). Leave out force_index."
    )
  }

  /// The needed fields, if all of them are in the index entries that the query reads; nil where documents must be read.
  private func covered(
    _ plan: QueryPlan,
    _ choice: Choice,
    _ prefix: InputPrefix,
    _ needed: NeededFields?
  ) -> CoveredFields? {
    guard var needed, plan.readsEntriesAlone else { return nil }
    let sorts = choice.isSorted ? [] : prefix.orders.map(\.expression)
    guard (choice.residual + sorts).allSatisfy({ needed.add($0) }) else { return nil }
    var held: [FieldPath] = []
    var fixed: [(path: FieldPath, value: Value)] = []
    for path in needed.paths {
      if plan.holds(path) {
        held.append(path)
      } else if let value = choice.filters.lazy.compactMap({ $0.onlyValue(of: path) }).first {
        fixed.append((path, value))
      } else {
        return nil
      }
    }
    return CoveredFields(held, fixed: fixed)
  }

  /// The query for the documents of the first filters that an index can decide; nil where there is none.
  func seek(_ scope: InputScope, _ alternatives: [[Filter]]) -> QueryCursor? {
    guard usesIndexes, scope.scope != .descendants else { return nil }
    for filters in alternatives {
      let choice = Choice(filters: filters, orders: [], limit: nil, residual: [], isSorted: false)
      guard let query = normalized(scope, choice) else { continue }
      let cursor = store.cursor(query)
      if accepted(cursor, choice) != nil { return cursor }
    }
    return nil
  }

  /// The plan of a query that needs neither an index that is missing nor a sort of its own.
  private func accepted(_ cursor: QueryCursor, _ choice: Choice) -> QueryPlan? {
    guard let plan = try? cursor.plan(in: store.lent) else { return nil }
    if let forced, !plan.reads(only: forced) { return nil }
    if plan.sortsInMemory, !choice.optional.isEmpty { return nil }
    return plan.sortsInMemory && !choice.filters.isEmpty ? nil : plan
  }

  private func normalized(_ scope: InputScope, _ choice: Choice) -> NormalizedQuery? {
    guard let query = try? query(scope, choice).normalized() else { return nil }
    return choice.optional.isEmpty ? query : query.keepingAbsent(choice.optional)
  }

  private func query(_ scope: InputScope, _ choice: Choice) -> Query {
    var query = scope.query
    if choice.filters.count == 1 {
      query.filter = choice.filters[0]
    } else if !choice.filters.isEmpty {
      query.filter = .and(choice.filters)
    }
    query.orders = choice.orders
    query.limit = choice.limit
    return query
  }

  /// Returns the parts of the pipeline that the query may take over, the best choice first.
  private func choices(
    _ scope: InputScope,
    _ prefix: InputPrefix,
    _ limit: Int?,
    _ needed: NeededFields?
  ) -> [Choice] {
    var result: [Choice] = []
    if usesIndexes, scope.scope != .descendants {
      if let orders = prefix.classicOrders, !orders.isEmpty {
        result.append(choice(prefix, orders: orders, limit: limit, where: isServed))
      } else if let (orders, optional) = prefix.lenientOrders, hasLenientIndex(scope) {
        // Only an index that holds documents without a field can sort those that need not have it.
        for isTaken in [isServed, isServedEquality] {
          var lenient = choice(prefix, orders: orders, limit: limit, where: isTaken)
          lenient.optional = optional
          result.append(lenient)
        }
      }
      let unsortedLimit = prefix.orders.isEmpty ? limit : nil
      if prefix.orders.isEmpty, let orders = prefix.presentOrders(of: needed) {
        // An index that also holds the fields that are read saves reading the documents.
        result.append(choice(prefix, orders: orders, limit: limit, where: isServedEquality))
      }
      result.append(choice(prefix, orders: [], limit: unsortedLimit, where: isServed))
      result.append(choice(prefix, orders: [], limit: unsortedLimit, where: isServedEquality))
    }
    guard forced == nil else { return result }
    let unsortedLimit = prefix.orders.isEmpty ? limit : nil
    result.append(choice(prefix, orders: [], limit: unsortedLimit) { _ in false })
    return result
  }

  private func choice(
    _ prefix: InputPrefix,
    orders: [Order],
    limit: Int?,
    where isTaken: (Filter) -> Bool
  ) -> Choice {
    var filters: [Filter] = []
    var first: [Expression] = []
    var last: [Expression] = []
    for condition in prefix.conditions {
      if let filter = condition.filter, isTaken(filter) {
        filters.append(filter)
      } else if orders.contains(where: { prefix.isExistence(condition.expression, of: $0.field) }) {
        continue
      } else if condition.filter != nil || condition.half != nil {
        // The premises of a proof are evaluated before anything else.
        first.append(condition.expression)
      } else {
        last.append(condition.expression)
      }
    }
    let residual = first + last
    return Choice(
      filters: filters,
      orders: orders,
      limit: residual.isEmpty ? limit : nil,
      residual: residual,
      isSorted: !prefix.orders.isEmpty && !orders.isEmpty
    )
  }

  /// True where an index of the scope holds documents that lack some of its fields.
  private func hasLenientIndex(_ scope: InputScope) -> Bool {
    store.indexes(of: scope).contains { $0.definition.density != .sparseAll }
  }

  /// Returns true if a query may take a filter over: any, or those on the fields of the forced index.
  private func isServed(_ filter: Filter) -> Bool {
    guard let forced else { return true }
    let fields = Set(forced.definition.fields.map(\.path))
    return switch filter {
    case .field(let path, _, _), .unary(let path, _): fields.contains(path)
    case .and(let parts), .or(let parts): parts.allSatisfy(isServed)
    }
  }

  private func isServedEquality(_ filter: Filter) -> Bool { isServed(filter) && isEquality(filter) }

  private func isEquality(_ filter: Filter) -> Bool {
    switch filter {
    case .field(_, .equal, _), .unary(_, .isNull), .unary(_, .isNaN): true
    default: false
    }
  }

  private func proofs(_ scope: InputScope, _ prefix: InputPrefix) -> [NormalizedQuery] {
    guard store.isJudged else { return [] }
    let filters = prefix.conditions.compactMap(\.filter)
    var result: [NormalizedQuery] = []
    let negations = prefix.negations.prefix(Self.negations).map { filters + [$0] }
    for parts in negations + [filters, filters.filter(isEquality)] where !parts.isEmpty {
      var query = scope.query
      query.filter = parts.count == 1 ? parts[0] : .and(parts)
      if let normalized = try? query.normalized() { result.append(normalized) }
    }
    if let normalized = try? scope.query.normalized() { result.append(normalized) }
    return result
  }
}

extension Filter {
  /// The only value that a field has in all documents of the filter; nil where values of several types are equal to each
  /// other.
  fileprivate func onlyValue(of path: FieldPath) -> Value? {
    switch self {
    case .field(path, .equal, let value):
      switch value {
      case .string, .boolean, .bytes, .reference: value
      default: nil
      }
    case .unary(path, .isNull): .null
    case .and(let parts): parts.lazy.compactMap { $0.onlyValue(of: path) }.first
    default: nil
    }
  }
}

import BaseStatus
import DocumentStore
import FirestoreModel

/// Makes the operators of a plan.
struct OperatorBuilder {
  let store: PipelineStore
  let evaluator: Evaluator
  let usesIndexes: Bool
  /// True where the operators measure bytes and time.
  var isObserved = false
  /// True where `explain` shows the operators.
  var isShown = false

  private var resources: Resources { evaluator.resources }

  /// The operators of a pipeline; a sub-pipeline's with the row that it runs for.
  func build(_ plan: StagePlan, outer: Row?) throws -> any RowOperator {
    let variables = outer?.variables ?? [:]
    if let outer, let documents = try documentsRead(ahead: plan, for: outer) {
      let source = ValuesSource(documents.count, resources) { index in
        index < documents.count ? Row(documents[index], variables: variables) : nil
      }
      return try chain(source, plan.stages, from: 0, variables)
    }
    let input = try input(plan, outer, variables)
    return try chain(input.rows, input.stages, from: input.done, variables)
  }

  /// The operator, measured where `explain` wants it.
  func observed(_ rows: any RowOperator) -> any RowOperator {
    isObserved ? ObservedOperator(rows, resources) : rows
  }

  /// The first operators, the pipeline's stages, and the number of them that the operators do.
  private typealias Input = (rows: any RowOperator, stages: [Stage], done: Int)

  private func input(
    _ plan: StagePlan,
    _ outer: Row?,
    _ variables: [String: Value?]
  ) throws -> Input {
    switch plan.input {
    case .collection(let path): return try query(InputScope(collection: path), plan, outer)
    case .collectionGroup(let id): return try query(InputScope(group: id), plan, outer)
    case .database: return try query(InputScope(), plan, outer)
    case .subcollection(let segments):
      guard let scope = InputScope(segments, below: outer?.name) else {
        return (ValuesSource(0, resources) { _ in nil }, plan.stages, 0)
      }
      return try query(scope, plan, outer)
    case .documents(let paths):
      let source = LookupSource(paths, store, resources, variables: variables)
      if outer == nil { store.note(source) }
      return (observed(source), plan.stages, 0)
    case .literals(let expressions):
      let row = Row(MapValue(), variables: variables)
      let evaluator = evaluator
      let source = ValuesSource(expressions.count, resources) { index in
        guard index < expressions.count else { return nil }
        guard case .map(let fields)? = try evaluator.value(expressions[index], row) else {
          throw ServiceError.invalidArgument("The stage literals takes maps.")
        }
        return Row(fields, variables: variables)
      }
      return (observed(source), plan.stages, 0)
    }
  }

  private func query(
    _ scope: InputScope,
    _ pipeline: StagePlan,
    _ outer: Row?
  ) throws -> Input {
    let variables = outer?.variables ?? [:]
    let evaluator = evaluator
    let converter = FilterConverter(scope: scope, database: store.database.id) {
      try evaluator.fixedValue($0, variables)
    }
    let prefix = try InputPrefix(pipeline.stages, converter)
    let wanted = wanted(prefix.stages[prefix.count...])
    let plan = try InputPlanner(store, usesIndexes: usesIndexes, pipeline.index, of: scope)
      .plan(scope, prefix, limit: wanted, needed: NeededFields(prefix.stages[prefix.count...]))
    if store.isInMemory, !plan.isDirect { throw NeedsEngine() }
    let source = QuerySource(plan, store, resources, variables: variables)
    if outer == nil { store.note(source) }
    var rows = observed(source)
    for condition in plan.residual {
      let input = try joined(rows, [condition])
      rows = observed(mapped(input, RowChange(filter: condition)), running: [condition])
    }
    if !prefix.orders.isEmpty, !plan.isSorted {
      rows = try sorted(rows, prefix.orders, top: wanted)
    }
    return (rows, prefix.stages, prefix.count)
  }

  /// Returns the most rows that the next stages take; nil for all.
  private func wanted(_ stages: ArraySlice<Stage>) -> Int? {
    var skipped = 0
    for stage in stages {
      switch stage {
      case .offset(let count): skipped = skipped.addingReportingOverflow(count).partialValue
      case .limit(let count):
        let (sum, isOverflow) = skipped.addingReportingOverflow(count)
        return isOverflow || skipped < 0 || sum > Int(Int32.max) ? nil : sum
      default: guard stage.mapsRows else { return nil }
      }
    }
    return nil
  }

  private func chain(
    _ input: any RowOperator,
    _ stages: [Stage],
    from start: Int,
    _ variables: [String: Value?]
  ) throws -> any RowOperator {
    var rows = input
    for index in stages.indices.dropFirst(start) {
      let stage = stages[index]
      switch stage {
      case .sort(let orders):
        rows = try sorted(rows, orders, top: wanted(stages[(index + 1)...]))
      case .aggregate(_, let groups), .distinct(let groups):
        let isOrdered = StageOrder(stages[..<index]).gathers(groups)
        rows = try aggregate(stage, rows, isOrdered: isOrdered, variables)
      default:
        let input = try joined(rows, stage.expressions)
        rows = observed(try add(stage, to: input, variables), running: stage.expressions)
      }
    }
    return rows
  }

  private func sorted(
    _ rows: any RowOperator,
    _ orders: [SortOrder],
    top: Int?
  ) throws -> any RowOperator {
    let expressions = orders.map(\.expression)
    return observed(sort(try joined(rows, expressions), orders, top: top), running: expressions)
  }

  private func aggregate(
    _ stage: Stage,
    _ rows: any RowOperator,
    isOrdered: Bool,
    _ variables: [String: Value?]
  ) throws -> any RowOperator {
    let (calls, groups): ([AccumulatorCall], [Assignment]) =
      switch stage {
      case .aggregate(let calls, let groups): (calls, groups)
      case .distinct(let groups): ([], groups)
      default: ([], [])
      }
    let input = try joined(rows, stage.expressions)
    return observed(
      AggregateOperator(
        input,
        calls,
        groups: groups,
        isOrdered: isOrdered,
        evaluator,
        variables: variables
      ),
      running: stage.expressions
    )
  }

  private func add(
    _ stage: Stage,
    to rows: any RowOperator,
    _ variables: [String: Value?]
  ) throws -> any RowOperator {
    switch stage {
    case .offset(let count): return OffsetOperator(rows, count, evaluator.resources)
    case .limit(let count): return LimitOperator(rows, count)
    case .findNearest(let stage): return nearest(rows, stage)
    case .sample(.rows(let count)): return SampleOperator(rows, count, resources)
    case .sample(.fraction(let part)):
      return RowMapper("Sample", "\(part)", rows, resources) { row in
        Double.random(in: 0..<1) < part ? row : nil
      }
    case .union(let plan):
      // Inside a sub-pipeline the variables of its row stay in scope.
      let outer = variables.isEmpty ? nil : Row(MapValue(), variables: variables)
      return UnionOperator(rows, try build(plan, outer: outer))
    case .unnest(let expression, let alias, let index):
      return UnnestOperator(rows, expression, alias: alias, index: index, evaluator)
    default: return RowChange(stage).map { mapped(rows, $0) } ?? rows
    }
  }

  private func sort(
    _ rows: any RowOperator,
    _ orders: [SortOrder],
    top: Int?
  ) -> any RowOperator {
    let evaluator = evaluator
    return SortOperator(
      rows,
      orders.map { $0.expression.summary + ($0.isDescending ? " DESC" : " ASC") }
        .joined(separator: ", "),
      descending: orders.map(\.isDescending),
      top: top,
      resources
    ) { row in
      (row, try orders.map { try evaluator.value($0.expression, row) ?? .null })
    }
  }

  private func mapped(_ rows: any RowOperator, _ change: RowChange) -> any RowOperator {
    let evaluator = evaluator
    return RowMapper(change.name, change.detail(), rows, resources) {
      try change.body($0, evaluator)
    }
  }

  private func nearest(_ rows: any RowOperator, _ stage: NearestStage) -> any RowOperator {
    let evaluator = evaluator
    return SortOperator(
      rows,
      "nearest \(stage.measure.rawValue)",
      descending: [stage.measure == .dotProduct],
      top: stage.limit,
      resources
    ) { row in
      guard case .vector(let vector)? = try evaluator.value(stage.field, row),
        vector.count == stage.vector.count, let distance = stage.distance(to: vector)
      else { return nil }
      var result = row
      if let field = stage.distanceField { try result.set(.double(distance), at: field) }
      return (result, [.double(distance)])
    }
  }
}

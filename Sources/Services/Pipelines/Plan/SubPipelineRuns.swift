import FirestoreModel

/// The sub-pipelines that no join reads ahead for: their cost, for `explain`, and the rows of those that give the same for
/// each outer row, which run once.
///
/// One thread at a time.
final class SubPipelineRuns {
  private var nodes: [ObjectIdentifier: PlanNode] = [:]
  private var fixed: [ObjectIdentifier: Bool] = [:]
  /// The rows of those that have run, or the failure that they ended with.
  private var kept: [ObjectIdentifier: Result<[Row], ExpressionFailure>] = [:]
  private var keptBytes = 0

  /// The node of a sub-pipeline, with those inside it; made at the first call.
  func node(of plan: StagePlan) -> PlanNode {
    if let known = nodes[ObjectIdentifier(plan)] { return known }
    let inner = plan.stages.flatMap(\.expressions).flatMap(\.allSubPipelines)
    let way = isFixed(plan) ? "once" : "row by row"
    let made = PlanNode("NestedLoopJoin", "\(way): \(plan.input.text)", inner.map(node(of:)))
    nodes[ObjectIdentifier(plan)] = made
    return made
  }

  /// True where a sub-pipeline gives the same rows for each outer row.
  func isFixed(_ plan: StagePlan) -> Bool {
    if let known = fixed[ObjectIdentifier(plan)] { return known }
    let found = PlanDependencies(plan).isFixed
    fixed[ObjectIdentifier(plan)] = found
    return found
  }

  /// The rows that a sub-pipeline has given; nil before it ran, and where there was no room for them.
  func rows(of plan: StagePlan) throws -> [Row]? { try kept[ObjectIdentifier(plan)]?.get() }

  /// Keeps what a sub-pipeline gave, as long as nothing else needs the memory.
  func keep(
    _ result: Result<[Row], ExpressionFailure>,
    of plan: StagePlan,
    size: Int,
    _ resources: Resources
  ) {
    guard keptBytes + size <= resources.memoryLimit / 4, resources.hasRoom(size) else { return }
    kept[ObjectIdentifier(plan)] = result
    keptBytes += size
    resources.lend(size)
  }

  /// Forgets all rows.
  func clear(_ resources: Resources) {
    kept = [:]
    resources.give(keptBytes)
    keptBytes = 0
  }

  /// The node of a sub-pipeline that is shown; nil for others.
  func known(_ plan: StagePlan) -> PlanNode? { nodes[ObjectIdentifier(plan)] }
}

extension OperatorBuilder {
  /// The operator of a stage, its sub-pipelines below it where no join reads ahead for them.
  func observed(_ rows: any RowOperator, running expressions: [Expression]) -> any RowOperator {
    if isShown {
      for plan in expressions.flatMap(\.allSubPipelines)
      where evaluator.joins.known(plan) == nil {
        rows.node.add(evaluator.subPipelines.node(of: plan))
      }
    }
    return observed(rows)
  }

  /// All rows of a sub-pipeline for a row.
  ///
  /// A sub-pipeline that gives the same rows for each runs once, and again where memory was needed for something else.
  func gathered(_ plan: StagePlan, _ row: Row) throws -> [Row] {
    // A join's sub-pipelines use values of the rows.
    if evaluator.joins.known(plan) != nil { return try collected(plan, row) }
    let runs = evaluator.subPipelines
    guard usesIndexes, runs.isFixed(plan) else { return try counted(plan, row) }
    if let known = try runs.rows(of: plan) { return known }
    let limit = evaluator.resources.memoryLimit
    do {
      let rows = try counted(plan, Row(MapValue()))
      let size = rows.reduce(256) { $0 + $1.size(limit: limit) }
      runs.keep(.success(rows), of: plan, size: size, evaluator.resources)
      return rows
    } catch let failure as ExpressionFailure {
      runs.keep(.failure(failure), of: plan, size: 256, evaluator.resources)
      throw failure
    }
  }

  /// The rows of one run, counted and timed where `explain` shows it.
  private func counted(_ plan: StagePlan, _ row: Row) throws -> [Row] {
    guard let node = evaluator.subPipelines.known(plan) else { return try collected(plan, row) }
    let resources = evaluator.resources
    let start = resources.clock()
    defer { node.time += resources.clock() - start }
    let rows = try collected(plan, row)
    node.rows += rows.count
    node.bytes += rows.reduce(0) { $0 + $1.size(limit: resources.memoryLimit) }
    return rows
  }

  private func collected(_ plan: StagePlan, _ row: Row) throws -> [Row] {
    if let rows = try directRows(plan, for: row) { return rows }
    let rows = try build(plan, outer: row)
    let resources = evaluator.resources
    return try resources.withoutPauses {
      var result: [Row] = []
      var taken = 0
      defer { resources.give(taken) }
      while case .row(let row) = try rows.next() {
        let size = row.size(limit: resources.memoryLimit)
        taken += size
        try resources.take(size)
        result.append(row)
      }
      return result
    }
  }
}

extension InputStage {
  /// The input in words, for `explain`.
  fileprivate var text: String {
    switch self {
    case .collection(let path): "/" + path.string
    case .collectionGroup(let id): "**/\(id.string)"
    case .database: "/"
    case .documents(let paths): "\(paths.count) documents"
    case .literals(let rows): "\(rows.count) literals"
    case .subcollection(let segments): "./" + segments.map(\.string).joined(separator: "/")
    }
  }
}

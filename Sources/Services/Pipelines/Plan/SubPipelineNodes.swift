/// The cost of sub-pipelines that run for each row by themselves, for `explain`.
///
/// One thread at a time.
final class SubPipelineNodes {
  private var nodes: [ObjectIdentifier: PlanNode] = [:]

  /// The node of a sub-pipeline, with those inside it; made at the first call.
  func node(of plan: StagePlan) -> PlanNode {
    if let known = nodes[ObjectIdentifier(plan)] { return known }
    let inner = plan.stages.flatMap(\.expressions).flatMap(\.subPipelines)
    let made = PlanNode("NestedLoopJoin", "row by row: \(plan.input.text)", inner.map(node(of:)))
    nodes[ObjectIdentifier(plan)] = made
    return made
  }

  /// The node of a sub-pipeline that is shown; nil for others.
  func known(_ plan: StagePlan) -> PlanNode? { nodes[ObjectIdentifier(plan)] }
}

extension OperatorBuilder {
  /// The operator of a stage, its sub-pipelines below it where no join reads ahead for them.
  func observed(_ rows: any RowOperator, running expressions: [Expression]) -> any RowOperator {
    if isShown {
      for plan in expressions.flatMap(\.subPipelines) where evaluator.joins.known(plan) == nil {
        rows.node.add(evaluator.subPipelines.node(of: plan))
      }
    }
    return observed(rows)
  }

  /// All rows of a sub-pipeline, counted and timed where `explain` shows it.
  func gathered(_ plan: StagePlan, _ row: Row) throws -> [Row] {
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

import DocumentStore
import FirestoreModel

/// The stages of a sub-pipeline that takes rows one by one, run over documents that a join has read ahead.
///
/// There may be as many runs as outer rows, each over a document or two: operators would cost more than their work.
struct DirectStages {
  private enum Step {
    case change(RowChange)
    /// The place of the number of rows among `counts`.
    case offset(Int)
    case limit(Int)
  }

  private var steps: [Step] = []
  /// The arguments of `offset` and `limit`.
  private var counts: [Int] = []

  /// Returns nil where a stage looks at several rows, or has sub-pipelines of its own.
  ///
  /// - Parameter key: The key by which the documents are found; a condition that all of them meet is left out.
  init?(_ stages: [Stage], _ key: JoinKey) {
    // Numbered as the prefix numbers them, those that it leaves to later stages included.
    var conditions = 0
    for stage in stages {
      guard stage.expressions.allSatisfy(\.allSubPipelines.isEmpty) else { return nil }
      switch stage {
      case .offset(let count):
        steps.append(.offset(counts.count))
        counts.append(count)
      case .limit(let count):
        steps.append(.limit(counts.count))
        counts.append(count)
      case .filter(let condition):
        for part in condition.conjuncts {
          if conditions != key.metCondition { steps.append(.change(RowChange(filter: part))) }
          conditions += 1
        }
      default:
        guard let change = RowChange(stage) else { return nil }
        steps.append(.change(change))
      }
    }
  }

  /// The rows that the stages make of documents.
  func rows(
    of documents: [DocumentRecord],
    variables: [String: Value?],
    _ evaluator: Evaluator
  ) throws -> [Row] {
    let resources = evaluator.resources
    var result: [Row] = []
    var taken = 0
    defer { resources.give(taken) }
    var rest = counts
    for document in documents {
      guard !isFull(rest) else { break }
      try resources.step()
      let input = Row(document, variables: variables)
      guard let row = try changed(input, &rest, evaluator) else { continue }
      let size = row.size(limit: resources.memoryLimit)
      taken += size
      try resources.take(size)
      result.append(row)
    }
    return result
  }

  /// True where a limit lets no more rows pass; the documents behind them are not looked at then.
  private func isFull(_ rest: [Int]) -> Bool {
    guard !rest.isEmpty else { return false }
    return steps.contains { if case .limit(let place) = $0 { rest[place] <= 0 } else { false } }
  }

  private func changed(
    _ input: Row,
    _ rest: inout [Int],
    _ evaluator: Evaluator
  ) throws -> Row? {
    var row = input
    for step in steps {
      switch step {
      case .change(let change):
        try evaluator.resources.step()
        guard let next = try change.body(row, evaluator) else { return nil }
        row = next
      case .offset(let place):
        guard rest[place] == 0 else {
          rest[place] -= 1
          return nil
        }
      case .limit(let place): rest[place] -= 1
      }
    }
    return row
  }
}

extension OperatorBuilder {
  /// The rows of a sub-pipeline whose documents were read ahead and whose stages need no operators; nil elsewhere.
  func directRows(_ plan: StagePlan, for outer: Row) throws -> [Row]? {
    guard let stages = evaluator.joins.known(plan)?.direct,
      let documents = try documentsRead(ahead: plan, for: outer)
    else { return nil }
    return try stages.rows(of: documents, variables: outer.variables, evaluator)
  }
}

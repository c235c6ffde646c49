import FirestoreModel

/// Computes accumulators over the rows of each group.
final class AggregateOperator: RowOperator {
  private struct Group {
    let values: [Value]
    var accumulators: [Accumulator]
  }

  /// About the bytes of a group's state.
  private static let groupSize = 256

  let node: PlanNode
  private let input: any RowOperator
  private let evaluator: Evaluator
  private let calls: [AccumulatorCall]
  private let groupings: [Assignment]
  /// Those of the pipelines around this one.
  private let variables: [String: Value?]
  private var numbers: [GroupKey: Int] = [:]
  private var groups: [Group] = []
  private var isDone = false
  private var position = 0
  private var taken = 0

  init(
    _ input: any RowOperator,
    _ calls: [AccumulatorCall],
    groups: [Assignment],
    _ evaluator: Evaluator,
    variables: [String: Value?]
  ) {
    self.variables = variables
    let by = groups.map(\.path.canonicalString).joined(separator: ", ")
    node = PlanNode(groups.isEmpty ? "StreamAggregate" : "HashAggregate", by, [input.node])
    self.input = input
    self.calls = calls
    groupings = groups
    self.evaluator = evaluator
    // Without groups there is one row, also for no input.
    if groups.isEmpty { self.groups = [makeGroup([])] }
  }

  func next() throws -> Pull {
    while !isDone {
      switch try input.next() {
      case .row(let row): try add(row)
      case .paused: return .paused
      case .end: isDone = true
      }
      if evaluator.resources.isPaused, !isDone { return .paused }
    }
    guard position < groups.count else {
      evaluator.resources.give(taken)
      taken = 0
      groups = []
      numbers = [:]
      return .end
    }
    defer { position += 1 }
    node.rows += 1
    return .row(try row(groups[position]))
  }

  private func makeGroup(_ values: [Value]) -> Group {
    Group(values: values, accumulators: calls.map { Accumulator($0.kind) })
  }

  private func take(_ bytes: Int) throws {
    guard bytes > 0 else { return }
    taken += bytes
    try evaluator.resources.take(bytes)
  }

  private func add(_ row: Row) throws {
    try evaluator.resources.step()
    let number = groupings.isEmpty ? 0 : try groupNumber(row)
    for (index, call) in calls.enumerated() {
      guard let expression = call.expression else {
        groups[number].accumulators[index].addRow()
        continue
      }
      let value = try evaluator.value(expression, row)
      try take(try groups[number].accumulators[index].add(value))
    }
  }

  private func groupNumber(_ row: Row) throws -> Int {
    var values: [Value?] = []
    for grouping in groupings { values.append(try evaluator.value(grouping.expression, row)) }
    let key = GroupKey(values)
    if let known = numbers[key] { return known }
    let limit = evaluator.resources.memoryLimit
    let size = values.reduce(0) { $0 + ($1 ?? .null).memorySize(limit: limit) }
    try take(Self.groupSize + calls.count * 128 + 2 * size)
    groups.append(makeGroup(values.map { $0 ?? .null }))
    numbers[key] = groups.count - 1
    return groups.count - 1
  }

  private func row(_ group: Group) throws -> Row {
    var row = Row(MapValue(), variables: variables)
    for (grouping, value) in zip(groupings, group.values) { try row.set(value, at: grouping.path) }
    for (call, accumulator) in zip(calls, group.accumulators) {
      try row.set(accumulator.result, at: call.path)
    }
    return row
  }
}

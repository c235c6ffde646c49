import DocumentCodec
import FirestoreModel

/// Computes accumulators over the rows of each group.
///
/// If equal groups come one behind the other, a group is given as soon as the next one begins, and memory holds one. If
/// only fields of stored documents are read, their bytes are asked and no rows are made.
final class AggregateOperator: RowOperator {
  private struct Group {
    let values: [Value]
    var accumulators: [Accumulator]
  }

  /// About the bytes of a group's state.
  private static let groupSize = 256
  /// The most stored keys whose groups are remembered.
  private static let keysKept = 4_096

  let node: PlanNode
  private let input: any RowOperator
  private let evaluator: Evaluator
  private let calls: [AccumulatorCall]
  private let groupings: [Assignment]
  /// Those of the pipelines around this one.
  private let variables: [String: Value?]
  private var numbers: [GroupKey: Int] = [:]
  private var groups: [Group] = []
  /// The documents that are read without rows; nil where rows are needed.
  private let source: QuerySource?
  private var fields: AggregatedFields?
  private var knownKeys: [AggregatedFields.StoredKey: Int] = [:]
  private let isStreaming: Bool
  /// The key of the group that is last in a stream.
  private var current: GroupKey?
  private var isDone = false
  private var position = 0
  private var taken = 0
  /// The part of `taken` that belongs to the last group of a stream.
  private var newest = 0

  /// - Parameter isOrdered: True if the rows of a group come one behind the other.
  init(
    _ input: any RowOperator,
    _ calls: [AccumulatorCall],
    groups: [Assignment],
    isOrdered: Bool,
    _ evaluator: Evaluator,
    variables: [String: Value?]
  ) {
    self.variables = variables
    isStreaming = isOrdered && !groups.isEmpty
    source = isStreaming ? nil : input as? QuerySource
    fields = source == nil ? nil : AggregatedFields(calls, groups: groups)
    node = PlanNode(
      groups.isEmpty || isOrdered ? "StreamAggregate" : "HashAggregate",
      groups.map(\.path.canonicalString).joined(separator: ", "),
      [input.node]
    )
    self.input = input
    self.calls = calls
    groupings = groups
    self.evaluator = evaluator
    // Without groups there is one row, also for no input.
    if groups.isEmpty { self.groups = [makeGroup([])] }
  }

  func next() throws -> Pull {
    if !isDone, let source, fields != nil {
      guard try source.forEachFields({ try add($0) }) else { return .paused }
      isDone = true
    }
    while !isDone {
      switch try input.next() {
      case .row(let row): try add(row)
      case .paused: return .paused
      case .end: isDone = true
      }
      if isStreaming, groups.count == 2 { return .row(try finishFirst()) }
      if evaluator.resources.isPaused, !isDone { return .paused }
    }
    guard position < groups.count else {
      evaluator.resources.give(taken)
      taken = 0
      groups = []
      numbers = [:]
      knownKeys = [:]
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
    newest += bytes
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

  /// Takes in a stored document.
  private func add(_ stored: FieldsView) throws {
    try evaluator.resources.step()
    fields?.read(stored)
    guard let fields else { return }
    let number = groupings.isEmpty ? 0 : try groupNumber(fields)
    for (index, place) in fields.calls.enumerated() {
      guard let place else {
        groups[number].accumulators[index].addRow()
        continue
      }
      try take(try groups[number].accumulators[index].add(stored: fields.values[place]))
    }
  }

  private func groupNumber(_ fields: AggregatedFields) throws -> Int {
    if let known = knownKeys[fields.key] { return known }
    let number = try groupNumber(fields.groupValues)
    if fields.key.isShort, knownKeys.count < Self.keysKept { knownKeys[fields.key] = number }
    return number
  }

  /// The row of a group that has ended; the one that has begun behind it stays.
  private func finishFirst() throws -> Row {
    let ended = groups.removeFirst()
    let rest = newest
    evaluator.resources.give(taken - rest)
    taken = rest
    node.rows += 1
    return try row(ended)
  }

  private func groupNumber(_ row: Row) throws -> Int {
    try groupNumber(try groupings.map { try evaluator.value($0.expression, row) })
  }

  private func groupNumber(_ values: [Value?]) throws -> Int {
    let key = GroupKey(values)
    if isStreaming {
      if key == current { return groups.count - 1 }
      current = key
      newest = 0
    } else if let known = numbers[key] {
      return known
    }
    let limit = evaluator.resources.memoryLimit
    let size = values.reduce(0) { $0 + ($1 ?? .null).memorySize(limit: limit) }
    try take(Self.groupSize + calls.count * 128 + 2 * size)
    groups.append(makeGroup(values.map { $0 ?? .null }))
    if !isStreaming { numbers[key] = groups.count - 1 }
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

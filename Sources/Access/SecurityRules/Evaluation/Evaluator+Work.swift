import FirestoreModel

// The cost of operators beyond their node, in proportion to their operands.

extension Evaluator {
  /// Takes steps of the operation's budget; once they are used up nothing is evaluated any more.
  func spend(_ steps: Int, _ node: Node) throws(RulesFault) {
    guard session.work.spend(steps) else { throw exhausted(node) }
  }

  /// Takes the steps of reading or copying that many bytes.
  func spend(bytes: Int, _ node: Node) throws(RulesFault) { try spend(bytes / 16, node) }

  /// Takes the steps of walking through whole values, times the work for each part.
  func spend(
    walking values: [RulesValue],
    times factor: Int = 1,
    _ node: Node
  ) throws(RulesFault) {
    var walk = RulesWalk(stepsLeft: session.work.left / factor)
    walk.add(values)
    try spend(walk.steps * factor, node)
  }

  /// Compares within the budget.
  func compare(
    _ node: Node,
    _ body: (inout RulesComparison) -> Bool
  ) throws(RulesFault) -> Bool {
    var comparison = RulesComparison(stepsLeft: session.work.left)
    let result = body(&comparison)
    try spend(session.work.left - comparison.stepsLeft, node)
    return result
  }

  /// Refuses a result before it is built.
  func checkSize(_ size: Int, _ kind: String, _ node: Node) throws(RulesFault) {
    guard size <= RulesLimits.resultSize else {
      throw fault("The \(kind) exceeds the maximum of \(RulesLimits.resultSize).", node)
    }
  }
}

/// Counts the steps of walking through values; stops where there are too many.
struct RulesWalk {
  /// Steps so far; beyond the limit not all are counted.
  private(set) var steps = 0
  private let limit: Int

  init(stepsLeft: Int) { limit = max(0, stepsLeft) }

  mutating func add(_ values: [RulesValue]) {
    for value in values {
      add(value)
      if steps > limit { return }
    }
  }

  mutating func add(_ value: RulesValue) {
    steps += 1
    switch value {
    case .string(let text): steps += text.byteCount / 16
    case .bytes(let bytes): steps += bytes.count / 16
    case .path(let path): steps += path.segments.count
    case .vector(let numbers): steps += numbers.count / 4
    case .bson(let value): steps += value.byteSize / 16
    case .list(let elements): add(elements)
    case .set(let set): add(set.elements)
    case .map(let map): add(map)
    default: break
    }
  }

  private mutating func add(_ map: RulesMap) {
    steps += map.walkSteps
    guard steps <= limit else { return }
    for (key, value) in map.sorted {
      steps += 1 + key.byteCount / 16
      add(value)
      if steps > limit { return }
    }
  }
}

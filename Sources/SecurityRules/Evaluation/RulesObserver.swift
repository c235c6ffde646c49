/// Notes what the parts of a condition gave, for explanations and coverage.
final class RulesObserver {
  private let source: SourceText
  private let isExplaining: Bool
  private let coverage: RulesCoverage?
  private(set) var observations: [RulesAttempt.Observation] = []
  private var counted: [(node: Node, result: RulesCoverage.Tally.Result)] = []

  /// Nil where nobody wants to know.
  init?(_ source: SourceText, isExplaining: Bool, coverage: RulesCoverage?) {
    guard isExplaining || coverage != nil else { return nil }
    self.source = source
    self.isExplaining = isExplaining
    self.coverage = coverage
  }

  func note(_ node: Node, _ value: RulesValue) {
    if case .constant = node.operation { return }
    if coverage != nil { counted.append((node, .value(value))) }
    if isExplaining { add(node, value.summary) }
  }

  func note(_ node: Node, _ fault: RulesFault) {
    if coverage != nil { counted.append((node, .fault(fault))) }
    if isExplaining { add(node, "error: \(fault.message)") }
  }

  /// Hands what was noted to the coverage.
  func finish() {
    coverage?.add(counted)
    counted.removeAll()
  }

  private func add(_ node: Node, _ value: String) {
    observations.append(
      RulesAttempt.Observation(
        range: node.range,
        position: source.position(of: node.range.lowerBound),
        text: source.text(node.range),
        value: value
      )
    )
  }
}

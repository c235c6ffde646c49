/// Notes what the parts of a condition gave, for explanations and coverage.
final class RulesObserver {
  private let source: SourceText
  private let isExplaining: Bool
  private let isCounting: Bool
  private(set) var observations: [RulesAttempt.Observation] = []
  /// For coverage.
  private(set) var counted: [(node: Node, result: RulesCoverage.Tally.Result)] = []

  /// Nil without a receiver.
  init?(_ source: SourceText, isExplaining: Bool, isCounting: Bool) {
    guard isExplaining || isCounting else { return nil }
    self.source = source
    self.isExplaining = isExplaining
    self.isCounting = isCounting
  }

  func note(_ node: Node, _ value: RulesValue) {
    if case .constant = node.operation { return }
    if isCounting { counted.append((node, .value(value))) }
    if isExplaining { add(node, value.summary) }
  }

  func note(_ node: Node, _ fault: RulesFault) {
    if isCounting { counted.append((node, .fault(fault))) }
    if isExplaining { add(node, "error: \(fault.message)") }
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

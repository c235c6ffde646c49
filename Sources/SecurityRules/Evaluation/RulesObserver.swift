/// Notes what the parts of a condition gave, for explanations and coverage.
final class RulesObserver {
  private let source: SourceText
  private(set) var observations: [RulesAttempt.Observation] = []

  init(_ source: SourceText) { self.source = source }

  func note(_ node: Node, _ value: RulesValue) {
    if case .constant = node.operation { return }
    add(node, value.summary)
  }

  func note(_ node: Node, _ fault: RulesFault) { add(node, "error: \(fault.message)") }

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

import BaseText
import FirestoreModel

/// The path patterns of all triggers of a database as one automaton: a path is walked once for any
/// number of them.
struct PathAutomaton: Sendable {
  private struct Node: Sendable {
    var literals: [Text: Int] = [:]
    var mixed: [(pieces: [String], next: Int)] = []
    var any: Int?
    /// The state behind `**` here, which every further segment leaves as it is.
    var rest: Int?
    var staysOnAny = false
    var accepted: [Trigger] = []
  }

  private var nodes = [Node()]

  /// An automaton that accepts nothing.
  init() {}

  /// Adds a trigger's pattern.
  mutating func insert(_ pattern: PathPattern, for trigger: Trigger) {
    var state = 0
    for segment in pattern.segments {
      let known = next(of: state, segment)
      if let known {
        state = known
      } else {
        nodes.append(Node())
        link(state, to: nodes.count - 1, by: segment)
        state = nodes.count - 1
      }
      if segment == .rest { nodes[state].staysOnAny = true }
    }
    nodes[state].accepted.append(trigger)
  }

  private func next(of state: Int, _ segment: PathPattern.Segment) -> Int? {
    switch segment {
    case .literal(let text): nodes[state].literals[text]
    case .any: nodes[state].any
    case .rest: nodes[state].rest
    case .mixed(let pieces): nodes[state].mixed.first { $0.pieces == pieces }?.next
    }
  }

  private mutating func link(_ state: Int, to next: Int, by segment: PathPattern.Segment) {
    switch segment {
    case .literal(let text): nodes[state].literals[text] = next
    case .any: nodes[state].any = next
    case .rest: nodes[state].rest = next
    case .mixed(let pieces): nodes[state].mixed.append((pieces, next))
    }
  }

  /// The triggers whose patterns match the path, each once.
  func triggers(for path: ResourcePath) -> [Trigger] {
    var states: [Int] = []
    add(0, to: &states)
    for segment in path.segments {
      var next: [Int] = []
      for state in states {
        let node = nodes[state]
        if node.staysOnAny { add(state, to: &next) }
        if let literal = node.literals[segment] { add(literal, to: &next) }
        if let any = node.any { add(any, to: &next) }
        for (pieces, target) in node.mixed where PathPattern.matches(pieces, segment) {
          add(target, to: &next)
        }
      }
      if next.isEmpty { return [] }
      states = next
    }
    return states.flatMap { nodes[$0].accepted }
  }

  private func add(_ state: Int, to states: inout [Int]) {
    guard !states.contains(state) else { return }
    states.append(state)
    if let rest = nodes[state].rest { add(rest, to: &states) }
  }
}

import Synchronization

/// Counts the results of one ruleset's expressions, over any number of evaluations.
///
/// For coverage, compile with one or pass one to a session; without it, nothing is counted. Any
/// thread may add and ask.
package final class RulesCoverage: Sendable {
  /// The results of one expression.
  package struct Tally: Sendable {
    /// A value with how often it was seen.
    package struct Entry: Sendable {
      /// Nil represents all values beyond the first `maximumValues` different ones.
      package let result: Result?
      /// The number of evaluations that gave it.
      package var count: Int
    }

    /// The result of an evaluation.
    package enum Result: Sendable {
      case value(RulesValue)
      case fault(RulesFault)
    }

    /// In the order in which the values were first seen, at most `maximumValues` and the one for all others.
    package private(set) var entries: [Entry] = []

    /// Different values that are kept of one expression.
    package static let maximumValues = 64

    /// Maps and their like are compared only until the first `maximumValues` are known: they are
    /// documents and tokens, of which every request brings another.
    mutating func add(_ result: Result) {
      if let last = entries.last, last.result == nil, result.isComposite {
        entries[entries.count - 1].count += 1
      } else if let index = entries.firstIndex(where: { $0.result?.isSame(as: result) ?? false }) {
        entries[index].count += 1
      } else if entries.count < Self.maximumValues {
        entries.append(Entry(result: result, count: 1))
      } else if entries[entries.count - 1].result == nil {
        entries[entries.count - 1].count += 1
      } else {
        entries.append(Entry(result: nil, count: 1))
      }
    }

    /// The number of times that the expression was evaluated.
    package var count: Int { entries.reduce(0) { $0 + $1.count } }
  }

  private let tallies = Mutex<[ObjectIdentifier: Tally]>([:])

  /// Nothing counted yet.
  package init() {}

  /// Adds an evaluation's parts.
  ///
  /// The nodes are the ruleset's, which outlives this object's use.
  func add(_ results: [(node: Node, result: Tally.Result)]) {
    tallies.withLock { tallies in
      for (node, result) in results {
        tallies[ObjectIdentifier(node), default: Tally()].add(result)
      }
    }
  }

  /// Every expression of the ruleset that is no literal, evaluated or not, in the source's order:
  /// the conditions of its statements and what its functions bind and return.
  package func report(of ruleset: CompiledRuleset) -> [CoverageExpression] {
    let tallies = tallies.withLock { $0 }
    return ruleset.expressions.compactMap { CoverageExpression($0, tallies) }
      .sorted { $0.range.lowerBound < $1.range.lowerBound }
  }
}

/// An expression of a ruleset with what it gave.
package struct CoverageExpression: Sendable {
  /// Offsets in the source's UTF-8.
  package let range: Range<Int>
  /// The values of all evaluations so far; empty if the expression was never evaluated.
  package let tally: RulesCoverage.Tally
  /// Its operands that are no literals.
  package let children: [CoverageExpression]

  /// Nil for literals.
  init?(_ node: Node, _ tallies: [ObjectIdentifier: RulesCoverage.Tally]) {
    if case .constant = node.operation { return nil }
    range = node.range
    tally = tallies[ObjectIdentifier(node)] ?? RulesCoverage.Tally()
    children = node.operands.compactMap { CoverageExpression($0, tallies) }
  }
}

extension RulesCoverage.Tally.Result {
  /// True if a comparison of the value goes through many parts.
  fileprivate var isComposite: Bool {
    switch self {
    case .value(.map), .value(.list), .value(.set): true
    case .value, .fault: false
    }
  }

  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.value(let left), .value(let right)): left.isIdentical(to: right)
    case (.fault(let left), .fault(let right)):
      left.range == right.range && left.message == right.message
    case (.value, .fault), (.fault, .value): false
    }
  }
}

extension CompiledRuleset {
  /// The outermost expressions: conditions, bindings and results.
  fileprivate var expressions: [Node] {
    let conditions = [.firestore, .storage].flatMap(matches).flatMap(\.allows).compactMap(
      \.condition
    )
    return conditions + functions.flatMap { $0.bindings + [$0.result] }
  }
}

extension Node {
  /// The operands of the operation, in the source's order.
  var operands: [Node] {
    switch operation {
    case .constant, .fault, .request, .resource, .local, .capture: []
    case .list(let elements): elements
    case .map(let entries): entries.flatMap { [$0.key, $0.value] }
    case .path(let parts):
      parts.compactMap { part in if case .interpolation(let inner) = part { inner } else { nil } }
    case .member(let object, _), .not(let object), .negate(let object), .typeTest(let object, _):
      [object]
    case .index(let object, let index): [object, index]
    case .slice(let object, let from, let to): [object, from, to].compactMap { $0 }
    case .call(_, let arguments), .builtin(_, let arguments): arguments
    case .method(let object, _, let arguments), .regex(let object, _, _, let arguments):
      [object] + arguments
    case .and(let left, let right), .or(let left, let right), .binary(_, let left, let right):
      [left, right]
    case .conditional(let condition, let first, let second): [condition, first, second]
    }
  }
}

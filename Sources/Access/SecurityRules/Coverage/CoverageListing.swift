/// The source with what its expressions gave, for people.
///
/// Below each line the expressions that begin on it are listed: those that were never evaluated, whole,
/// and those that decide with how often they were true, false and an error. A `!` marks lines with
/// something that no evaluation has seen: an expression never evaluated, never true or never false.
package struct CoverageListing {
  private let source: SourceText
  private let report: [CoverageExpression]

  /// A listing of that report of the ruleset.
  package init(_ ruleset: CompiledRuleset, _ report: [CoverageExpression]) {
    source = ruleset.source
    self.report = report
  }

  /// The number of expressions, and of those that were evaluated.
  package var totals: (evaluated: Int, all: Int) {
    var evaluated = 0
    var all = 0
    visit(report) { expression in
      all += 1
      if expression.tally.count > 0 { evaluated += 1 }
      return true
    }
    return (evaluated, all)
  }

  /// The listing's lines, the totals first.
  package var lines: [String] {
    let notes = notes
    let (evaluated, all) = totals
    var result = ["\(source.fileName): \(evaluated) of \(all) expressions evaluated"]
    let text = source.text(0..<source.bytes.count)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let notes = notes[index + 1] ?? []
      let mark = notes.contains(where: \.isGap) ? "!" : " "
      result.append("\(Self.padded(index + 1)) \(mark) \(line)")
      for note in notes { result.append("         | \(note.text)") }
    }
    return result
  }

  private struct Note {
    let text: String
    let isGap: Bool
  }

  /// By line.
  private var notes: [Int: [Note]] {
    var notes: [Int: [Note]] = [:]
    visit(report) { expression in
      let position = source.position(of: expression.range.lowerBound)
      let text = "\(position.column): " + Self.oneLine(source.text(expression.range))
      guard expression.tally.count > 0 else {
        notes[position.line, default: []].append(
          Note(text: text + "  never evaluated", isGap: true)
        )
        return false
      }
      if let counts = expression.tally.decisions {
        notes[position.line, default: []].append(
          Note(text: "\(text)  \(counts.text)", isGap: counts.isGap)
        )
      }
      return true
    }
    return notes
  }

  /// Visits outer expressions before inner ones; false skips the inner ones.
  private func visit(_ expressions: [CoverageExpression], _ body: (CoverageExpression) -> Bool) {
    for expression in expressions where body(expression) { visit(expression.children, body) }
  }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: " ", count: max(0, 5 - digits.count)) + digits
  }

  private static func oneLine(_ text: String) -> String {
    text.split { $0.isWhitespace }.joined(separator: " ")
  }
}

extension RulesCoverage.Tally {
  /// The counts of a deciding expression's results.
  fileprivate struct Decisions {
    var yes = 0
    var no = 0
    var faults = 0

    var text: String {
      let parts = [
        yes > 0 ? "true \(yes)" : "never true", no > 0 ? "false \(no)" : "never false",
        faults > 0 ? "error \(faults)" : nil,
      ]
      return parts.compactMap { $0 }.joined(separator: ", ")
    }

    var isGap: Bool { yes == 0 || (no == 0 && faults == 0) }
  }

  /// Nil for expressions that never gave true or false.
  fileprivate var decisions: Decisions? {
    var counts = Decisions()
    for entry in entries {
      switch entry.result {
      case .value(.boolean(true)): counts.yes += entry.count
      case .value(.boolean(false)): counts.no += entry.count
      case .fault: counts.faults += entry.count
      case .value, nil: break
      }
    }
    return counts.yes + counts.no > 0 ? counts : nil
  }
}

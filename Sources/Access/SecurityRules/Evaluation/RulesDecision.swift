import FirestoreModel

/// The decision about one operation.
package struct RulesDecision: Sendable {
  /// True if one of the statements allowed the operation.
  package let isAllowed: Bool
  /// Why: the allow statements that were tried, up to the one that allowed.
  package let attempts: [RulesAttempt]
  /// The documents that the rules read, in the order of the first reading; documents that do not
  /// exist included.
  package let documentsRead: [ResourcePath]
  /// True if the rules looked at `request.time`: another moment may give another decision.
  package let usesTime: Bool

  /// True if a denial is due to something unknown: a statement may allow once it is known.
  package var isUndetermined: Bool {
    attempts.contains { attempt in
      if case .failed(let fault) = attempt.outcome { fault.isUndetermined } else { false }
    }
  }

  /// The diagnosis of a denial for operators, in the emulator's words.
  package var explanation: String {
    if isAllowed { return attempts.last.map(\.summary) ?? "" }
    if attempts.isEmpty { return "No matching allow statements" }
    return attempts.map(\.summary).joined(separator: ", ")
  }
}

/// The result of one allow statement.
package struct RulesAttempt: Sendable {
  /// The result of a condition.
  package enum Outcome: Sendable {
    case allowed
    case notTrue(RulesValue)
    case failed(RulesFault)
  }

  /// The value that a part of the condition had.
  package struct Observation: Sendable {
    /// Offsets of the part in the source's UTF-8.
    package let range: Range<Int>
    /// The line and the column of the part's beginning.
    package let position: SourceText.Position
    /// The part's source.
    package let text: String
    /// A short rendering of the value, or of the error.
    package let value: String
  }

  /// The method that was asked for, which `read` and `write` of a statement include.
  package let method: RulesMethod
  /// The allow statement.
  package let range: Range<Int>
  /// The result of the condition; a statement without one is `allowed`.
  package let outcome: Outcome
  /// Only for evaluations that were asked to observe, inner parts first.
  package let observations: [Observation]

  let source: SourceText

  /// The position of the statement's beginning.
  package var position: SourceText.Position { source.position(of: range.lowerBound) }

  /// `false for 'get' @ L4`.
  package var summary: String {
    let context = "for '\(method.rawValue)' @ L\(position.line)"
    switch outcome {
    case .allowed: return "true \(context)"
    case .notTrue(let value):
      if case .boolean = value { return "false \(context)" }
      return "\(value.summary) \(context)"
    case .failed(let fault): return "\(fault.message) \(context)"
    }
  }
}

/// An error value: absorbed by `&&` and `||`, otherwise a denial.
package struct RulesFault: Error, Sendable {
  /// The error in the emulator's words.
  package let message: String
  /// The expression that failed.
  package let range: Range<Int>
  /// True if the cause is unknown data: the rest of a map that is open.
  package var isUndetermined = false
}

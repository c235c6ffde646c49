import FirestoreModel

/// The verdict over one operation.
package struct RulesDecision: Sendable {
  /// True if one of the statements allowed the operation.
  package let isAllowed: Bool
  /// Why: the allow statements that were tried, up to the one that allowed.
  package let attempts: [RulesAttempt]
  /// What the rules read, in the order of the first reading; documents that do not exist included.
  package let documentsRead: [ResourcePath]
  /// Whether `request.time` was looked at: another moment may give another verdict.
  package let usesTime: Bool

  /// Whether a denial is for want of what is not known yet: a statement may allow once it is.
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

/// How one allow statement answered.
package struct RulesAttempt: Sendable {
  /// What a condition gave.
  package enum Outcome: Sendable {
    case allowed
    case notTrue(RulesValue)
    case failed(RulesFault)
  }

  /// What a part of the condition was seen to be.
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

  /// Where the statement begins.
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
  /// Whether it lies in what is not known: the rest of a map that is open.
  package var isUndetermined = false
}

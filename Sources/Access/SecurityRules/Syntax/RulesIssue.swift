/// Something that the compiler has to say about a ruleset.
package struct RulesIssue: Error, Sendable, Hashable {
  /// Warnings let a ruleset load, errors do not.
  package enum Severity: String, Sendable {
    case warning = "WARNING"
    case error = "ERROR"
  }

  /// Decides if the ruleset loads.
  package let severity: Severity
  /// A sentence in the words of Firebase's compiler where it has some.
  package let message: String
  /// Offsets in the source.
  package let range: Range<Int>

  /// An issue about that part of the source.
  package init(_ severity: Severity, _ message: String, at range: Range<Int>) {
    self.severity = severity
    self.message = message
    self.range = range
  }

  /// An error about that part of the source.
  static func error(_ message: String, at range: Range<Int>) -> RulesIssue {
    RulesIssue(.error, message, at: range)
  }
}

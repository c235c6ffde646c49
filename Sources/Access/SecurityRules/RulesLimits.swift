/// The limits of a ruleset and of its evaluation (fact sheet, section 8).
package enum RulesLimits {
  /// Nested `match` blocks: the service's own and ten more.
  package static let matchDepth = 11
  /// Levels of one expression: itself and 98 more, chains of operators included.
  package static let nesting = 99
  /// Segments of one combined match path.
  package static let pathSegments = 100
  /// Captures of one combined match path, `{database}` included.
  package static let captures = 20
  /// Functions calling functions.
  package static let callDepth = 20
  /// Parameters of one function.
  package static let parameters = 7
  /// `let` bindings of one function.
  package static let bindings = 11
  /// Bytes of source.
  package static let sourceBytes = 256 * 1024
  /// Evaluated nodes of one document operation.
  package static let evaluations = 1_000
  /// Access calls of one document operation.
  package static let accessCalls = 10
  /// Access calls of one commit, batch or transaction.
  package static let accessCallsOfBatch = 20
  /// The number of tried forms of one alternative of a query for its proof, each an evaluation.
  package static let variants = 64
  /// The same of all alternatives together.
  package static let variantsOfQuery = 512
  /// Errors that the parser lists.
  package static let syntaxErrors = 100
  /// Bytes of a text, or elements of a list, that an operator may build: what a document holds, twice.
  package static let resultSize = 2 * 1024 * 1024
  /// Steps of work of one document operation or query, beside its nodes: some nanoseconds each.
  package static let steps = 10_000_000
  /// The same of all operations of one commit, batch or transaction.
  package static let stepsOfRequest = 40_000_000
  /// The same of all operations of a request that is judged on an event loop, which has other clients, too.
  package static let stepsOfBriefRequest = 100_000
  /// Bytes of a regular expression.
  package static let regexBytes = 10_000
  /// Instructions of one regular expression.
  package static let regexInstructions = 10_000
}

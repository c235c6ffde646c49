import Access
import BaseJSON
import BaseText
import FirestoreModel
import SecurityRules

/// The result of one case.
package struct RulesTestResult: Sendable {
  /// The decision of the rules, with the evaluated allow statements.
  package let decision: RulesDecision
  /// True if the decision is the expected one.
  package let isSuccess: Bool
  /// The calls of access functions that the rules made.
  package let calls: [RulesMocks.Call]
  /// The case's own coverage, where it asked for reports.
  let coverage: RulesCoverage?
}

extension RulesTestCase {
  /// Tries the case's request on the rules; `coverage` counts it too.
  package func run(
    on ruleset: CompiledRuleset,
    coverage: RulesCoverage? = nil
  ) throws -> RulesTestResult {
    let mocks = RulesMocks(mocks, hasDocuments: documents != nil)
    let own = reporting == .none ? nil : RulesCoverage()
    let database = test.service == .firestore ? test.path[1] : "(default)"
    let session = RulesSession(
      ruleset: ruleset,
      database: database,
      dataSource: TestDocuments(database: database, documents: documents ?? [:]),
      digests: SystemDigests(),
      coverage: own ?? coverage,
      mocks: mocks
    )
    let decision = try session.evaluate(test)
    return RulesTestResult(
      decision: decision,
      isSuccess: decision.isAllowed == expectsAllow,
      calls: mocks.calls,
      coverage: own
    )
  }
}

/// A case's documents.
private struct TestDocuments: RulesDataSource {
  let database: Text
  let documents: [ResourcePath: RulesMap]

  func document(at path: ResourcePath) throws -> RulesDocument? {
    documents[path].map { data in
      RulesDocument(path: ["databases", database, "documents"] + path.segments, data: data)
    }
  }

  func documentAfter(at path: ResourcePath) throws -> RulesDocument? { try document(at: path) }
}

extension RulesTestResult {
  /// The `TestResult` of the API.
  func json(of test: RulesTestCase, _ ruleset: CompiledRuleset) -> JSONValue {
    let source = ruleset.source
    var members: [JSONValue.Member] = [
      .init("state", .string(isSuccess ? "SUCCESS" : "FAILURE"))
    ]
    if !isSuccess {
      members.append(
        .init("debugMessages", .array(decision.report.map(JSONValue.string)))
      )
      if let fault = decision.attempts.compactMap(\.fault).last {
        members.append(
          .init("errorPosition", RulesIssue.position(fault.range, in: source))
        )
      }
    }
    if !calls.isEmpty {
      members.append(.init("functionCalls", .array(calls.map(\.json))))
    }
    let report = coverage?.report(of: ruleset) ?? []
    switch test.reporting {
    case .none: break
    case .full:
      members.append(
        .init("expressionReports", .array(report.map { $0.json(in: source) }))
      )
    case .visited:
      members.append(
        .init("visitedExpressions", .array(report.flatMap { $0.visited(in: source) }))
      )
    }
    return .object(members)
  }
}

extension RulesAttempt {
  fileprivate var fault: RulesFault? {
    if case .failed(let fault) = outcome { fault } else { nil }
  }
}

extension RulesMocks.Call {
  fileprivate var json: JSONValue {
    .object(["function": .string(function), "args": .array([argument.plainJSON])])
  }
}

extension CoverageExpression {
  /// The expression and its operands with their last values, those that have one.
  fileprivate func visited(in source: SourceText) -> [JSONValue] {
    var result: [JSONValue] = []
    if case .value(let value)? = tally.entries.last?.result {
      result.append(
        .object([
          "sourcePosition": RulesIssue.position(range, in: source), "value": value.plainJSON,
        ])
      )
    }
    return result + children.flatMap { $0.visited(in: source) }
  }
}

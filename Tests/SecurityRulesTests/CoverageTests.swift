import BaseText
import Testing

@testable import SecurityRules

/// Tests of the values that evaluations gave, expression by expression.
struct CoverageTests {
  private static let rules = firestoreRules(
    """
    function mine(o) { return o == request.auth.uid; }
    match /q/{id} {
      allow get: if resource.data.open == true || mine(resource.data.o);
      allow delete: if (resource.data.n > 3) && true;
    }
    """
  )

  private func run(
    _ operations: [Operation],
    on coverage: RulesCoverage,
    observing: Bool = false
  ) throws -> CompiledRuleset {
    let ruleset = try RulesCompiler.compile(SourceText(Self.rules), coverage: coverage)
    let documents = Documents(["q/a": ["open": true, "o": "bob"], "q/b": ["o": "alice"]])
    for operation in operations {
      let session = RulesSession(ruleset, documents)
      _ = try session.evaluate(operation, in: documents)
    }
    return ruleset
  }

  private func get(_ path: String, _ user: Text?) -> Operation {
    Operation(method: .get, path: path, user: user)
  }

  /// Each expression's text with its counts.
  private func counts(_ ruleset: CompiledRuleset) -> [String: [String]] {
    var result: [String: [String]] = [:]
    func visit(_ expression: CoverageExpression) {
      let seen = expression.tally.entries.map { entry in
        switch entry.result {
        case .value(let value): "\(value.summary) x\(entry.count)"
        case .fault: "error x\(entry.count)"
        case nil: "more x\(entry.count)"
        }
      }
      result[ruleset.source.text(expression.range)] = seen
      for child in expression.children { visit(child) }
    }
    for expression in ruleset.coverage?.report(of: ruleset) ?? [] { visit(expression) }
    return result
  }

  @Test func `every evaluation of an expression is counted with its value`() throws {
    let coverage = RulesCoverage()
    let ruleset = try run(
      [get("q/a", "alice"), get("q/b", "alice"), get("q/b", "eve")],
      on: coverage
    )
    let counts = counts(ruleset)
    #expect(counts["resource.data.open"] == ["true x1", "error x2"])
    #expect(counts["resource.data.open == true"] == ["true x1", "error x2"])
    #expect(counts["mine(resource.data.o)"] == ["true x1", "false x1"])
    #expect(counts["o == request.auth.uid"] == ["true x1", "false x1"])
    #expect(counts["request.auth.uid"] == ["\"alice\" x1", "\"eve\" x1"])
    #expect(counts["true"] == nil, "literals have no counts")
  }

  @Test func `what was never evaluated is listed without values`() throws {
    let coverage = RulesCoverage()
    let ruleset = try run([get("q/a", nil)], on: coverage)
    let counts = counts(ruleset)
    #expect(counts["(resource.data.n > 3) && true"] == [])
    #expect(counts["(resource.data.n > 3)"] == [])
    #expect(counts["mine(resource.data.o)"] == [])
    let listing = CoverageListing(ruleset, coverage.report(of: ruleset))
    #expect(listing.totals == (5, 19))
    #expect(listing.lines.first == "firestore.rules: 5 of 19 expressions evaluated")
    #expect(
      listing.lines.contains { $0.hasSuffix("(resource.data.n > 3) && true  never evaluated") }
    )
    #expect(listing.lines.contains { $0.hasSuffix("true 1, never false") })
  }

  @Test func `without coverage nothing is counted, and observers do not count twice`() throws {
    let coverage = RulesCoverage()
    let ruleset = try RulesCompiler.compile(SourceText(Self.rules), coverage: coverage)
    let request = RulesRequest(
      method: .get,
      path: ["databases", "(default)", "documents", "q", "a"],
      time: noon2026
    )
    _ = try RulesSession(ruleset, Documents()).evaluate(request, observing: true)
    #expect(!counts(ruleset).values.contains { !$0.isEmpty })
    let plain = try RulesCompiler.compile(SourceText(Self.rules))
    #expect(plain.coverage == nil)
  }

  @Test func `different values beyond a bound are counted together`() throws {
    let coverage = RulesCoverage()
    let users = (0..<100).map { get("q/b", Text("user\($0)")) }
    let ruleset = try run(users, on: coverage)
    let entries = counts(ruleset)["request.auth.uid"] ?? []
    #expect(entries.count == RulesCoverage.Tally.maximumValues + 1)
    #expect(entries.last == "more x36")
  }
}

/// Requests that are given as rules see them, with mocked access functions.
struct RulesTestTests {
  private func decision(
    _ condition: String,
    resource: RulesValue = .null,
    request: [Text: RulesValue] = [:],
    mocks: RulesMocks = RulesMocks([], hasDocuments: false)
  ) throws -> RulesDecision {
    let ruleset = try compile(firestoreRules("match /q/{id} { allow get: if \(condition); }"))
    let session = RulesSession(
      ruleset: ruleset,
      database: "(default)",
      dataSource: Documents(["u/a": ["n": 7]]),
      digests: FakeDigests(),
      mocks: mocks
    )
    return try session.evaluate(
      RulesTest(
        service: .firestore,
        method: .get,
        path: ["databases", "(default)", "documents", "q", "d0"],
        request: request,
        resource: resource
      )
    )
  }

  @Test func `the request is what the test says`() throws {
    #expect(try decision("request.method == 'get' && request.path[4] == 'd0'").isAllowed)
    #expect(try decision("request.app == 'x'", request: ["app": .string("x")]).isAllowed)
    #expect(try decision("resource == null").isAllowed)
    #expect(try decision("request.auth.uid == 'x'").isAllowed == false)
  }

  @Test func `mocks answer access functions by name and argument`() throws {
    let a = "/databases/(default)/documents/u/a"
    let mocks = RulesMocks(
      [
        .init(
          function: "get",
          argument: .string(Text(a)),
          answer: .value(.map(RulesMap(["x": .integer(1)])))
        ),
        .init(function: "exists", argument: nil, answer: .value(.boolean(true))),
        .init(function: "getAfter", argument: nil, answer: .undefined),
      ],
      hasDocuments: false
    )
    #expect(try decision("get(\(a)).x == 1", mocks: mocks).isAllowed)
    #expect(
      try decision("get(/databases/(default)/documents/u/b).x == 1", mocks: mocks).isAllowed
        == false
    )
    #expect(try decision("exists(\(a)) && exists(\(a))", mocks: mocks).isAllowed)
    #expect(try decision("getAfter(\(a)) != null", mocks: mocks).isAllowed == false)
    #expect(mocks.calls.map(\.function) == ["get", "get", "exists", "exists", "getAfter"])
    #expect(
      try decision("get(\(a)).data.n == 7", mocks: RulesMocks([], hasDocuments: true)).isAllowed
    )
    #expect(try decision("get(\(a)).data.n == 7").isAllowed == false)
  }

  @Test func `the report names the statement and the values that it saw`() throws {
    let denied = try decision(
      "resource.data.o == request.auth.uid",
      resource: .map(RulesMap(["data": .map(RulesMap(["o": .string("ana")]))])),
      request: ["auth": .map(RulesMap(["uid": .string("bob")]))]
    )
    #expect(
      denied.report == [
        "not allowed by line 4: allow get: if resource.data.o == request.auth.uid",
        "    resource.data.o == request.auth.uid = false", "    request.auth.uid = \"bob\"",
        "    resource.data.o = \"ana\"",
      ]
    )
  }
}

import BaseText
import FirestoreModel
import Foundation
import Testing

@testable import SecurityRules

/// The budget of work of an evaluation: what a client makes large costs in proportion.
struct WorkTests {
  private static let limit = "maximum of 10000000 steps"
  /// By how much documents and budgets are smaller where nobody asks for slow tests: debug builds take
  /// seconds for a megabyte.
  private static let scale =
    ProcessInfo.processInfo.environment["BRASA_SLOW_TESTS"] == "1" ? 1 : 50
  private static let steps = RulesLimits.steps / scale
  private static let budget = WorkBudget(
    ofOperation: steps,
    ofRequest: RulesLimits.stepsOfRequest / scale
  )

  /// Returns the result of a get of a document with those fields, and the number of steps that it
  /// took.
  private func run(
    _ condition: String,
    _ resource: MapValue,
    functions: String = "",
    budget: WorkBudget = WorkTests.budget
  ) throws -> (decision: RulesDecision, steps: Int) {
    let source = firestoreRules("\(functions)\nmatch /q/{id} { allow get: if \(condition); }")
    var store = Documents()
    store.before["q/d0"] = resource
    let session = RulesSession(try compile(source), store)
    session.work = budget
    let decision = try session.evaluate(
      Operation(method: .get, path: "q/d0", user: "alice"),
      in: store
    )
    return (decision, Self.steps - session.work.left)
  }

  private func isRefused(_ condition: String, _ resource: MapValue) throws -> Bool {
    let (decision, _) = try run(condition, resource)
    return !decision.isAllowed && decision.explanation.contains(Self.limit)
  }

  private static func text(_ part: String, _ bytes: Int) -> Value {
    .string(Text(String(repeating: part, count: bytes / scale / part.utf8.count)))
  }

  private static let megabyte = 1_000_000

  @Test(arguments: [
    "resource.data.s.matches('(a|b|ab)*(a?){50}c')",
    "resource.data.s.replace('', resource.data.t) != ''",
    "resource.data.s.replace('a', resource.data.t) != ''",
    "resource.data.s.replace('(a*)(b|c|$)?', '$1$2$1') != ''",
    "resource.data.s.split('a.*b|a').size() > 1", "resource.data.s.matches(resource.data.p)",
    "resource.data.l.toSet().size() > 1", "resource.data.l.hasAny(resource.data.l)",
    "resource.data.maps.toSet().size() > 1", "resource.data.nans.hasAll(resource.data.nans)",
    "resource.data.l.removeAll(resource.data.l) == []",
    "resource.data.u.upper() + resource.data.u.lower() != ''",
    "path(resource.data.slashes) is path || path(resource.data.slashes) is path",
  ])
  func `a condition over a megabyte ends with the limit of work`(condition: String) throws {
    let resource = fields([
      ("s", Self.text("a", 1_000_000)), ("t", Self.text("$0", 10_000 * Self.scale)),
      ("p", .string("(a{0,500})*b")), ("slashes", Self.text("/a", 1_000_000)),
      ("u", Self.text("é", 1_000_000)),
      ("l", .array((0..<Int64(1_000_000 / Self.scale)).map { .integer($0) })),
      ("maps", .array((0..<Int64(500_000 / Self.scale)).map { ["a": .integer($0)] })),
      ("nans", .array(Array(repeating: .double(.nan), count: 1_000_000 / Self.scale))),
    ])
    let (decision, steps) = try run(condition, resource)
    #expect(!decision.isAllowed)
    // What goes over the budget is bounded by what one operator counts before it begins.
    #expect(steps < 8 * Self.steps, "\(steps)")
    #expect(
      decision.explanation.contains(Self.limit)
        || decision.explanation.contains("exceeds the maximum"),
      "\(decision.explanation)"
    )
  }

  @Test(arguments: [
    "resource.data.s.matches('[a-z]*')", "resource.data.s.size() > 0",
    "resource.data.s == resource.data.s", "resource.data.s.upper().size() > 0",
    "resource.data.s.replace('b', 'c') == resource.data.s", "resource.data.l.size() > 0",
    "resource.data.l.toSet().size() > 0", "!(-1 in resource.data.l)",
    "resource.data.diff({'s': 1}).affectedKeys().hasAll(['s', 'l'])",
    "hashing.sha256(resource.data.s).size() == 32",
    "(resource.data.s + resource.data.s).size() > 0",
  ])
  func `a megabyte that is looked at once is no limit`(condition: String) throws {
    let resource = fields([
      ("s", Self.text("a", 1_000_000)),
      ("l", .array((0..<Int64(10_000 / Self.scale)).map { .integer($0) })),
    ])
    let (decision, steps) = try run(condition, resource)
    #expect(decision.isAllowed, "\(decision.explanation), \(steps) steps")
  }

  @Test func `calls within calls share the budget of work`() throws {
    let functions = """
      function a(x) { return x.matches('[a-z]*') && x.matches('[a-y]*'); }
      function b(x) { return a(x) && a(x) && a(x) && a(x); }
      function c(x) { return b(x) && b(x) && b(x) && b(x); }
      """
    let resource = fields([("s", Self.text("a", 500_000))])
    let (decision, _) = try run("c(resource.data.s) || true", resource, functions: functions)
    #expect(!decision.isAllowed && decision.explanation.contains(Self.limit))
  }

  @Test func `comparisons of large maps count what they compare`() throws {
    let entries = (0..<Int64(60_000 / Self.scale)).map {
      MapValue.Entry(key: Text("key\($0)"), value: .integer($0))
    }
    let resource = fields([("m", .map(MapValue(entries))), ("n", .map(MapValue(entries)))])
    let (one, steps) = try run("resource.data.m == resource.data.n", resource)
    #expect(one.isAllowed && steps > 60_000 / Self.scale)
    let many = Array(repeating: "resource.data.m == resource.data.n", count: 90).joined(
      separator: " && "
    )
    #expect(try isRefused(many, resource))
    let diffs = Array(
      repeating: "resource.data.m.diff(resource.data.n).affectedKeys().size() == 0",
      count: 90
    ).joined(separator: " && ")
    #expect(try isRefused(diffs, resource))
    let lists = Array(
      repeating: "(resource.data.m.values() == resource.data.n.values())",
      count: 90
    )
    #expect(try isRefused(lists.joined(separator: " && "), resource))
  }

  @Test func `statements of one operation share its budget, operations the request's`() throws {
    let statement = "allow get, create: if resource.data.s.matches('(a|b|ab)*(a?){50}c');"
    let rules = "match /q/{id} { \(statement) allow get; }"
    var store = Documents()
    store.before["q/d0"] = fields([("s", Self.text("a", 1_000_000))])
    let session = RulesSession(try compile(firestoreRules(rules)), store)
    session.work = Self.budget
    let get = Operation(method: .get, path: "q/d0")
    // What has no condition needs no work.
    #expect(try session.evaluate(get, in: store).isAllowed)
    #expect(session.isExhausted)
    let create = Operation(method: .create, path: "q/d0", change: [:])
    for _ in 0..<6 { #expect(try !session.evaluate(create, in: store).isAllowed) }
    #expect(session.isExhausted)
    #expect(session.work.left <= 0)
  }

  @Test func `texts and lists that an operator builds are bounded`() throws {
    let resource = fields([("s", Self.text("a", 1_000_000 * Self.scale))])
    let (decision, _) = try run(
      "(resource.data.s + resource.data.s + resource.data.s).size() > 0",
      resource,
      budget: WorkBudget()
    )
    #expect(decision.explanation.contains("The text exceeds the maximum of 2097152."))
    let joined = "[resource.data.s, resource.data.s, resource.data.s].join('').size() > 0"
    let (other, _) = try run(joined, resource, budget: WorkBudget())
    #expect(other.explanation.contains("The text exceeds"))
    let ruleset = try compile(firestoreRules("match /q/{id} { allow get; }"))
    let session = RulesSession(ruleset, Documents())
    let evaluator = Evaluator(session: session, request: .null, resource: .null)
    let node = Node(.resource, at: 0..<0)
    #expect(throws: RulesFault.self) {
      try evaluator.checkSize(RulesLimits.resultSize + 1, "list", node)
    }
    #expect(throws: Never.self) { try evaluator.checkSize(RulesLimits.resultSize, "list", node) }
  }

  @Test func `query proofs share one budget of work`() throws {
    let rules =
      "match /q/{id} { allow list: if request.auth.token.s.matches('(a|b|ab)*(a?){50}c') || true; }"
    let session = RulesSession(try compile(firestoreRules(rules)), Documents())
    session.work = Self.budget
    var query = Query(scope: .collection("q"))
    query.filter = .or((0..<10).map { f("n", "==", .integer($0)) })
    let decision = try session.prove(
      query.normalized(),
      database: testDatabase,
      auth: auth("alice", ["s": Self.text("a", Self.megabyte)]),
      time: noon2026
    )
    #expect(!decision.isAllowed && decision.explanation.contains(Self.limit))
  }

  /// Names and numbers that clients choose do not make sets slow.
  @Test func `values of hostile documents hardly collide`() throws {
    let points = (0..<20_000).map { index in
      Value.geoPoint(GeoPoint(latitude: 1, longitude: Double(index) / 200))
    }
    let near = (0..<20_000).map { Value.integer(.max - Int64($0)) }
    for elements in [points, near, (0..<20_000).map { ["a": .integer($0)] }] as [[Value]] {
      var hashes: Set<Int> = []
      for element in elements {
        var hasher = Hasher()
        RulesValue(element).hashNumerically(into: &hasher)
        hashes.insert(hasher.finalize())
      }
      #expect(hashes.count == elements.count)
    }
  }

  @Test func `large documents are decoded once however often rules ask`() throws {
    final class Counting: RulesDocumentFields {
      let stored: MapValue
      let looks = Looks()
      init(_ stored: MapValue) { self.stored = stored }
      func value(of field: Text) -> Value? {
        looks.note()
        return stored[field]
      }
      func all() -> MapValue {
        looks.note()
        return stored
      }
      var byteCount: Int { 100_000 }
    }
    let counting = Counting(fields([("a", 1), ("l", [1, 2])]))
    let map = RulesMap(counting)
    for _ in 0..<100 {
      #expect(map["a"] != nil && map["z"] == nil && map.count == 2 && map.keys.count == 2)
    }
    #expect(counting.looks.count == 3)
    #expect(map.lookupSteps("a", map["a"]) > 0 && map.lookupSteps("a", map["a"]) == 0)
  }
}

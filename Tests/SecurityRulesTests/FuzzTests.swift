import BaseText
import FirestoreModel
import Foundation
import ModelTestSupport
import Testing

@testable import SecurityRules

/// Random conditions over fields `a`, `b`, `l` and `m` of a document.
private struct RandomRules {
  var source: SeededSource

  mutating func pick<T>(_ choices: [T]) -> T {
    choices[Int.random(in: 0..<choices.count, using: &source)]
  }

  mutating func field() -> String {
    pick([
      "resource.data.a", "resource.data.b", "resource.data.m.x", "resource.data.l",
      "resource.data.m",
    ])
  }

  mutating func constant() -> String {
    pick([
      "1", "2", "1.0", "2.5", "0", "-0.0", "'x'", "'y'", "true", "false", "null", "[1]",
      "[1.0, 'x']",
      "{'x': 1}", "request.auth.uid", "timestamp.value(0)", "9007199254740993",
      "9007199254740992.0",
    ])
  }

  mutating func value(_ depth: Int) -> String {
    if depth <= 0 { return Bool.random(using: &source) ? field() : constant() }
    switch Int.random(in: 0..<12, using: &source) {
    case 0: return "(\(value(depth - 1)) + \(value(depth - 1)))"
    case 1: return "[\(value(depth - 1)), \(value(depth - 1))]"
    case 2: return "resource.data.get('\(pick(["a", "b", "z"]))', \(value(depth - 1)))"
    case 3: return "{'x': \(value(depth - 1))}"
    case 4: return "(\(condition(depth - 1)) ? \(value(depth - 1)) : \(value(depth - 1)))"
    case 5: return "\(field())\(pick([".size()", ".keys()", ".values()", ".toSet()", "[0]", ".x"]))"
    case 6: return "debug(\(value(depth - 1)))"
    case 7: return "string(\(value(depth - 1)))"
    case 8: return "f(\(value(depth - 1)))"
    default: return Bool.random(using: &source) ? field() : constant()
    }
  }

  mutating func condition(_ depth: Int) -> String {
    guard depth > 0 else {
      return "\(value(0)) \(pick(["==", "!=", "<", "<=", ">", ">=", "in"])) \(value(0))"
    }
    switch Int.random(in: 0..<16, using: &source) {
    case 0, 1: return "(\(condition(depth - 1)) && \(condition(depth - 1)))"
    case 2, 3: return "(\(condition(depth - 1)) || \(condition(depth - 1)))"
    case 4: return "!(\(condition(depth - 1)))"
    case 5:
      return
        "(\(value(depth - 1)) is \(pick(["int", "float", "number", "string", "list", "map", "constraint", "bool"])))"
    case 6:
      return
        "'\(pick(["a", "b", "z"]))' in \(pick(["resource.data", "resource.data.m", "resource"]))"
    case 7: return "\(value(depth - 1)).\(pick(["hasAny", "hasAll", "hasOnly"]))([\(constant())])"
    case 8: return "(\(value(depth - 1)) in [\(constant()), \(constant())])"
    case 9:
      return "resource.data.diff({'a': 1}).\(pick(["affectedKeys", "addedKeys"]))().hasOnly(['a'])"
    case 10: return "resource.data.keys().\(pick(["hasOnly", "hasAny"]))(['a', 'b'])"
    case 11:
      let name = pick(["id", "resource.id", "string(id)"])
      return "(\(name) \(pick(["== 'd1'", "!= 'd1'", "in ['d1', 'd2']", "> 'd1'"])))"
    case 12: return "request.query.\(pick(["limit", "offset"])) \(pick(["==", "<=", ">"])) 2"
    default:
      return
        "\(value(depth - 1)) \(pick(["==", "!=", "<", "<=", ">", ">=", "in"])) \(value(depth - 1))"
    }
  }

  mutating func stored() -> Value {
    pick([
      1, 2, 1.0, 2.5, 0, 0.0, -0.0, "x", "y", "alice", true, false, nil, [1], [1.0], [1.0, "x"],
      ["x"],
      ["alice", 2], ["x": 1], ["x": 1.0], [:], .timestamp(Timestamp(microseconds: 0)),
      .double(.nan),
      9_007_199_254_740_993, 9_007_199_254_740_992.0, .double(.infinity), .bytes([1]),
      .bson(.int32(1)), .bson(.int32(2)), [.bson(.int32(1))], decimal(), decimal(), [decimal()],
      .bson(.minKey), .bson(.maxKey), .bson(.objectID(BSONObjectID(high: 1, low: 2))),
    ])
  }

  private mutating func decimal() -> Value {
    let text = pick([
      "1.0", "2.5", "1.0000000000000000000001", "2.4999999999999999999999", "0.1", "-0", "NaN",
      "9007199254740992.5", "Infinity",
    ])
    return .bson(.decimal(Decimal128(text) ?? .nan))
  }

  mutating func document() -> MapValue {
    var document = MapValue()
    for name in ["a", "b", "l", "z"] as [Text] where Int.random(in: 0..<4, using: &source) > 0 {
      document[name] = stored()
    }
    if Bool.random(using: &source) { document["m"] = ["x": stored()] }
    return document
  }

  /// Conditions, joined and nested either way; nil is none.
  mutating func filter(_ depth: Int = 1) -> Filter? {
    let count = Int.random(in: 0..<4, using: &source)
    var parts: [Filter] = []
    for _ in 0..<count {
      if depth > 0, Int.random(in: 0..<5, using: &source) == 0 {
        if let inner = filter(depth - 1) { parts.append(inner) }
        continue
      }
      if Int.random(in: 0..<8, using: &source) == 0 {
        let names = (0..<2).map { _ in
          reference("q/d\(Int.random(in: 0..<4, using: &source))")
        }
        let comparison = pick(["==", "==", "in", "!=", ">="])
        parts.append(f("__name__", comparison, comparison == "in" ? .array(names) : names[0]))
        continue
      }
      let name = pick(["a", "b", "l", "m.x", "m"])
      let comparison = pick([
        "==", "==", "==", "!=", "<", "<=", ">", ">=", "in", "not-in", "has", "any",
      ])
      let isList = ["in", "not-in", "any"].contains(comparison)
      parts.append(f(name, comparison, isList ? .array([stored(), stored()]) : stored()))
    }
    return parts.isEmpty ? nil : Bool.random(using: &source) ? .and(parts) : .or(parts)
  }
}

struct FuzzTests {
  private static let seed: UInt64 = {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("seed of the random rules:", seed)
    return seed
  }()
  /// More rounds in release builds, which are faster: ten million inputs where slow tests are asked for.
  #if DEBUG
  private static let rounds = 1_500
  #else
  private static let rounds = 20_000
  #endif
  private static let isSlow = ProcessInfo.processInfo.environment["BRASA_SLOW_TESTS"] == "1"
  #if DEBUG
  private static let manyRounds = isSlow ? 200_000 : rounds
  #else
  private static let manyRounds = isSlow ? 10_000_000 : rounds
  #endif
  private static let work = WorkBudget(ofOperation: RulesLimits.steps / (isSlow ? 1 : 100))

  /// Checks that a proof for a query holds for every document that it returns.
  @Test func `a proof never allows a document that the rules deny`() throws {
    var random = RandomRules(source: SeededSource(seed: Self.seed))
    var proven = 0
    var returned = 0
    for round in 0..<Self.rounds {
      let condition = random.condition(Int.random(in: 0..<4, using: &random.source))
      let source = firestoreRules(
        "function f(v) { let w = v; return w; } match /q/{id} { allow read: if \(condition); }"
      )
      guard let ruleset = try? compile(source) else { continue }
      let documents = (0..<12).map { index in
        DecodedDocument(
          name: DocumentName(database: testDatabase, path: path("q/d\(index)")),
          fields: random.document()
        )
      }
      for _ in 0..<4 {
        var query = Query(scope: .collection("q"))
        query.filter = random.filter()
        if Bool.random(using: &random.source) {
          query.limit = Int.random(in: 1..<4, using: &random.source)
        }
        if Int.random(in: 0..<3, using: &random.source) == 0 {
          query.orders = [Order(FieldPath([random.pick(["a", "b"])]))]
        }
        guard let normalized = try? query.normalized() else { continue }
        let session = RulesSession(ruleset, Documents())
        let decision = try session.prove(
          normalized,
          database: testDatabase,
          auth: auth("alice"),
          time: noon2026
        )
        guard decision.isAllowed else { continue }
        proven += 1
        // What a query says of itself, a get does not say.
        guard !condition.contains("request.query") else { continue }
        for document in documents where normalized.matches(document) {
          returned += 1
          var store = Documents()
          store.before[document.name.path.string] = document.fields
          let operation = Operation(method: .get, path: document.name.path.string, user: "alice")
          let verdict = try RulesSession(ruleset, store).evaluate(operation, in: store)
          #expect(
            verdict.isAllowed,
            """
            seed \(Self.seed), round \(round): \(condition)
            filter \(String(describing: query.filter)) returned \(document.fields)
            """
          )
        }
      }
    }
    print("queries proven:", proven, "documents checked:", returned)
    #expect(proven > 100 && returned > 50, "proven \(proven), returned \(returned)")
  }

  /// The sources that are damaged: much syntax in little room, the rules of a shop, a bucket's.
  private static let corpus = [
    firestoreRules(
      """
      function f(a, b) { let c = a + b; return c == 'x' || c.matches('^[a-z]{1,3}(x|y)*$'); }
      match /q/{id}/{rest=**} {
        allow read, write: if request.auth != null && f(id, "y") && resource.data.a[0:2] is list
          && get(/databases/$(database)/documents/u/$(request.auth.uid)).data.n in [1, 2.5, .5]
          ? true : {'a': b'\\x41', "c": [null, false]}.size() % 3 > -1;
        match /{x}/{y=*} { allow list: if request.query.limit < 10 /* few */ ; } // end
      }
      """
    ),
    firestoreRules(
      """
      function signedIn() { return request.auth != null; }
      match /q/{id} {
        function mine(data) { return signedIn() && data.a == request.auth.uid; }
        allow create: if mine(request.resource.data)
          && request.resource.data.keys().hasOnly(['a', 'b', 'l'])
          && request.resource.data.b is number && request.time > timestamp.date(2020, 1, 1);
        allow read, delete: if mine(resource.data) || 'alice' in resource.data.l;
        allow update: if mine(resource.data)
          && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['b'])
          && getAfter(/databases/$(database)/documents/q/$(id)).data.b >= resource.data.b;
      }
      match /{path=**}/q/{id} { allow list: if resource.data.a == request.auth.uid; }
      """
    ),
    """
    rules_version = '2';
    service firebase.storage {
      match /b/{bucket}/o {
        match /users/{uid}/{file=**} {
          allow read: if request.auth.uid == uid
            || firestore.get(/databases/(default)/documents/u/$(uid)).data.n == 1;
          allow write: if request.resource.size < 5 * 1024 * 1024
            && request.resource.contentType.matches('image/(png|jpe?g)');
        }
      }
    }
    """,
  ]

  @Test func `denylist parsers: mutated sources neither crash nor hang`() throws {
    var source = SeededSource(seed: Self.seed)
    let tokens = [
      "{", "}", "(", ")", "[", "]", "/", "//", "/*", "$(", "'", "\"", "\\", "&&", "||", "!", "-",
      "=**}", "if",
      "allow", "match", "function", "return", "let", "is", "in", "??", ".", "..", "é", "\u{0}",
      "9223372036854775808",
      "a{1000}", "true", "request", ";", ":", ",", "%", "%zz", "b'",
    ]
    var compiled = 0
    for round in 0..<Self.manyRounds {
      var bytes = Array(Self.corpus[round % Self.corpus.count].utf8)
      for _ in 0..<Int.random(in: 1...4, using: &source) {
        let start = Int.random(in: 0..<bytes.count, using: &source)
        let end = min(bytes.count, start + Int.random(in: 0...8, using: &source))
        let text = tokens[Int.random(in: 0..<tokens.count, using: &source)]
        switch Int.random(in: 0..<3, using: &source) {
        case 0: bytes.replaceSubrange(start..<end, with: text.utf8)
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
        default: bytes.removeSubrange(start..<end)
        }
      }
      guard let ruleset = try? compile(String(decoding: bytes, as: UTF8.self)) else { continue }
      compiled += 1
      let store = Documents(["q/d0": ["a": ["x", "y", 1]], "u/alice": ["n": 1]])
      for method in RulesMethod.allCases {
        let operation = Operation(method: method, path: "q/d0", user: "alice", change: ["a": 1])
        _ = try RulesSession(ruleset, store).evaluate(operation, in: store)
        let file = RulesRequest(
          service: .storage,
          method: method,
          path: ["b", "bucket", "o", "users", "alice", "photo"],
          auth: auth("alice"),
          time: noon2026
        )
        _ = try RulesSession(ruleset, store).evaluate(file)
      }
      var query = Query(scope: .collection("q"))
      query.filter = f("a", "==", ["x"])
      _ = try RulesSession(ruleset, store).prove(
        query.normalized(),
        database: testDatabase,
        auth: auth("alice"),
        time: noon2026
      )
      #expect(Bool(true), "seed \(Self.seed), round \(round)")
    }
    #expect(compiled > 0, "seed \(Self.seed)")
  }

  /// Conditions over everything that a client may store, of random shape and size, by random functions:
  /// no evaluation ends the process, takes more than its budget or allows what is not true.
  @Test func `evaluation over hostile documents ends within its budget`() throws {
    var random = RandomRules(source: SeededSource(seed: Self.seed))
    var hostile = HostileValues(source: SeededSource(seed: Self.seed))
    let evaluations = Self.manyRounds
    var outcomes: [String: Int] = [:]
    var done = 0
    while done < evaluations {
      let condition =
        Bool.random(using: &hostile.source)
        ? hostile.condition() : random.condition(Int.random(in: 0..<4, using: &random.source))
      let source = firestoreRules(
        "function f(v) { let w = v; return w; } match /q/{id} { allow get, update: if \(condition); }"
      )
      guard let ruleset = try? compile(source) else { continue }
      for _ in 0..<8 {
        done += 1
        var store = Documents()
        store.before["q/d0"] = hostile.document()
        let session = RulesSession(ruleset, store)
        session.work = Self.work
        let method: RulesMethod = Bool.random(using: &hostile.source) ? .get : .update
        let operation = Operation(
          method: method,
          path: "q/d0",
          user: "alice",
          change: Value.map(hostile.document())
        )
        let decision = try session.evaluate(operation, in: store)
        outcomes[decision.attempts.last.map { Self.kind($0.outcome) } ?? "none", default: 0] += 1
        #expect(
          session.work.left > -4 * RulesLimits.steps && decision.explanation.utf8.count < 10_000,
          "seed \(Self.seed): \(condition)"
        )
      }
    }
    print("evaluations over hostile documents:", outcomes)
    #expect(outcomes.count >= 3, "seed \(Self.seed): \(outcomes)")
  }

  private static func kind(_ outcome: RulesAttempt.Outcome) -> String {
    switch outcome {
    case .allowed: "true"
    case .notTrue: "not true"
    case .failed: "error"
    }
  }

  @Test func `random bytes are no rules`() {
    var source = SeededSource(seed: Self.seed)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0..<200, using: &source)
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &source) }
      #expect(throws: RulesCompileError.self) {
        try compile(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  @Test func `random patterns neither crash nor hang`() {
    var source = SeededSource(seed: Self.seed)
    let parts = [
      "a", "b", "(", ")", "[", "]", "*", "+", "?", "|", "{2}", "{1,3}", "\\d", "\\b", "^", "$", ".",
      "(?i)", "(?:", "[^a]", "\\p{L}", "-", "é", "\\", "{",
    ]
    let text = "aabé12ba\nab".unicodeScalars.map(\.value)
    for _ in 0..<Self.rounds {
      let pattern = (0..<Int.random(in: 1...12, using: &source)).map { _ in
        parts[Int.random(in: 0..<parts.count, using: &source)]
      }
      guard let regex = try? Regex(pattern.joined()) else { continue }
      var matcher = RegexMatcher(regex, text, budget: 1_000_000)
      let whole = matcher.matchesAll()
      let first = matcher.firstMatch(from: 0)
      #expect(!whole || first != nil, "\(pattern.joined())")
      _ = matcher.split()
      if let template = RegexTemplate("[$0]", groupCount: regex.groupCount) {
        _ = matcher.replace(template)
      }
      #expect(matcher.budget >= 0)
    }
  }

  @Test func `query complexity: deep and long sources end in errors`() {
    for part in ["(", "[", "!", "-", "{'a':", "f(", "true ? ", "a.", "a[", "/a/$("] {
      let condition = String(repeating: part, count: 20_000)
      #expect(throws: RulesCompileError.self) {
        try compile(firestoreRules("match /a/{b} { allow read: if \(condition); }"))
      }
    }
    let matches = String(repeating: "match /a/{b} {", count: 5_000)
    #expect(throws: RulesCompileError.self) { try compile(firestoreRules(matches)) }
    let size = String(repeating: "// comment\n", count: 30_000)
    #expect(throws: RulesCompileError.self) { try compile(size) }
  }
}

import FirestoreModel
import Testing

@testable import SecurityRules

struct SessionTests {
  private let documents: [String: Value] = [
    "u/a": ["x": 1], "q/d0": ["o": "alice", "n": 1],
  ]

  private func get(_ index: Int) -> String {
    "exists(/databases/(default)/documents/u/x\(index))"
  }

  private func calls(_ range: Range<Int>) -> String {
    range.map { "!\(get($0))" }.joined(separator: " && ")
  }

  @Test func `documents that are missing are errors of get and false of exists`() throws {
    for (condition, expected) in [
      ("get(/databases/(default)/documents/u/a).data.x == 1", "true"),
      ("get(/databases/(default)/documents/u/a).id == 'a'", "true"),
      ("get(/databases/$(database)/documents/u/none) != null", "error"),
      ("exists(/databases/(default)/documents/u/none)", "false"),
      ("getAfter(/databases/(default)/documents/u/a).data.x == 1", "true"),
      ("existsAfter(/databases/(default)/documents/u/a)", "true"), ("exists(/u/a)", "error"),
      ("exists(/databases/(default)/documents/u)", "error"),
      ("exists(/databases/other/documents/u/a)", "error"),
      ("exists(path('/databases/(default)/documents/u/a'))", "true"), ("exists('u/a')", "error"),
      ("firestore.exists(/databases/(default)/documents/u/a)", "error"),
    ] {
      #expect(try result(of: condition, documents: documents) == expected, "\(condition)")
    }
  }

  @Test func `ten access calls for one document`() throws {
    #expect(try result(of: calls(0..<10)) == "true")
    #expect(try result(of: calls(0..<11)) == "error")
    #expect(try result(of: calls(0..<10) + " && (\(get(10)) || true)") == "true")
    let repeated = Array(repeating: "!\(get(0))", count: 30).joined(separator: " && ")
    #expect(try result(of: repeated) == "true")
  }

  @Test(arguments: [
    ([10, 10], true), ([11], false), ([5, 5, 5, 5], true), ([5, 5, 5, 5, 5], false),
  ])
  func `twenty access calls for a commit`(counts: [Int], expected: Bool) throws {
    var next = 0
    let rules = counts.enumerated().map { index, count in
      defer { next += count }
      return "match /w\(index)/{id} { allow create: if \(calls(next..<(next + count))); }"
    }
    let store = Documents()
    let session = RulesSession(
      try compile(firestoreRules(rules.joined(separator: "\n"))),
      store,
      isMultiple: true
    )
    let isAllowed = try counts.indices.allSatisfy { index in
      let write = Operation(method: .create, path: "w\(index)/a", user: "u", change: [:])
      return try session.evaluate(write, in: store).isAllowed
    }
    #expect(isAllowed == expected)
  }

  @Test func `a decision names the documents it rests on`() throws {
    let rules = """
      match /q/{id} {
        allow get: if get(/databases/(default)/documents/u/a).data.x == 1
          && exists(/databases/(default)/documents/u/a) && !exists(/databases/(default)/documents/u/b);
      }
      """
    let store = Documents(documents)
    let decision = try RulesSession(try compile(firestoreRules(rules)), store)
      .evaluate(Operation(method: .get, path: "q/d0"), in: store)
    #expect(decision.isAllowed)
    #expect(decision.documentsRead.map(\.string) == ["u/a", "u/b"])
  }

  @Test func `a store that fails decides nothing`() throws {
    var store = Documents(documents)
    store.isBroken = true
    let rules =
      "match /q/{id} { allow get: if exists(/databases/(default)/documents/u/a) || true; }"
    let session = RulesSession(try compile(firestoreRules(rules)), store)
    #expect(throws: Documents.Failure.self) {
      try session.evaluate(Operation(method: .get, path: "q/d0"), in: store)
    }
  }

  @Test func `a thousand nodes for one operation, shared by its statements`() throws {
    func rules(_ first: Int, _ second: Int) -> String {
      let sum = { (count: Int) in
        "[" + Array(repeating: "1 == 1", count: count).joined(separator: ",") + "].size() == 0"
      }
      return "match /q/{id} { allow get: if \(sum(first)); allow get: if \(sum(second)) || true; }"
    }
    for (first, second, expected) in [
      (100, 100, true), (150, 150, true), (170, 170, false), (10, 400, false),
    ] {
      let store = Documents()
      let decision = try RulesSession(try compile(firestoreRules(rules(first, second))), store)
        .evaluate(Operation(method: .get, path: "q/d0"), in: store)
      #expect(decision.isAllowed == expected, "\(first) \(second)")
    }
  }

  @Test func `arguments and lets are evaluated when they are used, and once`() throws {
    let lazy = "function f(a) { let b = resource.data.zz; return true; }"
    #expect(try result(of: "f(1 / 0)", functions: lazy) == "true")
    let used = "function f(a) { let b = a; return b == 1 || true; }"
    #expect(try result(of: "f(1 / 0)", functions: used) == "true")
    let strict = "function f(a) { return a == 1; }"
    #expect(try result(of: "f(1 / 0)", functions: strict) == "error")
    let once = """
      function g(a) { let b = a + a; let c = b + b; let d = c + c; let e = d + d; let f = e + e;
        let h = f + f; let i = h + h; let j = i + i; let k = j + j; let l = k + k; return l == 1024; }
      """
    #expect(try result(of: "g(1)", functions: once) == "true")
  }

  @Test func `functions see their own scope only`() throws {
    let source = """
      function outer() { return id == 'd0'; }
      match /x/{id} { allow get: if outer(); }
      """
    let store = Documents()
    let decision = try RulesSession(try compile(firestoreRules(source)), store)
      .evaluate(Operation(method: .get, path: "x/d0"), in: store)
    #expect(!decision.isAllowed)
    #expect(
      try result(of: "f(2) == 2", functions: "function f(resource) { return resource; }") == "true"
    )
  }

  @Test func `denials say which condition failed, where, and what it saw`() throws {
    let rules = """
      match /q/{id} {
        allow get: if resource.data.o == request.auth.uid;
        allow get: if resource.data.missing == 1;
      }
      """
    let store = Documents(documents)
    let session = RulesSession(try compile(firestoreRules(rules)), store)
    let operation = Operation(method: .get, path: "q/d0", user: "bob")
    let decision = try session.evaluate(operation, in: store)
    #expect(
      decision.explanation
        == "false for 'get' @ L5, Property missing is undefined on object. for 'get' @ L6"
    )
    var request = RulesRequest(
      method: .get,
      path: ["databases", "(default)", "documents", "q", "d0"],
      auth: auth("bob"),
      time: noon2026
    )
    request.resource = RulesMap(Documents.document(path("q/d0"), fields(["o": "alice"])))
    let observed = try session.evaluate(request, observing: true)
    let seen = observed.attempts[0].observations.map { "\($0.text) = \($0.value)" }
    #expect(seen.contains("resource.data.o = \"alice\""))
    #expect(seen.contains("request.auth.uid = \"bob\""))
    #expect(observed.attempts[0].observations.allSatisfy { $0.position.line == 5 })
    let other = try session.evaluate(Operation(method: .get, path: "z/d0"), in: store)
    #expect(other.explanation == "No matching allow statements")
  }

  @Test func `objects of a bucket`() throws {
    let source = """
      rules_version = '2';
      service firebase.storage {
        match /b/{bucket}/o {
          match /users/{uid}/{file=**} {
            allow read: if request.auth.uid == uid;
            allow create: if request.auth.uid == uid && resource == null
              && request.resource.size < 1024 && request.resource.contentType.matches('image/.*')
              && firestore.get(/databases/(default)/documents/u/a).data.x == 1;
          }
        }
      }
      """
    let ruleset = try compile(source)
    #expect(ruleset.warnings.isEmpty)
    var request = RulesRequest(
      service: .storage,
      method: .create,
      path: ["b", "bucket", "o", "users", "alice", "a.png"],
      auth: auth("alice"),
      time: noon2026,
      newResource: RulesMap(fields(["size": 10, "contentType": "image/png"]))
    )
    let store = Documents(documents)
    #expect(try RulesSession(ruleset, store).evaluate(request).isAllowed)
    request.newResource = RulesMap(fields(["size": 10, "contentType": "text/plain"]))
    #expect(try !RulesSession(ruleset, store).evaluate(request).isAllowed)
    request.method = .list
    request.path = ["b", "bucket", "o", "users", "alice"]
    #expect(try RulesSession(ruleset, store).evaluate(request).isAllowed)
    let old = try compile(source.replacing("rules_version = '2';", with: "rules_version = '1';"))
    #expect(try !RulesSession(old, store).evaluate(request).isAllowed)
  }
}

import Testing

@testable import SecurityRules

struct CompileTests {
  private static func chain(_ count: Int) -> String {
    let functions = (0..<count).map { index in
      "function f\(index)() { return \(index + 1 < count ? "f\(index + 1)()" : "true"); }"
    }
    return functions.joined(separator: "\n") + "\nmatch /q/{i} { allow get: if f0(); }"
  }

  private static func nested(_ count: Int) -> String {
    String(repeating: "match /a/{b} {", count: count) + "allow get;"
      + String(repeating: "}", count: count)
  }

  @Test(arguments: [
    ("", "Rules content empty. Compilation aborted."),
    ("rules_version = '3';", "Unsupported rules version 3."),
    ("rules_version = 2;", "Unexpected '2'"),
    ("import 'a';", "Import statements are not allowed."),
    ("service cloud.firestore {}", "must contain at least one declaration"),
    ("service cloud.firestore { allow read; }", "Unexpected 'allow'"),
    ("service cloud.firestore { match /a/{b} {} }", "The 'match' body must contain"),
    ("service cloud.firestore { match /a/{b} { allow read } } }", "Unexpected '}'"),
    (
      "service cloud.firestore { match /a { allow read; } } service cloud.firestore { match /a { allow read; } }",
      "Duplicate service name declaration."
    ),
    (firestoreRules("match /a/{b} { allow read if true; }"), "Missing ':' before 'if' condition."),
    (
      firestoreRules("match /a/{b} { allow read: true; }"),
      "Missing 'if' before conditional expression."
    ),
    (
      firestoreRules("match /a/{b} { allow read: if; }"),
      "Missing conditional expression after 'if'."
    ),
    (firestoreRules("/a/{b} { allow read; }"), "Missing 'match' keyword before path."),
    (
      firestoreRules("match /a/{b} { allow ; }"), "Expected at least one 'operation' after 'allow'."
    ),
    (firestoreRules("function f() match /a/{b} { allow read; }"), "Missing 'function' body"),
    (firestoreRules("match /a/{b} { allow read: if 'a; }"), "Missing a closing '"),
    (
      firestoreRules("match /{a}/{a} { allow read; }"),
      "Variable a already exists in the PathTemplate."
    ),
    (firestoreRules("match /{a=**}/{b=**} { allow read; }"), "Only one glob match is permitted"),
    (
      firestoreRules("match /{a=**}/b/{c} { allow read; }", version: "1"),
      "Glob matches are only permitted"
    ),
    (
      firestoreRules("function f() { return f(); } match /a/{b} { allow read: if f(); }"),
      "Recursive call is not allowed."
    ),
    (
      firestoreRules(
        "function f() { return g(); } function g() { return f(); } match /a/{b} { allow read: if f(); }"
      ),
      "Detected a call cycle between [f,g] functions."
    ),
    (
      firestoreRules(
        "function f() { return 1; } function f() { return 2; } match /a/{b} { allow read; }"
      ),
      "Function f is already defined."
    ),
    (
      firestoreRules("function f(a, a) { return a; } match /a/{b} { allow read: if f(1, 2); }"),
      "Variable a is already defined."
    ),
    (
      firestoreRules(
        "function f(a) { let a = 1; return a; } match /a/{b} { allow read: if f(1); }"
      ),
      "The identifier [a] is already bound in the current scope."
    ),
    (
      firestoreRules("function f(math) { return math; } match /a/{b} { allow read: if f(1); }"),
      "math is a package and cannot be used as variable name"
    ),
    (
      firestoreRules("match /a/{b} { allow read: if b.matches('('); }"),
      "Invalid regular expression pattern"
    ),
    (
      firestoreRules("match /a/{b} { allow read: if b is nothing; }"),
      "Received nothing. Expected one of bool"
    ),
    (firestoreRules(chain(22)), "Maximum allowed call depth of 20"),
    (firestoreRules(nested(11)), "Maximum allowed resource rule depth of 10"),
    (
      firestoreRules(
        "match /a/{b} { allow read: if \(String(repeating: "(", count: 120))true\(String(repeating: ")", count: 120)); }"
      ),
      "Expression is too complex to evaluate safely."
    ),
    (
      firestoreRules(
        "match /a/{b} { allow read: if true\(String(repeating: " && true", count: 120)); }"
      ),
      "Expression is too complex to evaluate safely."
    ),
    (
      firestoreRules(
        "function f(a,b,c,d,e,f,g,h) { return a; } match /a/{b} { allow read: if f(1,2,3,4,5,6,7,8); }"
      ),
      "Maximum allowed function arguments of 7 for function f is reached."
    ),
    (
      firestoreRules("match /a/{b} { allow read: if 99999999999999999999 > 1; }"),
      "Invalid number literal"
    ),
    (
      "rules_version = '2'; service cloud.firestore { match /\((0..<101).map { "s\($0)" }.joined(separator: "/")) { allow read; } }",
      "Maximum allowed path length of 100"
    ),
    (
      firestoreRules(
        "match /\((0..<20).map { "{c\($0)}" }.joined(separator: "/")) { allow read; }"
      ),
      "Maximum allowed amount of 20 match field variables is reached."
    ),
  ])
  func `errors`(source: String, message: String) {
    do {
      _ = try compile(source)
      Issue.record("compiled: \(source)")
    } catch {
      #expect(error.message.contains(message), "\(error.message)")
    }
  }

  @Test(arguments: [
    ("service cloud.firestore { match /a/{b} { allow read; } }", "Ruleset uses old version"),
    (
      "rules_version = '2'; service other { match /a/{b} { allow read; } }",
      "Invalid service name: other."
    ),
    (firestoreRules("match /a/{b} { allow gett; }"), "Invalid method name: gett."),
    (firestoreRules("match /a/{b} { allow read: if f(); }"), "Invalid function name: f."),
    (firestoreRules("match /a/{b} { allow read: if c == 1; }"), "Invalid variable name: c."),
    (
      firestoreRules("match /a/{b} { allow read: if b.foo() == 1; }"), "Invalid function name: foo."
    ),
    (
      firestoreRules("function f() { return 1; } match /a/{b} { allow read; }"),
      "Unused function: f."
    ),
    (
      firestoreRules(
        "function f() { let a = 1; return true; } match /a/{b} { allow read: if f(); }"
      ),
      "Unused variable: a."
    ),
    (
      firestoreRules("function f(a) { return a; } match /a/{b} { allow read: if f(); }"),
      "Incorrect number of arguments supplied to function: f."
    ),
    (
      firestoreRules("match /a/{b} { allow read: if 1; }"),
      "Permission statements expect a boolean value."
    ),
    (firestoreRules("match /a/{b} { allow read: if 1 == 'a'; }"), "will always return false."),
    (firestoreRules("match /a/{b} { allow read: if 1 != 'a'; }"), "will always return true."),
    (firestoreRules("match /a/{b} { allow read: if !1; }"), "Invalid type. Received one of [int]."),
    (
      firestoreRules("match /a/{b} { allow read: if 1 in 'a'; }"),
      "Invalid type. Received one of [string]."
    ),
  ])
  func `warnings let a ruleset load`(source: String, message: String) throws {
    let warnings = try compile(source).warnings.map(\.message)
    #expect(warnings.contains { $0.contains(message) }, "\(warnings)")
  }

  @Test(arguments: [
    firestoreRules(chain(21)), firestoreRules(nested(10)),
    firestoreRules("match /t { match /{i} { allow read, write } }"),
    firestoreRules("match /a/{request} { allow GET: if request == 'x' }"),
    firestoreRules("function get(a) { return a == 1; } match /a/{b} { allow read: if get(1); }"),
    firestoreRules("match /{a}/{i=*} { match /{a}/{b} { allow read; } }"),
    "function f() { return true; } rules_version",
  ])
  func `what is allowed compiles`(source: String) {
    if source.hasSuffix("rules_version") {
      #expect(throws: RulesCompileError.self) { try compile(source) }
    } else {
      #expect(throws: Never.self) { try compile(source) }
    }
  }

  @Test func `ninety-eight levels compile and ninety-nine do not`() throws {
    func condition(_ text: String) -> String {
      firestoreRules("match /a/{b} { allow read: if \(text); }")
    }
    let levels: [(Int) -> String] = [
      { String(repeating: "(", count: $0) + "true" + String(repeating: ")", count: $0) },
      { String(repeating: "!", count: $0) + "true" },
      { "true" + String(repeating: " && true", count: $0) },
    ]
    for level in levels {
      #expect(throws: Never.self) { try compile(condition(level(98))) }
      #expect(throws: RulesCompileError.self) { try compile(condition(level(99))) }
    }
  }

  @Test func `issues know their lines and columns`() {
    do {
      _ = try compile(
        "rules_version = '2';\nservice cloud.firestore {\n  match /a/{b} {\n    allow read: if %;\n  }\n}"
      )
      Issue.record("compiled")
    } catch {
      #expect(error.message.contains("L4:20 "), "\(error.message)")
    }
  }

  @Test func `both services may be in one file`() throws {
    let ruleset = try compile(
      """
      rules_version = '2';
      function isUser() { return request.auth != null; }
      service cloud.firestore { match /databases/{d}/documents/a/{b} { allow read: if isUser(); } }
      service firebase.storage { match /b/{bucket}/o/{all=**} { allow read: if isUser(); } }
      """
    )
    #expect(ruleset.services == [.firestore, .storage])
    #expect(ruleset.warnings.isEmpty)
  }

  @Test(arguments: [
    ("/q/{i}/{d=**}", "1", "q/d0", false), ("/q/{i}/{d=**}", "2", "q/d0", true),
    ("/t/a/{d=**}", "1", "t/a", false), ("/t/a/{d=**}", "2", "t/a", true),
    ("/{d=**}", "1", "q/d0", true), ("/{d=**}", "2", "q/d0", true), ("/t/{d=**}", "1", "t/a", true),
    ("/t/{d=**}", "2", "t/a/b/c", true), ("/{p=**}/sub/{s}", "2", "sub/x", true),
    ("/{p=**}/sub/{s}", "2", "a/b/sub/x", true), ("/{p=**}/sub/{s}", "2", "a/b/other/x", false),
    ("/q/{i}", "2", "q/d0/s/x", false), ("/q/%20a", "2", "q/ a", true),
  ])
  func `recursive wildcards`(
    pattern: String,
    version: String,
    document: String,
    expected: Bool
  ) throws {
    let ruleset = try compile(firestoreRules("match \(pattern) { allow get; }", version: version))
    let decision = try RulesSession(ruleset, Documents())
      .evaluate(Operation(method: .get, path: document), in: Documents())
    #expect(decision.isAllowed == expected)
  }

  @Test func `a recursive capture is a path`() throws {
    let rule = """
      match /q/{i}/{d=**} {
        allow get: if i == 'd0' && d is path && d == /sub/s0 && string(d) == '/sub/s0' && d[0] == 'sub';
      }
      """
    let ruleset = try compile(firestoreRules(rule))
    let operation = Operation(method: .get, path: "q/d0/sub/s0")
    let session = RulesSession(ruleset, Documents())
    #expect(try session.evaluate(operation, in: Documents()).isAllowed)
  }
}

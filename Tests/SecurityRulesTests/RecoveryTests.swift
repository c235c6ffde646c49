import Foundation
import Testing

@testable import SecurityRules

/// A source shows all its errors at once, each where it is.
struct RecoveryTests {
  /// A source's lines with, behind `§`, what the compiler has to say of them, in order.
  private static let sources: [String] = [
    """
    match /a/{b} {
      allow read: if ;                      § Missing conditional expression after 'if'.
      allow write if true;                  § Missing ':' before 'if' condition.
    }
    match /c/{d} {
      allow get: if 1 +;                    § Unexpected ';'. Expected an expression.
      allow list: if foo(;                  § Unexpected ';'. Expected an expression.
      allow create: if resource.data.ok;
    }
    function f() {
      let x = ;                             § Unexpected ';'. Expected an expression.
      let y = 3                             
      return                                § Unexpected 'return'. Expected ';'.
    }                                       § Unexpected '}'. Expected an expression.
    match /e/{f} { }                        § The 'match' body must contain at least one declaration.
    match /g/{h} { allow ; }                § Expected at least one 'operation' after 'allow'.
    """,
    """
    match /a/{b} {
      allow read: if 'abc;                  § Missing a closing '
      allow write: if x is foo;             § An unsupported type identifier was used
      allow get: if a.matches('(');         § Invalid regular expression pattern.
      allow list: if {'a': , 'b': 1}.a == 1 && [1, 2; § Unexpected ','. Expected an expression.
      function g(a, ) { return 1; }         § Unexpected ')'. Expected a parameter's name.
      match b/{c} { allow read; }           § Unexpected 'b'. Expected a path.
      match /d/{e { allow read: if #; }     § Unexpected '{'. Expected '}'.
    }
    """,
    """
    match /a/{b} {
      allow read: if # == 1;                § Unexpected '#'.
      function f() { return 1 == 1;
      allow write: if true;                 § Unexpected 'allow'. Expected '}'.
      allow get: if ++a;                    § Increment (++) and decrement (--) operators
    }
    match /c/{d} { allow get: if --1 }      § Increment (++) and decrement (--) operators
    """,
  ]

  @Test(arguments: sources)
  func `every error is listed with its line`(source: String) throws {
    var expected: [(line: Int, text: String)] = []
    var lines: [String] = []
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      let parts = line.split(separator: "§", maxSplits: 1)
      lines.append(String(parts.first ?? ""))
      // Four lines of every source come before the body, which the fixture indents.
      guard parts.count == 2 else { continue }
      expected.append((index + 4, parts[1].trimmingCharacters(in: .whitespaces)))
    }
    let text = firestoreRules(lines.joined(separator: "\n"))
    let error = try #require(throws: RulesCompileError.self) { try compile(text) }
    let found = error.issues.filter { $0.severity == .error }
    let listing = error.message
    #expect(error.issues.count == found.count, "\(listing)")
    #expect(found.count == expected.count + Self.inner(source), "\(listing)")
    for (line, text) in expected {
      let isFound = found.contains {
        error.source.position(of: $0.range.lowerBound).line == line && $0.message.hasPrefix(text)
      }
      #expect(isFound, "line \(line): \(text)\n\(listing)")
    }
  }

  /// A line may have a second error inside of a block whose head is wrong.
  private static func inner(_ source: String) -> Int {
    source.contains("{ allow read: if #; }") ? 1 : 0
  }

  @Test func `what follows a broken statement is compiled`() throws {
    let source = firestoreRules(
      """
      match /a/{b} { allow read: if (; }
      match /c/{d} { allow read: if f(1, 2; }
      function f() { return f(); }
      """
    )
    let error = try #require(throws: RulesCompileError.self) { try compile(source) }
    #expect(
      error.message == """
        Error compiling rules:
        L4:36 Unexpected ';'. Expected an expression.
        L5:37 Unexpected ';'. Expected ')'.
        L6:1 Recursive call is not allowed.
        """
    )
  }

  @Test func `a brace too few or too many is one error`() throws {
    for source in [
      firestoreRules("match /a/{b} { allow read; match /c/{d} { allow read; } "),
      firestoreRules("match /a/{b} { allow read; } }") + "\n}",
      "service cloud.firestore { match /a/{b} { allow read; }",
      "service cloud.firestore { match /a/{b} { allow read; } } }",
    ] {
      let error = try #require(throws: RulesCompileError.self) { try compile(source) }
      #expect(error.issues.count == 1, "\(source)\n\(error.message)")
    }
  }

  @Test func `a source with errors without end lists a hundred`() throws {
    let lines = String(repeating: "allow read: if ;\n", count: 5_000)
    let error = try #require(throws: RulesCompileError.self) {
      try compile(firestoreRules("match /a/{b} {\n\(lines)}"))
    }
    #expect(error.issues.count == 101)
    #expect(error.issues.contains { $0.message == "Too many errors." })
  }

  @Test func `the version may be what is wrong`() throws {
    let source =
      "rules_version = '7';\nservice cloud.firestore { match /a/{b=**}/c { allow read } }"
    let error = try #require(throws: RulesCompileError.self) { try compile(source) }
    #expect(error.issues.map(\.message) == ["Unsupported rules version 7."])
  }
}

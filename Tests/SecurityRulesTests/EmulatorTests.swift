import FirestoreModel
import Testing

@testable import SecurityRules

/// Tests of the responses that Google's emulator (528.0.0) was seen to give.
struct EmulatorTests {
  private static let stored: Value = [
    "i": 1, "f": 1.0, "nan": .double(.nan), "zero": 0, "minus": -0.0, "li": [1], "lf": [1.0],
    "ln": [.double(.nan)], "mi": ["a": 1], "mf": ["a": 1.0], "deep": ["a": [1]],
    "deepf": ["a": [1.0]], "big": 9_007_199_254_740_993, "bigf": 9_007_199_254_740_992.0,
  ]

  private func value(_ expression: String) throws -> String {
    let written = expression.replacing("@", with: "resource.data.")
    return try result(of: written, resource: Self.stored)
  }

  @Test(arguments: [
    ("@i == @f", "true"), ("@nan == @nan", "false"), ("@li == @lf", "false"),
    ("@mi == @mf", "false"), ("@ln == @ln", "false"), ("@nan in [@nan]", "false"),
    ("@li in [@lf]", "false"), ("@ln.hasAll(@ln)", "false"),
    ("@ln.removeAll(@ln).size() == 1", "true"),
    ("[@big] == [@bigf]", "false"), ("@big == @bigf", "true"), ("[@zero] == [@minus]", "false"),
  ])
  func `lists and maps compare by type, and NaN with nothing`(
    expression: String,
    expected: String
  ) throws {
    #expect(try value(expression) == expected)
  }

  @Test(arguments: [
    "@li.toSet() == @lf.toSet()", "@ln.toSet() == @ln.toSet()", "@nan in @ln.toSet()",
    "[@nan, @nan].toSet().size() == 1", "[@zero, @minus].toSet().size() == 1",
    "[@li, @lf].toSet().size() == 1", "[@mi, @mf].toSet().size() == 1",
    "[@deep, @deepf].toSet().size() == 1", "[@big, @bigf].toSet().size() == 2",
    "@li in [@lf].toSet()", "[@mi].toSet().hasAll([@mf])", "[@li].toSet().hasOnly([@lf])",
    "[@li].toSet().difference([@lf].toSet()).size() == 0", "[@li.toSet()] == [@lf.toSet()]",
    "[true, 1, '1', null].toSet().size() == 4", "[1, 2].toSet() == [2, 1].toSet()",
    "{'a': @i}.diff({'a': @f}).unchangedKeys() == ['a'].toSet()",
    "{'a': @nan}.diff({'a': @nan}).unchangedKeys() == ['a'].toSet()",
    "{'a': @li}.diff({'a': @lf}).affectedKeys().size() == 0",
    "{'a': @ln}.diff({'a': @ln}).affectedKeys().size() == 0",
    "{'a': @deep}.diff({'a': @deepf}).affectedKeys().size() == 0",
    "{'a': @minus}.diff({'a': @zero}).affectedKeys().size() == 0",
    "{'a': @big}.diff({'a': @bigf}).changedKeys() == ['a'].toSet()",
    "{'a': {'a': 1}.diff({})}.diff({'a': {'a': 1}.diff({})}).unchangedKeys().size() == 1",
  ])
  func `sets and diff compare by number all the way down`(expression: String) throws {
    #expect(try value(expression) == "true")
  }

  @Test(arguments: [
    "latlng.value(0,0).distance(latlng.value(0,1)) == 111195.08372419141",
    "latlng.value(10,20).distance(latlng.value(-30,40)) == 4935809.564006635",
    "latlng.value(90,0).distance(latlng.value(-90,0)) == 20015115.070354454",
  ])
  func `the earth of distances has 6371009 m`(expression: String) throws {
    #expect(try value(expression) == "true")
  }

  @Test(arguments: [
    "math == 1", "math.abs == 1", "[math].size() == 1", "duration == null", "math in [1]",
    "true || hashing", "latlng['value'] == 1", "timestamp is map",
  ])
  func `a package is no value`(expression: String) throws {
    #expect(try value(expression) == "compile")
  }

  @Test(arguments: [
    ("debug == 1", "error"), ("firestore == 1", "error"), ("int == 1", "error"),
    ("math.foo(1) == 1", "error"),
  ])
  func `names that are no packages are unknown variables`(
    expression: String,
    expected: String
  )
    throws
  {
    #expect(try value(expression) == expected)
  }

  @Test(arguments: [
    ("debug(1, 2) == 1", "true"), ("debug(1, 2, 3) == 1", "true"), ("debug(true, 1)", "true"),
    ("debug('a', true) == 'a'", "true"), ("debug() == null", "error"),
  ])
  func `debug takes its first argument`(expression: String, expected: String) throws {
    #expect(try value(expression) == expected)
    let source = firestoreRules("match /q/{id} { allow get: if \(expression); }")
    #expect(
      try compile(source).warnings.map(\.message).contains(
        "Incorrect number of arguments supplied to function: debug."
      )
    )
  }

  @Test(arguments: [
    ("path('/a/{x}/{y}').bind({'x': '1'}) == /a/1", "true"),
    ("string(path('/a/{x}/b').bind({})) == '/a/b'", "true"),
    ("path('/a/{x=**}').bind({}) == /a", "true"), ("string(path('/{x}').bind({})) == '/'", "true"),
    ("path('/a/{x}/{y}').bind({'x': '1'})['x'] == '1'", "true"),
    ("path('/a/{x}/{y}').bind({'x': '1'})['y'] == '1'", "error"),
    ("path('/a/{x}/{y}').bind({'x': '1'}).bind({'y': '2'}) == /a/1/2", "error"),
    ("path('/a/{x}').bind({'x': '1', 'y': '2'}) is path", "error"),
    ("path('/a/{x=**}').bind({'x': /b/c})['x'] == /b/c", "true"),
    ("path('/a/{x=**}/z').bind({'x': /b/c})[2] == 'c'", "true"),
    ("path('/a/{x=**}').bind({'x': 'a'}) is path", "error"),
    ("path('/a/{x}').bind({'x': null}) == /a/null", "true"),
    ("path('/a/{x}').bind({'x': [1]}) is path", "error"),
    ("path('/a/{x}').bind({'x': 'b/c'})[1] == 'b/c'", "true"),
    ("path('/a/{x}/{x}').bind({'x': '1'}) is path", "error"),
    ("path('/a/{x}') == path('/a/{x}')", "false"), ("path('/a/{x}')[0] == 'a'", "error"),
    ("string(path('/a/{x}/b')) == '/a//b'", "true"), ("path('/a/{x}/b')[0:2] is path", "error"),
    ("path('/a/{x}/b').bind({'x': '1'})[0:2] == /a/1", "true"),
    ("/a/$(path('/b/{x}').bind({'x': '1'}))/c == /a/b/1/c", "true"),
    ("exists(path('/databases/(default)/documents/a/{x}').bind({}))", "error"),
  ])
  func `captures that bind names no value for are left out`(
    expression: String,
    expected: String
  ) throws {
    #expect(try value(expression) == expected)
  }

  // MARK: Costs

  private static let functions = """
    function f(x) { return x; } function g(x, y) { return true; }
    function u() { let a = 1; return true; } function u2() { let a = 1 + 1; return true; }
    function us() { let a = 1; return a; } function us2() { let a = 1 + 1; return a + a; }
    function ch(x) { return f(x); } function c0() { return true; }
    function fxx(x) { return x + x; } function le() { let a = resource.data.zz; return true; }
    function lsc(x) { return true || x; }
    function u3() { let a = 1; let b = a + 1; return true; }
    """

  @Test(arguments: [
    ("1", 1), ("(((1)))", 1), ("(1 + 1)", 3), ("true && true", 4), ("true || true", 2),
    ("false && true", 2), ("false || false", 4), ("true && (true && true)", 7),
    ("true ? 1 : 2", 4), ("false ? 1 : 2", 6), ("true ? true ? 1 : 2 : 3", 7), ("!true", 2),
    ("-(1)", 2), ("resource.data.i is int", 5), ("(1 + 1) is int", 5), ("[1, 2]", 3), ("[]", 1),
    ("{'a': 1, 'b': 2}", 5), ("/a/$('b')/c", 4), ("resource.data.li[0]", 5),
    ("resource.data.li[0:1]", 6), ("resource.data.li[:1]", 6), ("'a'.matches('b')", 3),
    ("1 in [1]", 4), ("f(1)", 3), ("f(1 + 1)", 5), ("g(1, 2)", 4), ("g(1 + 1, 2)", 6), ("u()", 4),
    ("u2()", 6), ("us()", 4), ("us2()", 8), ("ch(1)", 5), ("c0()", 2), ("fxx(1 + 1)", 7),
    ("le()", 6), ("lsc(1)", 4), ("lsc(1 + 1)", 6), ("u3()", 8), ("f(f(1))", 5), ("debug(1)", 2),
    ("exists(/databases/$(database)/documents/q/d0)", 7), ("resource.data.zz || true", 6),
    ("false || (false || true)", 7), ("!(true && true)", 5), ("false && (1 == 1)", 2),
    ("resource.data.get(['a'], 1)", 6),
  ])
  func `expressions cost what the emulator counts`(expression: String, cost: Int) throws {
    // A list of this and ones, its size and a comparison: 4 nodes beside them.
    func isAllowed(_ ones: Int) throws -> Bool {
      let list = "[\(expression)\(String(repeating: ",1", count: ones))]"
      return try result(
        of: "\(list).size() >= 0",
        resource: Self.stored,
        functions: Self.functions
      ) == "true"
    }
    #expect(try isAllowed(996 - cost))
    #expect(try !isAllowed(997 - cost))
  }

  @Test func `bindings and arguments that nothing uses count their access calls`() throws {
    func call(_ index: Int) -> String { "exists(/databases/(default)/documents/u/y\(index))" }
    func rules(_ bindings: Int) -> String {
      let lets = (0..<bindings).map { "let l\($0) = \(call($0));" }.joined(separator: " ")
      return "function b() { \(lets) return true; }"
    }
    #expect(try result(of: "b() && !\(call(100))", functions: rules(9)) == "true")
    #expect(try result(of: "b() && !\(call(100))", functions: rules(10)) == "error")
    #expect(try result(of: "b()", functions: rules(10)) == "true")
  }

  // MARK: Warnings

  @Test(arguments: [
    ("1", "int"), ("1 + 2", "int, float, string, duration, timestamp"),
    ("resource.data.a + 'x'", "int, float, string, duration, timestamp"),
    ("resource.data.a - 1", "int, float, duration, timestamp"),
    ("resource.data.a * 2", "int, float"),
    ("-resource.data.a", "int, float, duration"), ("resource.data.a.size()", "int"),
    ("resource.data.keys()", "list"), ("resource.data.a[0:1]", "string, list, path"),
    ("{}.diff({})", "map_diff"), ("[1].toSet()", "set"), ("null", "null"), ("string(1)", "string"),
    ("math.abs(1)", "int, float"), ("hashing.md5('a')", "bytes"),
    ("request.time.date()", "timestamp"),
    ("duration.value(1, 's')", "duration"), ("(1)", "int"), ("'a'.split('b')", "list"),
  ])
  func `permission statements expect a boolean value`(expression: String, types: String) throws {
    #expect(
      try warnings(expression) == [
        "Invalid type. Permission statements expect a boolean value. Received one of [\(types)]."
      ]
    )
  }

  private func warnings(_ condition: String) throws -> [String] {
    try compile(firestoreRules("match /q/{id} { allow get: if \(condition); }")).warnings.map(
      \.message
    )
  }

  @Test(arguments: [
    ("true ? 1 : true", "Invalid type. Received one of [int]. Expected one of [bool]."),
    ("1 ? true : false", "Invalid type. Received one of [int]. Expected one of [bool]."),
    ("true && 1", "Invalid type. Received one of [int]. Expected one of [bool]."),
    (
      "(1 + true) == 2",
      "Invalid type. Received one of [bool]. Expected one of [int, float, string, duration, timestamp]."
    ),
    (
      "-'a' == 1", "Invalid type. Received one of [string]. Expected one of [int, float, duration]."
    ),
    (
      "!(1 + 1)",
      "Invalid type. Received one of [int, float, string, duration, timestamp]. Expected one of [bool]."
    ),
    (
      "1 in 'abc'",
      "Invalid type. Received one of [string]. Expected one of [list, set, map, constraint]."
    ),
    ("'a'.x == 1", "Invalid type. Received one of [string]. Expected one of [map]."),
    (
      "1[0] == 1", "Invalid type. Received one of [int]. Expected one of [string, list, map, path]."
    ),
    (
      "resource.data.a.size() == 'a'",
      "The sub-expressions are not comparable, so this comparison will always return false."
    ),
    (
      "1 == null",
      "The sub-expressions are not comparable, so this comparison will always return false."
    ),
    (
      "(true ? 1 : 'a') == true",
      "Ternary operator result if condition is true has a different type than if condition is false."
    ),
  ])
  func `warnings of computed expressions`(condition: String, message: String) throws {
    #expect(try warnings(condition) == [message])
  }

  @Test(arguments: [
    "resource.data.a", "resource.data.a.matches('x')", "true ? true : false", "get(/a/b).data.x",
    "1 == 1.5", "[1] < [2]", "(1 + 1) == 'a'", "1 in {}", "resource.data.a == null",
    "math.isNaN(1)",
    "'a' < 1",
  ])
  func `what may be right has no warning`(condition: String) throws {
    #expect(try warnings(condition) == [])
  }
}

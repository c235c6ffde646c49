import SecurityRules
import Testing

/// One expression and what it gives.
struct Example: Sendable, CustomTestStringConvertible {
  let expression: String
  let expected: String

  init(_ expression: String, _ expected: String) {
    self.expression = expression
    self.expected = expected
  }

  var testDescription: String { expression }
}

/// Many expressions with one result.
private func all(_ expected: String, _ expressions: String...) -> [Example] {
  expressions.map { Example($0, expected) }
}

struct ExpressionTests {
  private func check(_ example: Example) throws {
    #expect(try result(of: example.expression) == example.expected, "\(example.expression)")
  }

  @Test(
    arguments: all(
      "true",
      "-9223372036854775808 < 0",
      "1. == 1.0",
      ".5 == 0.5",
      "'a' == \"a\"",
      "'\\x41' == 'A'",
      "'\\101' == 'A'",
      "'\\u0041' == 'A'",
      "b'\\xff'.size() == 1",
      "b'é'.size() == 2",
      "[1,2,] == [1,2]",
      "{'a': 1,} == {'a': 1}",
      "{'a': 1, 'a': 2}.a == 2",
      "7 / 2 == 3",
      "7/ 2 == 3",
      "/a/%20b == path('/a/%20b')",
      "string(/a/%20b) == '/a/ b'",
      "/a/$('b') == /a/b",
      "/a/$(1) == /a/1",
      "string(/a/$('b/c')) == '/a/b/c'",
      "/a/$(/b/c)/d == /a/b/c/d",
      "/a/$('b/c') != /a/b/c",
      "{'is': 1, 'in': 2, 'true': 3}.is == 1",
      "/* a */ true // b\n",
      "$a == 1 || true"
    )
      + all(
        "compile",
        "7/2 == 3",
        "7 /2 == 3",
        "9223372036854775808 > 0",
        "--1 == 1",
        "0x10 == 16",
        "1.size() == 1",
        "1e3 > 0",
        "'\\0' == ''",
        "'\\q' == ''",
        "'\\UXXXXXXXX' == ''",
        "b'\\u0041' == b'A'",
        "# true",
        "'''a''' == 'a'",
        "/a/ == /a",
        "/a/x$('b') == /a/b",
        "/a/$('b')x == /a/b",
        "+1 == 1",
        "é == 1",
        "match == 1",
        "let == 1",
        "1 is null",
        "1 is boolean",
        "'a'.matches('(')"
      )
      + all("error", "{a: 1} == {}", "{1: 1} == {}", "/a/$([1]) == /a", "/a/$({}) == /a", "$a == 1")
  )
  func `literals and tokens`(example: Example) throws { try check(example) }

  @Test(
    arguments: all(
      "true",
      "1 != 2 in [true]",
      "1 == 1 is bool",
      "1 is int == true",
      "!false && true",
      "-1 < 0",
      "1 + 2 * 3 == 7",
      "(1 + 2) * 3 == 9",
      "10 - 2 - 3 == 5",
      "true ? true : false ? false : true",
      "false ? false : true",
      "1 in [1] && true",
      "!(1 in [2])",
      "7 % 3 == 1",
      "-7 % 3 == -1",
      "-7 / 2 == -3",
      "false && 1 == 1 || true"
    ) + all("error", "1 in [1] == true", "1 < 2 < 3", "1 in [1] is bool")
  )
  func `precedence`(example: Example) throws { try check(example) }

  @Test(
    arguments: all(
      "true",
      "1 / 0 == 1 || true",
      "true || 1 / 0 == 1",
      "1 || true",
      "!(1 && false)",
      "!(1 / 0 == 1 && false)",
      "!(false && 1 / 0 == 1)",
      "true ? true : 1 / 0 == 1",
      "unknown(1) || true",
      "nothing || true",
      "size(1) == 1 || true"
    ) + all("false", "false && 1 / 0 == 1", "1 / 0 == 1 && false")
      + all(
        "error",
        "1 / 0 == 1 && true",
        "1 / 0 == 1 || false",
        "!(1 / 0 == 1)",
        "(1 / 0 == 1) == true",
        "[1 / 0].size() == 1",
        "{'a': 1 / 0}.size() == 1",
        "1 ? true : false",
        "1 && true",
        "!1",
        "unknown(1)",
        "nothing",
        "null && true",
        "null.a == 1",
        "'a'.b == 1"
      )
  )
  func `errors are absorbed where the result does not depend on them`(example: Example) throws {
    try check(example)
  }

  @Test(
    arguments: all(
      "true",
      "1 == 1.0",
      "[1] != [1.0]",
      "{'a': 1} != {'a': 1.0}",
      "!(1 in [1.0])",
      "![1,2].hasAll([1.0])",
      "[1].toSet() == [1.0].toSet()",
      "[1,1.0].toSet().size() == 1",
      "{'a': 1}.diff({'a': 1.0}).unchangedKeys().size() == 1",
      "[1] != [1].toSet()",
      "9007199254740993 == 9007199254740992.0",
      "0.0 / 0 != 0.0 / 0",
      "1 / 0.0 == float('Infinity')",
      "1 != '1'",
      "null == null",
      "null != false",
      "'é' != 'e\\u0301'",
      "'a' < 'b'",
      "b'a' < b'b'",
      "1 < 1.5",
      "'a' + 'b' == 'ab'",
      "1 + 1.5 == 2.5",
      "1 % 0.0 != 1.0",
      "duration.value(1, 's') + duration.value(500, 'ms') == duration.value(1500, 'ms')",
      "timestamp.value(0) + duration.value(1, 's') == timestamp.value(1000)",
      "timestamp.value(1000) - timestamp.value(0) == duration.value(1, 's')",
      "timestamp.value(1000) > timestamp.value(0)",
      "-duration.value(1, 's') < duration.value(0, 's')"
    )
      + all(
        "error",
        "1 / 0 == 1",
        "1 % 0 == 1",
        "9223372036854775807 + 1 > 0",
        "-9223372036854775808 - 1 < 0",
        "-(-9223372036854775808) > 0",
        "'a' + 1 == 'a1'",
        "[1] + [2] == [1,2]",
        "true < false",
        "null < 1",
        "[1] < [2]",
        "1 < 'a'",
        "b'a' + b'b' == b'ab'",
        "duration.value(1,'s') * 2 == 1",
        "[1].toSet() - [1].toSet() == [].toSet()",
        "/a/b < /a/c"
      )
  )
  func `equality and arithmetic`(example: Example) throws { try check(example) }

  @Test(
    arguments: all(
      "true",
      "[1,2,3][0] == 1",
      "'abc'[1] == 'b'",
      "{'a': 1}['a'] == 1",
      "/a/b[1] == 'b'",
      "[1,2,3][1:3] == [2,3]",
      "[1,2,3][:2] == [1,2]",
      "[1,2,3][1:] == [2,3]",
      "[1,2][1:1] == []",
      "'abc'[1:3] == 'bc'",
      "'a' in {'a': 1}",
      "!('b' in {'a': 1})",
      "1 in [1].toSet()",
      "{'size': 5}.size == 5",
      "{'size': 5}.size() == 1"
    )
      + all(
        "error",
        "[1][1] == 1",
        "[1][-1] == 1",
        "[1][0.0] == 1",
        "[1,2][0:3] == []",
        "[1,2][2:1] == []",
        "1 in {'a': 1}",
        "'a' in 'abc'",
        "'a' in /a/b",
        "{'a': 1}.b == 1",
        "{'a': 1}['b'] == 1"
      )
  )
  func `indexes and membership`(example: Example) throws { try check(example) }

  @Test(
    arguments: all(
      "true",
      "true is bool",
      "b'' is bytes",
      "duration.value(1,'s') is duration",
      "1.0 is float",
      "1 is int",
      "latlng.value(0,0) is latlng",
      "[] is list",
      "{} is map",
      "{}.diff({}) is map_diff",
      "1 is number",
      "1.5 is number",
      "/a is path",
      "'' is string",
      "timestamp.value(0) is timestamp",
      "request.time is timestamp",
      "!([].toSet() is set)",
      "!(null is string)"
    )
  )
  func `types`(example: Example) throws { try check(example) }
}

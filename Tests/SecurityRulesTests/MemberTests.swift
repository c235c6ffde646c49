import SecurityRules
import Testing

private func all(_ expected: String, _ expressions: String...) -> [Example] {
  expressions.map { Example($0, expected) }
}

struct MemberTests {
  private func check(_ example: Example) throws {
    #expect(try result(of: example.expression) == example.expected, "\(example.expression)")
  }

  @Test(
    arguments: all(
      "true",
      "'AbC'.lower() == 'abc'",
      "'abC'.upper() == 'ABC'",
      "'ß'.upper() == 'ß'",
      "'İ'.lower() == 'İ'",
      "' a '.trim() == 'a'",
      "'héllo😀'.size() == 7",
      "'é'.toUtf8() == b'\\xc3\\xa9'",
      "'banana'.replace('(a)', '[$1]') == 'b[a]n[a]n[a]'",
      "'a'.replace('', '-') == '-a-'",
      "'a,b,,c,'.split(',') == ['a','b','','c']",
      "',a'.split(',') == ['','a']",
      "''.split(',') == ['']",
      "'abc'.split('') == ['','a','b','c']",
      "'a1b22c'.split('[0-9]+') == ['a','b','c']",
      "b'\\xff\\xfe'.toHexString() == 'FFFE'",
      "b'\\xff\\xfe'.toBase64() == '__4='",
      "b'abc'.toBase64() == 'YWJj'",
      "b''.size() == 0"
    ) + all("error", "'a'.contains('a')", "'a'.startsWith('a')", "'a'.matches(1)", "b'a'[0] == 1")
  )
  func `texts and bytes`(example: Example) throws { try check(example) }

  @Test(
    arguments: all(
      "true",
      "[1].concat([2]) == [1,2]",
      "[1,2].hasAll([])",
      "[1,2].hasAll([1])",
      "![1].hasAny([])",
      "[1,2].hasAny([2,3])",
      "[1].hasOnly([1,2])",
      "[].hasOnly([1])",
      "![1,3].hasOnly([1,2])",
      "[1,'a',true,null,1.5].join('-') == '1-a-true-null-1.5'",
      "[1,2,1].removeAll([1]) == [2]",
      "[1,1].toSet().size() == 1",
      "[1,2].toSet().difference([1].toSet()) == [2].toSet()",
      "[1].toSet().union([2].toSet()).size() == 2",
      "[1,2].toSet().intersection([2].toSet()).hasOnly([2])",
      "[1,2].toSet().hasAll([1])",
      "[1].toSet().hasOnly([1,2].toSet())",
      "{'b': 1, 'a': 2}.keys() == ['a','b']",
      "{'b': 1, 'a': 2}.values().toSet() == [1,2].toSet()",
      "{'a': 1}.get('a', 0) == 1",
      "{'a': 1}.get('b', 0) == 0",
      "{'a': {'b': 1}}.get(['a','b'], 0) == 1",
      "{'a': 1}.get(['a','b'], 0) == 0",
      "{'a': 1}.get([], 0) == {'a': 1}",
      "{'a': null}.get('a', 0) == null",
      "{'a': 1, 'b': 2}.diff({'b': 3, 'c': 4}).addedKeys() == ['a'].toSet()",
      "{'a': 1, 'b': 2}.diff({'b': 3, 'c': 4}).removedKeys() == ['c'].toSet()",
      "{'a': 1, 'b': 2}.diff({'b': 3, 'c': 4}).changedKeys() == ['b'].toSet()",
      "{'a': 1, 'b': 2}.diff({'b': 3, 'c': 4}).affectedKeys().size() == 3",
      "{'a': [1,2]}.diff({'a': [2,1]}).changedKeys().hasOnly(['a'])"
    )
      + all(
        "error",
        "[1].hasAll([1].toSet())",
        "[1].toSet().union([1])",
        "[[1]].join(',')",
        "{'a': 1}.get('a')",
        "{'a': 1}.hasAll(['a'])",
        "[1].toSet()[0] == 1"
      )
  )
  func `collections`(example: Example) throws { try check(example) }

  @Test(
    arguments: all(
      "true",
      "timestamp.date(2024, 2, 29).day() == 29",
      "timestamp.date(2024, 2, 29).dayOfYear() == 60",
      "timestamp.date(2024, 2, 29).dayOfWeek() == 4",
      "timestamp.date(2026, 4, 5).dayOfWeek() == 7",
      "timestamp.date(1969, 12, 31).month() == 12",
      "timestamp.date(1969, 12, 31).year() == 1969",
      "timestamp.value(1500).nanos() == 500000000",
      "timestamp.value(3723000).hours() == 1",
      "timestamp.value(3723000).minutes() == 2",
      "timestamp.value(3723000).seconds() == 3",
      "timestamp.value(-1).toMillis() == -1",
      "timestamp.value(90000000).date() == timestamp.date(1970,1,2)",
      "timestamp.value(90000000).time() == duration.time(1,0,0,0)",
      "duration.value(1,'w') == duration.value(7,'d')",
      "duration.time(25,61,61,0).seconds() == 93721",
      "duration.abs(duration.value(-5,'s')).seconds() == 5",
      "duration.value(-1500,'ms').seconds() == -1",
      "duration.value(-1500,'ms').nanos() == -500000000"
    )
      + all(
        "error",
        "timestamp.date(2023, 2, 29).day() == 29",
        "timestamp.date(10000, 1, 1).day() == 1",
        "timestamp.date(0, 1, 1).day() == 1",
        "duration.value(1,'us').seconds() == 0",
        "duration.value(315576000001,'s').seconds() == 0"
      )
  )
  func `times`(example: Example) throws { try check(example) }

  @Test(
    arguments: all(
      "true",
      "int('12') == 12",
      "int('+1') == 1",
      "float('+1') == 1.0",
      "int(1.9) == 1",
      "int(-1.9) == -1",
      "int(float('NaN')) == 0",
      "int(float('Infinity')) == 9223372036854775807",
      "float('1e3') == 1000.0",
      "float(1) is float",
      "string(1.0) == '1.0'",
      "string(10000000000000000.0) == '1.0E16'",
      "string(0.001) == '0.001'",
      "string(0.0001) == '1.0E-4'",
      "string(1234567.5) == '1234567.5'",
      "string(null) == 'null'",
      "string(true) == 'true'",
      "string(/a/b) == '/a/b'",
      "path('a/b') == /a/b",
      "path('/a/b') == /a/b",
      "path('/a/{x}').bind({'x': 'b'}) == /a/b",
      "/a/{x}.bind({'x': 1}) == /a/1",
      "/a/{x}.bind({'x': 'b'})['x'] == 'b'",
      "/a/{x=**}.bind({'x': /b/c}) == /a/b/c",
      "path('/a/$(b)') != /a/b",
      "math.abs(-1) == 1",
      "math.abs(-1.5) == 1.5",
      "math.ceil(1.2) == 2.0",
      "math.ceil(4) is float",
      "math.floor(-1.2) == -2.0",
      "math.round(-4.5) == -4",
      "math.round(2.5) == 3",
      "math.round(2.4) is int",
      "math.sqrt(9) == 3.0",
      "math.pow(2, 10) == 1024.0",
      "math.isNaN(0.0 / 0)",
      "hashing.crc32('abc').toHexString() == 'C2412435'",
      "hashing.crc32c('abc').toHexString() == 'B73F4B36'",
      "hashing.md5('abc').size() == 16",
      "hashing.sha256(b'abc').size() == 32",
      "latlng.value(0,0).latitude() == 0.0",
      "math.round(latlng.value(0,0).distance(latlng.value(0,1))) == 111195",
      "debug(true)",
      "debug(1 / 0) == 1 || true"
    )
      + all(
        "error",
        "int(' 1') == 1",
        "int('a') == 1",
        "int(true) == 1",
        "float('a') == 1.0",
        "string([1]) == ''",
        "path('') == /a",
        "path('/a/') == /a",
        "path('/a//b') == /a/b",
        "path(/a/b) == /a/b",
        "/a/{x}.bind({'y': 1}) == /a/1",
        "/a/{x=**}.bind({'x': 'b'}) == /a/b",
        "math.isInfinite(1.0)",
        "latlng.value(91, 0).latitude() == 91.0",
        "bool(1)",
        "list(1)"
      )
  )
  func `functions`(example: Example) throws { try check(example) }

  @Test(
    arguments: all(
      "true",
      "request.auth.uid == 'alice'",
      "request.auth.token.sub == 'alice'",
      "request.method == 'get'",
      "request.path == /databases/(default)/documents/q/d0",
      "database == '(default)'",
      "id == 'd0'",
      "request.path[3] == 'q'",
      "!('resource' in request)",
      "resource.data.n == 1",
      "resource.id == 'd0'",
      "resource.__name__ == request.path",
      "resource != null",
      "request.time.year() == 2026",
      "!request.inTransaction",
      "request.headers == {}",
      "request.fields == null"
    )
      + all(
        "error",
        "request.resource.data.n == 1",
        "request.query.limit == 1",
        "request.nothing == 1"
      )
  )
  func `the request and the document`(example: Example) throws {
    let value = try result(of: example.expression, resource: ["n": 1])
    #expect(value == example.expected, "\(example.expression)")
  }
}

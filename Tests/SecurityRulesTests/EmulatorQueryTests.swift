import FirestoreModel
import Testing

@testable import SecurityRules

/// Tests of the decisions that Google's emulator (528.0.0) was seen to make on queries, as far as
/// they hold for every document.
struct EmulatorQueryTests {
  private func verdict(
    _ body: String,
    _ query: Query,
    _ mode: RulesSession.Compatibility
  ) throws -> Bool {
    let session = RulesSession(
      try compile(firestoreRules(body)),
      Documents(),
      compatibility: mode
    )
    return try session.prove(
      query.normalized(),
      database: testDatabase,
      auth: auth("alice"),
      time: noon2026
    ).isAllowed
  }

  private func isAllowed(
    _ condition: String,
    _ filter: Filter?,
    _ mode: RulesSession.Compatibility = .emulator
  ) throws -> Bool {
    var query = Query(scope: .collection("q"))
    query.filter = filter
    return try verdict("match /q/{id} { allow list: if \(condition); }", query, mode)
  }

  @Test(arguments: [
    ("resource != null && resource.data.n > 3", true),
    ("resource.data != null && resource.data.n > 3", true),
    ("resource == null || resource.data.n > 3", true), ("resource.data != {'n': 1}", true),
    ("resource.data == {'n': 1}", false), ("resource.data == resource.data", true),
    ("{'n': resource.data.n} == resource.data", true), ("[resource.data.n] != [1]", true),
    ("[resource.data.n] == [resource.data.n]", true), ("resource.data in [resource.data]", true),
    ("!(resource.data in [{'n': 1}])", true), ("[resource.data].hasAll([resource.data])", true),
    ("[resource.data.n].hasAny([resource.data.n])", false),
    ("resource.data.n == resource.data.n", false),
    ("resource.data.diff({}).addedKeys().size() == 1", true),
    ("resource.data.diff({'n': 1}).affectedKeys().size() == 1", false),
    ("[resource.data].toSet().size() == 1", false), ("resource.data.n in [1].toSet()", false),
    ("[1].toSet().hasAny([resource.data.n])", false), ("resource.data.n != 'x'", false),
    ("resource.data.n != 3", true),
  ])
  func `a map that holds what a query promises compares`(condition: String, expected: Bool) throws {
    #expect(try isAllowed(condition, f("n", ">", 5)) == expected)
  }

  @Test func `a null check beside an inequality is proven either way`() throws {
    for mode in [RulesSession.Compatibility.safe, .emulator] {
      for condition in ["resource != null", "resource.data != null", "resource != 1"] {
        #expect(try isAllowed("\(condition) && resource.data.n > 3", f("n", ">", 5), mode))
      }
    }
  }

  @Test func `keys that filters fix are there`() throws {
    let o = f("o", "==", "alice")
    for mode in [RulesSession.Compatibility.safe, .emulator] {
      for (condition, filter, expected) in [
        ("resource.data.keys().hasAll(['o'])", o, true),
        ("resource.data.keys().hasAll(['o', 'p'])", o, false),
        ("resource.data.keys().hasAll(['o', 'p'])", .and([o, f("p", "==", 1)]), true),
        ("resource.data.keys().hasAll(['n'])", f("n", ">", 5), true),
        ("resource.data.keys().hasAll(['m'])", f("m.a", "==", 1), true),
        ("resource.data.m.keys().hasAll(['a'])", f("m.a", "==", 1), true),
        ("resource.data.keys().hasAny(['o', 'zz'])", o, true),
        ("'o' in resource.data.keys()", o, true), ("'p' in resource.data.keys()", o, false),
        ("resource.data.keys().toSet().hasAll(['o'])", o, true),
        ("resource.data.keys().hasAll([])", o, true),
      ] as [(String, Filter, Bool)] {
        #expect(try isAllowed(condition, filter, mode) == expected, "\(mode) \(condition)")
      }
    }
    // Others may be there.
    for condition in [
      "resource.data.keys().hasOnly(['o'])", "!('p' in resource.data.keys())",
      "resource.data.keys().size() == 1", "resource.data.keys() == ['o']",
      "!resource.data.keys().hasAny(['p'])", "resource.data.keys().toSet() == ['o'].toSet()",
      "resource.data.keys() != ['p']", "resource.data.keys()[0] == 'o'",
      "resource.data.keys().toSet().difference(['o'].toSet()).size() == 0",
    ] {
      #expect(try !isAllowed(condition, o, .safe), "\(condition)")
    }
  }

  @Test(arguments: [
    ("p != null", true, true), ("p is path", true, true), ("!(p is string)", true, true),
    ("p != 'a'", true, true), ("p == null", false, false), ("p != /q/d0", true, false),
    ("p == /q/d0", false, false), ("p[0] == 'q'", false, false), ("p[0] != 'q'", false, false),
    ("p == p", false, false), ("p != p", true, false), ("[p] == [p]", true, false),
    ("string(p) != ''", true, false), ("debug(p) != null", true, true), ("s != null", false, false),
    ("p[0:1] is path", false, false), ("path('/a/{x=**}').bind({'x': p}) is path", false, false),
    ("h(p)", true, true), ("/a/$(p) is path", true, true), ("exists(p) || true", true, true),
  ])
  func `a recursive capture is a path even where the query does not tell which`(
    condition: String,
    emulator: Bool,
    safe: Bool
  ) throws {
    let rules = """
      function h(x) { return x != null; }
      match /{p=**}/sub/{s} { allow list: if \(condition); }
      """
    let query = Query(scope: .collectionGroup("sub"))
    #expect(try verdict(rules, query, .emulator) == emulator)
    #expect(try verdict(rules, query, .safe) == safe)
  }

  @Test func `a recursive capture that the query tells is that path`() throws {
    let query = Query(parent: path("q/d0"), scope: .collection("sub"))
    for mode in [RulesSession.Compatibility.safe, .emulator] {
      for condition in ["p == /q/d0", "p[0] == 'q'", "p == p"] {
        let rules = "match /{p=**}/sub/{s} { allow list: if \(condition); }"
        #expect(try verdict(rules, query, mode), "\(mode) \(condition)")
      }
    }
  }

  @Test func `two equalities on one field are both kept`() throws {
    let both = Filter.and([f("o", "==", "alice"), f("o", "==", "bob")])
    let mirrored = Filter.and([f("o", "==", "bob"), f("o", "==", "alice")])
    for mode in [RulesSession.Compatibility.safe, .emulator] {
      for (condition, expected) in [
        ("resource.data.o == 'alice'", true), ("resource.data.o == 'bob'", true),
        ("resource.data.o == 'alice' && resource.data.o == 'bob'", true),
        ("resource.data.o != 'zed'", true), ("resource.data.o != 'alice'", true),
        ("resource.data.o > 'alic'", true), ("resource.data.o == 'zed'", false),
        ("resource.data.o is string", false), ("resource.data.o in ['alice']", false),
        ("!(resource.data.o == 'zed')", false), ("resource.data.o.size() > 1", false),
        ("'o' in resource.data", true), ("resource.data.o != null", true),
        ("resource.data.o == null", false),
      ] {
        for filter in [both, mirrored] {
          #expect(try isAllowed(condition, filter, mode) == expected, "\(mode) \(condition)")
        }
        let same = Filter.and([f("o", "==", "alice"), f("o", "==", "alice")])
        #expect(try isAllowed("resource.data.o is string", same, mode))
      }
    }
  }

  @Test(arguments: [
    ("resource.data.n == 6", f("n", "==", 6), true), ("resource.data.n > 5", f("n", "==", 6), true),
    ("resource.data.n is int", f("n", "==", 6), false),
    ("resource.data.n in [6]", f("n", "==", 6), false),
    ("resource.data.n > 5", f("n", "==", 6.5), false),
    ("resource.data.n > 5.0", f("n", "==", 6.5), true),
    ("resource.data.n == 6.5", f("n", "==", 6.5), true),
    ("resource.data.n == 6", f("n", "==", 6.0), false),
    ("resource.data.n != 6", f("n", "==", 6.5), true),
    ("resource.data.n != 'x'", f("n", "==", 6), false),
    ("resource.data.n == null", f("n", "==", 6), false),
  ])
  func `an equality beside other conditions proves comparisons, as in the emulator`(
    condition: String,
    equality: Filter,
    expected: Bool
  ) throws {
    #expect(try isAllowed(condition, .and([equality, f("n", ">", 0)])) == expected)
  }
}

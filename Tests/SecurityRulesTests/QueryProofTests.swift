import BaseText
import FirestoreModel
import Testing

@testable import SecurityRules

struct QueryProofTests {
  @Test func `sets and diff do not take what a query promises, as in the emulator`() throws {
    for (condition, isAllowed) in [
      ("resource.data.diff(resource.data).affectedKeys().hasOnly(['n', 's'])", false),
      ("resource.data.diff({'a': 1}).affectedKeys().hasOnly(['n', 'a'])", true),
      ("!(resource.data == resource.data)", false), ("resource.data != {'n': 1}", true),
      ("resource.data.keys() == ['n']", true),
    ] {
      let rules = "match /q/{id} { allow list: if \(condition); }"
      var query = Query(scope: .collection("q"))
      query.filter = f("n", ">", 5)
      let session = RulesSession(
        try compile(firestoreRules(rules)),
        Documents(),
        compatibility: .emulator
      )
      let decision = try session.prove(
        query.normalized(),
        database: testDatabase,
        auth: nil,
        time: noon2026
      )
      #expect(decision.isAllowed == isAllowed, "\(condition)")
    }
  }

  private let documents = Documents([
    "q/d0": ["o": "alice"], "users/alice": ["role": "admin"],
    "rooms/r1": ["members": ["alice"]],
  ])

  private func isAllowed(
    _ body: String,
    _ query: Query,
    user: Text? = "alice",
    version: String = "2",
    compatibility: RulesSession.Compatibility = .safe
  ) throws -> Bool {
    let ruleset = try compile(firestoreRules(body, version: version))
    let session = RulesSession(ruleset, documents, compatibility: compatibility)
    return try session.prove(
      query.normalized(),
      database: testDatabase,
      auth: auth(user),
      time: noon2026
    ).isAllowed
  }

  private func query(_ filter: Filter?, _ collection: String = "q") -> Query {
    let target = path(collection)
    var query = Query(parent: target.parent, scope: .collection(target.lastID ?? ""))
    query.filter = filter
    return query
  }

  @Test(arguments: queryTable)
  func `verdicts of the table`(row: QueryRow) throws {
    for (filter, expected) in row.cases {
      for mode in [RulesSession.Compatibility.safe, .emulator] {
        let verdict = try isAllowed(
          "match /q/{id} { allow list: if \(row.condition); }",
          query(filter),
          compatibility: mode
        )
        let isExpected = row.isUnsafe && mode == .safe ? false : expected
        #expect(verdict == isExpected, "\(mode) \(row.rule) \(String(describing: filter))")
      }
    }
  }

  @Test(arguments: [
    ("resource.data.i == 3 && resource.data.i is int", true), ("resource.data.i + 1 == 4", true),
    ("resource.data.e is float && resource.data.e == 2.5", true),
    ("resource.data.d > 0.1", false), ("resource.data.d < 0.1", true),
    ("resource.data.d > 0 && resource.data.d < 1", true), ("resource.data.d == 0.1", false),
    ("resource.data.d == resource.data.d2", true), ("resource.data.d + 1 > 0", false),
    ("resource.data.d is float || resource.data.d is int", false),
    ("resource.data.o == resource.data.o", true), ("resource.data.o != resource.data.p", true),
    ("resource.data.o is string || resource.data.o is map", false),
    ("resource.data.o < resource.data.p", false), ("resource.data.o.__oid__ == ''", false),
    ("resource.data.o in [resource.data.p, resource.data.o]", true),
    ("resource.data.keys().hasAll(['o', 'p'])", true), ("resource.data.o == null", false),
  ])
  func `values of BSON types are numbers or opaque`(_ condition: String, _ isAllowed: Bool) throws {
    let rules = "match /q/{id} { allow get: if \(condition); }"
    let store = Documents([
      "q/a": [
        "i": .bson(.int32(3)), "d": .bson(.decimal(try #require(Decimal128("0.1")))),
        "d2": .bson(.decimal(try #require(Decimal128("0.100")))),
        "e": .bson(.decimal(try #require(Decimal128("2.50")))),
        "o": .bson(.objectID(BSONObjectID(high: 1, low: 1))), "p": .bson(.maxKey),
      ]
    ])
    let session = RulesSession(try compile(firestoreRules(rules)), store)
    let operation = Operation(method: .get, path: "q/a", user: "alice")
    #expect(try session.evaluate(operation, in: store).isAllowed == isAllowed)
  }

  @Test func `nobody is nobody's owner`() throws {
    let rule = "match /q/{id} { allow list: if resource.data.o == request.auth.uid; }"
    #expect(try !isAllowed(rule, query(f("o", "==", "alice")), user: nil))
  }

  @Test func `orders, cursors, limits and projections prove nothing`() throws {
    var ordered = query(f("o", "==", "alice"))
    ordered.orders = [Order(FieldPath(["n"]))]
    ordered.limit = 1
    ordered.projection = [FieldPath(["n"])]
    let owner = "match /q/{id} { allow list: if resource.data.o == request.auth.uid; }"
    #expect(try isAllowed(owner, ordered))
    var started = query(nil)
    started.orders = [Order(FieldPath(["n"]))]
    started.start = Cursor(values: [6], before: true)
    #expect(try !isAllowed("match /q/{id} { allow list: if resource.data.n > 5; }", started))
  }

  @Test func `rules read the query's window`() throws {
    let limited = "match /q/{id} { allow list: if request.query.limit <= 10; }"
    for (limit, expected) in [(10, true), (1, true), (11, false), (nil, false)] {
      var query = query(nil)
      query.limit = limit
      #expect(try isAllowed(limited, query) == expected)
    }
    var later = query(nil)
    later.offset = 1
    let first = "match /q/{id} { allow list: if request.query.offset == 0; }"
    #expect(try isAllowed(first, query(nil)))
    #expect(try !isAllowed(first, later))
    var ordered = query(nil)
    ordered.orders = [Order(FieldPath(["n"]), .descending)]
    let order = "match /q/{id} { allow list: if request.query.orderBy.n == 'DESC'; }"
    #expect(try isAllowed(order, ordered))
    #expect(try !isAllowed(order, query(nil)))
  }

  @Test func `query complexity: the alternatives that a proof tries are bounded`() throws {
    let rules = "match /q/{id} { allow list: if resource.data.o == request.auth.uid; }"
    let ruleset = try RulesCompiler.compile(
      SourceText(firestoreRules(rules)),
      coverage: RulesCoverage()
    )
    // Thirty alternatives of twelve numbers, each of which may be stored in two or three ways.
    let numbers = (0..<10).map { f("n\($0)", "==", .integer(Int64($0))) }
    let choices = [f("a", "in", .array((0..<10).map { .integer($0) })), f("b", "in", [0, 1, 2])]
    let query = try query(.and([f("o", "==", "alice")] + choices + numbers)).normalized()
    #expect(query.disjuncts.count == 30)
    let decision = try RulesSession(ruleset, documents).prove(
      query,
      database: testDatabase,
      auth: auth("alice"),
      time: noon2026
    )
    #expect(decision.isAllowed)
    let tried = try #require(ruleset.coverage?.report(of: ruleset).first?.tally.count)
    #expect((31...512).contains(tried), "\(tried)")
  }

  @Test func `verbs and paths`() throws {
    let literal = "match /q/d0 { allow list: if true; }"
    #expect(try !isAllowed(literal, query(nil)))
    #expect(try isAllowed(literal, query(f("__name__", "==", reference("q/d0")))))
    #expect(try !isAllowed("match /q/{id} { allow get; }", query(nil)))
    #expect(try isAllowed("match /q/{id} { allow read; }", query(nil)))
    let room = "match /rooms/{room}/msgs/{m} { allow list: if room == 'r1'; }"
    #expect(try isAllowed(room, query(nil, "rooms/r1/msgs")))
    #expect(try !isAllowed(room, query(nil, "rooms/r2/msgs")))
    let members = """
      match /rooms/{room}/msgs/{m} {
        allow list: if request.auth.uid
          in get(/databases/$(database)/documents/rooms/$(room)).data.members;
      }
      """
    #expect(try isAllowed(members, query(nil, "rooms/r1/msgs")))
    #expect(try !isAllowed(members, query(nil, "rooms/r2/msgs")))
    #expect(try !isAllowed("match /rooms/{room} { allow list; }", query(nil, "rooms/r1/msgs")))
  }

  @Test(arguments: [
    ("/{p=**}/sub/{s}", "2", "", true), ("/q/{id}/sub/{s}", "2", "", false),
    ("/{a}/{b}/sub/{s}", "2", "", false), ("/q/{p=**}", "2", "", false),
    ("/sub/{s}", "2", "", false), ("/{p=**}", "1", "", true), ("/{p=**}", "2", "", true),
    ("/q/{id}/sub/{s}", "2", "q/d0", false), ("/q/{p=**}/sub/{s}", "2", "q/d0", true),
    ("/q/d0/{p=**}/sub/{s}", "2", "q/d0", true), ("/q/{p=**}", "2", "q/d0", true),
    ("/{p=**}/sub/{s}", "2", "q/d0", true), ("/{p=**}/other/{s}", "2", "", false),
  ])
  func `collection groups`(pattern: String, version: String, parent: String, expected: Bool) throws
  {
    let query = Query(parent: path(parent), scope: .collectionGroup("sub"))
    let verdict = try isAllowed("match \(pattern) { allow list; }", query, version: version)
    #expect(verdict == expected)
  }

  @Test func `conditions on collection groups`() throws {
    var mine = Query(scope: .collectionGroup("sub"))
    let rule = "match /{p=**}/sub/{s} { allow list: if resource.data.o == request.auth.uid; }"
    #expect(try !isAllowed(rule, mine))
    mine.filter = f("o", "==", "alice")
    #expect(try isAllowed(rule, mine))
    for condition in ["p[0] == 'q'", "s == 'a'", "request.path[3] == 'q'"] {
      #expect(try !isAllowed("match /{p=**}/sub/{s} { allow list: if \(condition); }", mine))
    }
  }

  @Test func `ranges over all collections need rules for all collections`() throws {
    for scope in [Query.Scope.children, .descendants] {
      #expect(try isAllowed("match /{p=**} { allow list; }", Query(scope: scope)))
      #expect(try !isAllowed("match /q/{p=**} { allow list; }", Query(scope: scope)))
      #expect(try !isAllowed("match /{p=**}/sub/{s} { allow list; }", Query(scope: scope)))
    }
  }
}

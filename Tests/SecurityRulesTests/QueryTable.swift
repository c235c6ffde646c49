import BaseText
import FirestoreModel
import Testing

/// A filter by name: `f("n", ">", 5)`.
func f(_ field: String, _ comparison: String, _ value: Value) -> Filter {
  let operators: [String: Filter.FieldOperator] = [
    "==": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
    ">=": .greaterThanOrEqual, "in": .in, "not-in": .notIn, "has": .arrayContains,
    "any": .arrayContainsAny,
  ]
  let path =
    field == "__name__"
    ? .documentName : FieldPath(field.split(separator: ".").map { Text(String($0)) })
  if value.isNull, comparison == "==" { return .unary(path, .isNull) }
  if value.isNull, comparison == "!=" { return .unary(path, .isNotNull) }
  return .field(path, operators[comparison] ?? .equal, value)
}

func reference(_ path: String) -> Value {
  .reference(
    DocumentName(
      database: testDatabase,
      path: ResourcePath(path.split(separator: "/").map { Text(String($0)) })
    )
  )
}

/// One row of the table of section 9b: a rule of `list`, and filters with their verdicts.
struct QueryRow: Sendable, CustomTestStringConvertible {
  let number: String
  let rule: String
  let cases: [(filter: Filter?, isAllowed: Bool)]
  /// Only the emulator allows it: documents may break the rule.
  let isUnsafe: Bool

  init(
    _ number: String,
    _ rule: String,
    allowed: [Filter?] = [],
    denied: [Filter?] = [],
    isUnsafe: Bool = false
  ) {
    self.number = number
    self.rule = rule
    cases = allowed.map { ($0, true) } + denied.map { ($0, false) }
    self.isUnsafe = isUnsafe
  }

  var testDescription: String { "\(number): \(rule)" }

  /// The rule with the fact sheet's abbreviations written out.
  var condition: String {
    rule.replacing("resource.data", with: "#").replacing(").data", with: ")@")
      .replacing("data.", with: "resource.data.").replacing("#", with: "resource.data")
      .replacing("@", with: ".data").replacing("uid", with: "request.auth.uid")
  }
}

private let alice: Value = "alice"
private let o = f("o", "==", "alice")
private let pTrue = f("p", "==", true)

let queryTable: [QueryRow] = [
  QueryRow(
    "1-7",
    "data.o == uid",
    allowed: [o, f("o", "in", ["alice"])],
    denied: [
      nil, f("o", "==", "bob"), f("o", "in", ["alice", "bob"]),
      .and([f("o", ">=", "alice"), f("o", "<=", "alice")]), f("o", ">", "alice"),
      f("o", "!=", "bob"),
      f("o", "not-in", ["bob"]), f("n", "==", 1), .or([o, f("o", "==", "bob")]),
    ]
  ),
  QueryRow(
    "8-12",
    "data.o == uid",
    allowed: [
      .and([o, f("n", ">", 0)]),
      .or([.and([o, f("n", "==", 1)]), .and([o, f("n", "==", 2)])]),
    ]
  ),
  QueryRow(
    "14",
    "data.p == true",
    allowed: [pTrue, f("p", "in", [true])],
    denied: [
      f("p", "!=", false), nil,
    ]
  ),
  QueryRow("14b", "data.p", allowed: [pTrue], denied: [nil]),
  QueryRow("16", "!data.p", allowed: [f("p", "==", false)]),
  QueryRow("17", "data.p != false", allowed: [pTrue, f("p", "!=", false)], denied: [nil]),
  QueryRow(
    "18-20",
    "data.p == true || data.o == uid",
    allowed: [
      pTrue, o, .or([pTrue, o]), .and([pTrue, f("o", "==", "bob")]),
    ],
    denied: [.or([pTrue, f("o", "==", "bob")]), nil]
  ),
  QueryRow("21", "data.p == true && data.o == uid", allowed: [.and([pTrue, o])], denied: [pTrue]),
  QueryRow(
    "22-25",
    "data.n > 5",
    allowed: [
      f("n", ">", 5), f("n", ">", 6), f("n", ">=", 6), f("n", "==", 7), f("n", "in", [6, 7]),
      .and([f("n", ">", 5), f("n", "<", 9)]), .and([o, f("n", ">", 5)]),
    ],
    denied: [
      f("n", ">=", 5), f("n", ">", 4), f("n", "==", 5), f("n", "in", [5, 7]), f("n", "<", 9), nil,
    ]
  ),
  QueryRow(
    "26",
    "data.n > 5",
    allowed: [
      f("n", "==", 6.5), f("n", "in", [6.5, 7]), .and([f("n", ">", 5.0), f("n", ">", 5)]),
    ],
    denied: [f("n", ">", 5.0), f("n", ">", 5.5), f("n", ">=", 6.0)]
  ),
  QueryRow("26c", "data.n >= 5", denied: [f("n", ">=", 5.0)]),
  QueryRow("26d", "data.n != 5", denied: [f("n", "!=", 5.0)]),
  QueryRow(
    "27",
    "data.n > 5.0",
    allowed: [
      f("n", ">", 5), f("n", ">", 5.0), f("n", ">", 5.5), f("n", ">=", 6), f("n", "==", 6),
    ],
    denied: [f("n", ">=", 5)]
  ),
  QueryRow("27b", "data.s > \"a\"", allowed: [f("s", ">", "b")], denied: [f("s", ">", 5)]),
  QueryRow(
    "28",
    "data.n >= 5",
    allowed: [f("n", ">", 5), f("n", ">=", 5)],
    denied: [f("n", ">", 4)]
  ),
  QueryRow(
    "29",
    "data.n < 5",
    allowed: [f("n", "<", 5), f("n", "<", 4), f("n", "<=", 4)],
    denied: [
      f("n", "<=", 5)
    ]
  ),
  QueryRow("30", "5 < data.n", allowed: [f("n", ">", 5)], denied: [f("n", ">", 4)]),
  QueryRow(
    "31",
    "data.n > 1 && data.n < 9",
    allowed: [
      .and([f("n", ">", 1), f("n", "<", 9)]), .and([f("n", ">", 2), f("n", "<", 5)]),
      f("n", "==", 3),
    ],
    denied: [f("n", ">", 1)]
  ),
  QueryRow(
    "32-33",
    "data.n != 5",
    allowed: [
      f("n", "!=", 5), f("n", ">", 5), f("n", "==", 6), f("n", "not-in", [5, 6]),
      f("n", "in", [1, 2]),
    ],
    denied: [f("n", "not-in", [6]), nil]
  ),
  QueryRow("34", "data.n == null", allowed: [f("n", "==", nil)], denied: [f("n", "!=", nil)]),
  QueryRow(
    "35",
    "data.n != null",
    allowed: [
      f("n", "!=", nil), f("n", ">", 1), f("n", "==", 1),
    ],
    denied: [nil]
  ),
  QueryRow(
    "36-37",
    "data.t in ['k', 'z']",
    allowed: [
      f("t", "==", "k"), f("t", "in", ["k", "z"]), f("t", "in", ["k"]),
    ],
    denied: [f("t", "in", ["k", "y"]), f("t", "==", "y"), nil]
  ),
  QueryRow(
    "38-39",
    "uid in data.l",
    allowed: [
      f("l", "has", "alice"), f("l", "any", ["alice"]), f("l", "==", ["alice"]),
    ],
    denied: [f("l", "has", "bob"), f("l", "any", ["alice", "bob"]), nil]
  ),
  QueryRow(
    "40",
    "data.l.hasAny([uid])",
    allowed: [f("l", "has", "alice")],
    denied: [
      f("l", "any", ["alice", "bob"])
    ]
  ),
  QueryRow(
    "41",
    "data.l.hasAny(['alice', 'bob'])",
    allowed: [
      f("l", "any", ["alice", "bob"]), f("l", "has", "alice"),
    ],
    denied: [f("l", "any", ["alice", "z"])]
  ),
  QueryRow("42", "data.l.hasAll(['alice'])", denied: [f("l", "has", "alice")]),
  QueryRow("42b", "data.l[0] == 'alice'", denied: [f("l", "has", "alice")]),
  QueryRow(
    "43",
    "data.m.r == 'a'",
    allowed: [
      f("m.r", "==", "a"), f("m", "==", ["r": "a"]),
    ],
    denied: [nil]
  ),
  QueryRow("44", "data.roles[uid] == 'owner'", allowed: [f("roles.alice", "==", "owner")]),
  QueryRow(
    "45",
    "data.roles[uid] in ['owner', 'reader']",
    allowed: [
      f("roles.alice", "in", ["owner", "reader"])
    ]
  ),
  QueryRow(
    "46",
    "uid in data.roles",
    allowed: [
      f("roles.alice", "==", "x"), f("roles.alice", ">", ""), f("roles.alice", "!=", nil),
    ]
  ),
  QueryRow(
    "47",
    "data.get('o', '') == 'alice'",
    allowed: [o],
    denied: [nil]
  ),
  QueryRow(
    "48",
    "data.o.size() > 1 && data.o.matches('a.*') && data.o.lower() + 'x' == 'alicex' && data.o is string",
    allowed: [o],
    denied: [nil]
  ),
  QueryRow("49", "data.n + 1 > 5", allowed: [f("n", "==", 7)], denied: [f("n", ">", 5)]),
  QueryRow("50", "data.n is int || data.n is number", denied: [f("n", ">", 5)]),
  QueryRow(
    "51",
    "data.n > 5 || data.n <= 5",
    allowed: [f("n", ">", 5)],
    denied: [nil, f("n", ">", 0)]
  ),
  QueryRow(
    "52",
    "!(data.n > 5)",
    allowed: [f("n", "==", 5)],
    denied: [f("n", "<=", 5), f("n", "<", 5)]
  ),
  QueryRow("53", "!(data.o == 'bob')", denied: [f("o", "!=", "bob")]),
  QueryRow(
    "54",
    "!(data.o in ['bob'])",
    allowed: [f("o", "not-in", ["bob"]), f("o", "!=", "bob"), o]
  ),
  QueryRow("55", "data.o == 'alice' ? true : false", allowed: [o], denied: [f("o", "!=", "bob")]),
  QueryRow("56", "data.n == data.n", denied: [f("n", ">", 5), nil]),
  QueryRow(
    "57",
    "data.n > data.k",
    allowed: [
      .and([f("n", "==", 5), f("k", "<", 3)]), .and([f("n", "==", 5), f("k", "==", 3)]),
    ],
    denied: [.and([f("n", ">", 5), f("k", "<", 3)])]
  ),
  QueryRow(
    "58",
    "data.ts < request.time",
    allowed: [
      f("ts", "<", .timestamp(Timestamp(microseconds: 1_577_836_800_000_000)))
    ],
    denied: [f("ts", "<", .timestamp(Timestamp(microseconds: 3_786_912_000_000_000)))]
  ),
  QueryRow(
    "59",
    "exists(/databases/(default)/documents/q/$(data.o))",
    allowed: [
      f("o", "==", "d0")
    ],
    denied: [f("o", "==", "missing"), nil]
  ),
  QueryRow(
    "60",
    "get(/databases/(default)/documents/users/$(uid)).data.role == 'admin'",
    allowed: [nil]
  ),
  QueryRow(
    "61",
    "get(/databases/(default)/documents/q/d0).data.o == data.o",
    allowed: [o],
    denied: [f("o", "==", "bob")]
  ),
  QueryRow(
    "65",
    "id == 'd0'",
    allowed: [
      f("__name__", "==", reference("q/d0")), f("__name__", "in", .array([reference("q/d0")])),
    ],
    denied: [nil]
  ),
  QueryRow(
    "65b",
    "resource.id == 'd0' && resource.__name__ == /databases/(default)/documents/q/d0",
    allowed: [f("__name__", "==", reference("q/d0"))],
    denied: [nil]
  ),
  QueryRow("66", "id != '' || id is string || id.matches('.*')", denied: [nil]),
  QueryRow(
    "67",
    "resource != null && resource.data != null && request.path[3] == 'q'",
    allowed: [nil]
  ),
  QueryRow("73", "resource.data.keys().hasAll(['o', 'p'])", denied: [o]),
  QueryRow("74", "!('priv' in resource.data) && data.o == 'alice'", allowed: [o], isUnsafe: true),
  QueryRow("74b", "data.m.keys().hasOnly(['a'])", allowed: [f("m.a", "==", 1)], isUnsafe: true),
  QueryRow("74c", "resource.data.values().size() == 1", allowed: [o], isUnsafe: true),
  QueryRow("9a", "!('priv' in resource.data)", allowed: [nil], isUnsafe: true),
  QueryRow("9a2", "resource.data.get('priv', false) == false", allowed: [nil], isUnsafe: true),
  QueryRow("9a3", "resource.data.keys().hasOnly(['o'])", allowed: [nil], isUnsafe: true),
  QueryRow("9a4", "resource.data.size() == 0", allowed: [nil], isUnsafe: true),
  QueryRow("types", "data.n is int", allowed: [f("n", "==", 5)], isUnsafe: true),
  QueryRow("element", "1 in data.l", allowed: [f("l", "has", 1)], isUnsafe: true),
]

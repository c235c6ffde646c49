import BaseText
import FirestoreModel
import Testing

@testable import DocumentStore

/// A query, what its plan says and how Firestore's error would end, as data.
struct PlanCase: Sendable, CustomTestStringConvertible {
  let name: String
  let query: Query
  let plan: String
  /// The fields of the index that is missing.
  let missing: String?

  var testDescription: String { name }
}

@Suite struct PlanTests {
  /// Declared: (user ASC, name ASC), (tags CONTAINS, rank DESC), (a ASC, b DESC), (x ASC, r ASC),
  /// (y ASC, r ASC); for the group of `group`: field `f` ascending and (f ASC, g ASC); for `named` and
  /// its group: (__name__ DESC).
  static func indexes() throws -> IndexSet {
    func declared(
      _ number: UInt32,
      _ id: Text,
      _ scope: IndexScope,
      _ fields: [IndexedField]
    ) throws
      -> DeclaredIndex
    {
      let definition = try IndexDefinition(collectionID: id, scope: scope, fields: fields)
      return DeclaredIndex(number: number, definition: definition, state: .ready(since: .zero))
    }
    func field(_ name: String, _ mode: IndexFieldMode) -> IndexedField {
      IndexedField(FieldPath([Text(name)]), mode)
    }
    let asc = IndexFieldMode.ascending
    return IndexSet(
      generation: 1,
      incarnation: 1,
      declared: [
        try declared(1, "c", .collection, [field("user", asc), field("name", asc)]),
        try declared(2, "c", .collection, [field("tags", .contains), field("rank", .descending)]),
        try declared(3, "c", .collection, [field("a", asc), field("b", .descending)]),
        try declared(4, "c", .collection, [field("x", asc), field("r", asc)]),
        try declared(5, "c", .collection, [field("y", asc), field("r", asc)]),
        try declared(6, "group", .collectionGroup, [field("f", asc), field("g", asc)]),
        try declared(7, "named", .collection, [field("__name__", .descending)]),
        try declared(8, "named", .collectionGroup, [field("__name__", .descending)]),
      ],
      overrides: [
        FieldOverride(
          collectionID: "group",
          field: FieldPath(["f"]),
          indexes: SingleFieldIndex.defaults.union([SingleFieldIndex(.collectionGroup, .ascending)])
        ),
        FieldOverride(collectionID: "c", field: FieldPath(["off"]), indexes: []),
      ]
    )
  }

  @Test(arguments: PlanTests.cases)
  func `a query gets the plan that its conditions and orders ask for`(_ test: PlanCase) throws {
    let version = CommitVersion(microseconds: 1)
    let planner = Planner(
      indexes: try Self.indexes(),
      query: try test.query.normalized(),
      version: version
    )
    let plan = planner.plan()
    #expect(plan.text == test.plan)
    #expect(plan.missingIndex.map { Self.text($0) } == test.missing)
    #expect(plan.sortsInMemory == test.plan.contains("sort"))
  }

  private static func text(_ missing: MissingIndex) -> String {
    switch missing.kind {
    case .composite(let definition):
      return definition.listedFields.map { field in
        let mode = ["?", "ASC", "DESC", "CONTAINS"][Int(field.mode.rawValue)]
        return "\(field.path.canonicalString) \(mode)"
      }.joined(separator: ", ")
    case .singleField(_, let field, let index): return "\(field.canonicalString) \(index.mode)"
    }
  }

  // Cases.

  static func make(
    _ name: String,
    _ filter: Filter? = nil,
    _ orders: [Order] = [],
    in scope: Query.Scope = .collection("c"),
    parent: ResourcePath = .root,
    plan: String,
    missing: String? = nil
  ) -> PlanCase {
    var query = Query(parent: parent, scope: scope)
    query.filter = filter
    query.orders = orders
    return PlanCase(name: name, query: query, plan: plan, missing: missing)
  }

  static func equal(_ field: String) -> Filter {
    .field(FieldPath([Text(field)]), .equal, .integer(1))
  }

  static func above(_ field: String) -> Filter {
    .field(FieldPath([Text(field)]), .greaterThan, .integer(1))
  }

  static func by(_ field: String, _ direction: Order.Direction = .ascending) -> Order {
    Order(FieldPath([Text(field)]), direction)
  }

  static let contains = Filter.field(FieldPath(["tags"]), .arrayContains, .text("x"))

  static let name = Filter.field(
    .documentName,
    .greaterThan,
    .reference(DocumentName(database: DatabaseID(project: "demo"), path: path("c/m")))
  )

  static let cases: [PlanCase] = [
    make("everything", plan: "scan (__name__ ASC)"),
    make(
      "by name descending",
      nil,
      [by("__name__", .descending)],
      plan: "scan (__name__ DESC)",
      missing: "__name__ DESC"
    ),
    make(
      "names descending, with an equality",
      equal("a"),
      [by("__name__", .descending)],
      plan: "index (a DESC, __name__ DESC)"
    ),
    make(
      "names descending, with their index",
      nil,
      [by("__name__", .descending)],
      in: .collection("named"),
      plan: "scan (__name__ DESC)"
    ),
    make(
      "a group by name descending",
      nil,
      [by("__name__", .descending)],
      in: .collectionGroup("other"),
      plan: "sort [scan collections (__name__ ASC)]",
      missing: "__name__ DESC"
    ),
    make(
      "a group by name descending, with its index",
      name,
      [by("__name__", .descending)],
      in: .collectionGroup("named"),
      parent: path("c/d"),
      plan: "index (__name__ DESC)"
    ),
    make("a range of names", name, plan: "scan (__name__ ASC)"),
    make("one equality", equal("a"), plan: "index (a ASC, __name__ ASC)"),
    make("by one field", nil, [by("a")], plan: "index (a ASC, __name__ ASC)"),
    make(
      "by one field descending",
      nil,
      [by("a", .descending)],
      plan: "index (a DESC, __name__ DESC)"
    ),
    make("one range", above("a"), plan: "index (a ASC, __name__ ASC)"),
    make("one element", contains, plan: "index (tags CONTAINS, __name__ ASC)"),
    make(
      "equalities intersect",
      .and([equal("b"), equal("a"), contains]),
      plan: "merge (a ASC, __name__ ASC) & (b ASC, __name__ ASC) & (tags CONTAINS, __name__ ASC)"
    ),
    make(
      "equalities and an order",
      equal("user"),
      [by("name")],
      plan: "index (user ASC, name ASC, __name__ ASC)"
    ),
    make(
      "an index backwards",
      equal("user"),
      [by("name", .descending)],
      plan: "index (user DESC, name DESC, __name__ DESC)"
    ),
    make(
      "an index does not serve mixed directions",
      equal("user"),
      [by("name"), by("__name__", .descending)],
      plan: "sort [index (user ASC, __name__ ASC)]",
      missing: "user ASC, name ASC, __name__ DESC"
    ),
    make(
      "an array field and an order",
      contains,
      [by("rank", .descending)],
      plan: "index (tags CONTAINS, rank DESC, __name__ DESC)"
    ),
    make(
      "two orders",
      nil,
      [by("a"), by("b", .descending)],
      plan: "index (a ASC, b DESC, __name__ DESC)"
    ),
    make(
      "two orders, reversed",
      nil,
      [by("a", .descending), by("b")],
      plan: "index (a DESC, b ASC, __name__ ASC)"
    ),
    make(
      "two ranges",
      .and([above("a"), above("b")]),
      [by("a"), by("b", .descending)],
      plan: "index (a ASC, b DESC, __name__ DESC)"
    ),
    make(
      "two ranges without their index",
      .and([above("r"), above("a")]),
      plan: "sort [scan (__name__ ASC)]",
      missing: "a ASC, r ASC, __name__ ASC"
    ),
    make(
      "indexes with the same last fields intersect",
      .and([equal("x"), equal("y"), above("r")]),
      plan: "merge (x ASC, r ASC, __name__ ASC) & (y ASC, r ASC, __name__ ASC)"
    ),
    make(
      "a missing order index names equalities, array field, orders",
      .and([equal("z"), equal("b"), contains]),
      [by("m", .descending)],
      plan:
        "sort [merge (b ASC, __name__ ASC) & (z ASC, __name__ ASC) & (tags CONTAINS, __name__ ASC)]",
      missing: "b ASC, z ASC, tags CONTAINS, m DESC, __name__ DESC"
    ),
    make(
      "alternatives",
      .or([equal("a"), contains]),
      plan: "index (a ASC, __name__ ASC) | index (tags CONTAINS, __name__ ASC)"
    ),
    make(
      "an alternative that only sorting serves",
      .or([equal("user"), equal("z")]),
      [by("name")],
      plan: "index (user ASC, name ASC, __name__ ASC) | sort [index (z ASC, __name__ ASC)]",
      missing: "z ASC, name ASC, __name__ ASC"
    ),
    make(
      "a field that is switched off",
      equal("off"),
      plan: "sort [scan (__name__ ASC)]",
      missing: "off ascending"
    ),
    make(
      "the order of an equality's field",
      equal("a"),
      [by("a", .descending)],
      plan: "index (a DESC, __name__ DESC)"
    ),
    make("a group", in: .collectionGroup("group"), plan: "scan collections (__name__ ASC)"),
    make(
      "a group's field",
      equal("f"),
      in: .collectionGroup("group"),
      plan: "index (f ASC, __name__ ASC)"
    ),
    make(
      "a group's declared index below a document",
      equal("f"),
      [by("g")],
      in: .collectionGroup("group"),
      parent: path("c/d"),
      plan: "index (f ASC, g ASC, __name__ ASC)"
    ),
    make(
      "a group's field without an index",
      equal("h"),
      in: .collectionGroup("group"),
      plan: "sort [scan collections (__name__ ASC)]",
      missing: "h ascending"
    ),
    make("everything below", in: .descendants, plan: "scan collections (__name__ ASC)"),
    make(
      "one document",
      .and([
        .field(
          .documentName,
          .equal,
          .reference(DocumentName(database: DatabaseID(project: "demo"), path: path("c/m")))
        ), equal("a"),
      ]),
      plan: "lookup"
    ),
    make("never", .and([equal("a"), .unary(FieldPath(["a"]), .isNull)]), plan: "nothing"),
  ]
}

import BaseStatus
import BaseText
import FirestoreModel
import Testing

@Suite struct NormalizedQueryTests {
  @Test func `a query without orders sorts by name`() throws {
    let query = try Query(scope: .collection("c")).normalized()
    #expect(query.orders == [Order(.documentName)])
    #expect(query.disjuncts == [[]])
    #expect(query.requiredFields.isEmpty)
  }

  @Test func `inequality fields and the name follow in the last direction`() throws {
    var query = Query(scope: .collection("c"))
    query.filter = .and([
      .field(field("z"), .greaterThan, .integer(1)), .field(field("b"), .lessThan, .integer(1)),
      .unary(field("a"), .isNotNull), .field(field("e"), .equal, .integer(1)),
    ])
    query.orders = [Order(field("x")), Order(field("b"), .descending)]
    let normalized = try query.normalized()
    #expect(
      normalized.orders == [
        Order(field("x")), Order(field("b"), .descending), Order(field("a"), .descending),
        Order(field("z"), .descending), Order(.documentName, .descending),
      ]
    )
    #expect(normalized.requiredFields == [field("a"), field("b"), field("x"), field("z")])
  }

  @Test func `behind an explicit name nothing is added`() throws {
    var query = Query(scope: .collection("c"))
    query.filter = .field(field("a"), .greaterThan, .integer(1))
    query.orders = [Order(.documentName, .descending)]
    let normalized = try query.normalized()
    #expect(normalized.orders == [Order(.documentName, .descending)])
    #expect(normalized.requiredFields == [field("a")])
  }

  @Test func `filters are multiplied out and simplified`() throws {
    var query = Query(scope: .collection("c"))
    query.filter = .and([
      .or([.and([]), .field(field("a"), .in, .array([.integer(1), .null, .integer(2)]))]),
      .or([.field(field("b"), .equal, .integer(3)), .unary(field("b"), .isNaN)]),
      .and([]),
    ])
    #expect(
      try query.normalized().disjuncts == [
        [condition("a", .equal(.integer(1))), condition("b", .equal(.integer(3)))],
        [condition("a", .equal(.integer(1))), condition("b", .isNaN)],
        [condition("a", .equal(.integer(2))), condition("b", .equal(.integer(3)))],
        [condition("a", .equal(.integer(2))), condition("b", .isNaN)],
      ]
    )
  }

  @Test(arguments: [
    Filter.field(field("a"), .equal, .null), .field(field("a"), .equal, .double(.nan)),
    .field(field("a"), .lessThan, .null), .field(field("a"), .greaterThanOrEqual, .double(.nan)),
    .field(field("a"), .in, .array([.null])), .field(field("a"), .arrayContains, .null),
    .field(field("a"), .arrayContains, .array([])),
    .field(field("a"), .notIn, .array([.integer(1), .null])),
  ])
  func `operands that match nothing leave no alternative`(filter: Filter) throws {
    var query = Query(scope: .collection("c"))
    query.filter = filter
    #expect(try query.normalized().disjuncts.isEmpty)
  }

  static let refused: [(Filter, String)] = [
    (.field(field("a"), .in, .integer(1)), "'IN' requires an ArrayValue."),
    (.field(field("a"), .in, .array([])), "'IN' requires an non-empty ArrayValue."),
    (.field(field("a"), .in, integers(31)), "'IN' supports up to 30 comparison values."),
    (
      .field(field("a"), .arrayContainsAny, integers(31)),
      "'ARRAY_CONTAINS_ANY' supports up to 30 comparison values."
    ),
    (.field(field("a"), .notIn, integers(11)), "'NOT_IN' supports up to 10 comparison values."),
    (
      .and([.field(field("a"), .notEqual, .null), .unary(field("a"), .isNotNull)]),
      "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query."
    ),
    (
      .and([.field(field("a"), .notIn, integers(1)), .field(field("b"), .in, integers(1))]),
      "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."
    ),
    (
      .and([.field(field("a"), .in, integers(6)), .field(field("b"), .in, integers(6))]),
      "Too many disjunctions after normalization. Result had 36 disjunctions which is more than "
        + "the maximum of 30"
    ),
    (
      .and([
        .field(field("a"), .arrayContains, .null),
        .field(field("b"), .arrayContainsAny, integers(2)),
      ]),
      "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."
    ),
    (
      .and((0..<11).map { .field(field("f\($0)"), .greaterThan, .null) }),
      "The query contains 11 distinct inequality fields: [f0, f1, f10, f2, f3, f4, f5, f6, f7, f8, "
        + "f9]. A query may not have more than 10 distinct inequality fields."
    ),
    (
      .and((0..<101).map { .field(field("f\($0)"), .equal, .null) }),
      "The query may not have more than 100 filters + sort orders + ancestor total. Currently "
        + "there are 101 filters, 0 sort orders, and no ancestor filter."
    ),
    (.field(.documentName, .equal, .string("x")), "__key__ filter value must be a Key"),
    (.field(.documentName, .in, integers(1)), "__key__ filter value must be a Key"),
    (.unary(.documentName, .isNull), "__key__ filter value must be a Key"),
  ]

  @Test(arguments: refused)
  func `filters beyond Firestore's rules are refused`(filter: Filter, message: String) {
    var query = Query(scope: .collection("c"))
    query.filter = filter
    #expect(refusal(query) == message)
  }

  @Test func `deep products of alternatives are counted, not built`() {
    var query = Query(scope: .collection("c"))
    query.filter = .and(
      (0..<80).map { .field(field("f\($0)"), .in, integers(30)) }
    )
    #expect(refusal(query)?.hasPrefix("Too many disjunctions after normalization.") == true)
  }

  @Test func `array-contains may stand in several alternatives`() throws {
    var query = Query(scope: .collection("c"))
    query.filter = .or([
      .field(field("a"), .arrayContains, .integer(1)),
      .field(field("b"), .arrayContainsAny, integers(2)),
    ])
    #expect(try query.normalized().disjuncts.count == 3)
  }

  @Test func `orders and windows are checked`() {
    var query = Query(scope: .collection("c"))
    query.orders = [Order(field("a")), Order(field("a"))]
    #expect(refusal(query) == "order by clause cannot contain duplicate fields a")
    query.orders = [Order(.documentName), Order(field("a"))]
    #expect(refusal(query) == "order by clause cannot contain more fields after the key")
    query.orders = []
    query.limit = -1
    #expect(refusal(query) == "limit is negative")
    query.limit = 0
    query.offset = -1
    #expect(refusal(query) == "offset is negative")
  }

  @Test func `cursors are counted against the orders that were sent`() {
    var query = Query(scope: .collection("c"))
    query.filter = .field(field("a"), .greaterThan, .integer(1))
    query.start = Cursor(values: [.integer(1)], before: true)
    #expect(refusal(query) == "Cursor has too many values.")
    query.orders = [Order(field("a")), Order(.documentName)]
    #expect(refusal(query) == nil)
    query.end = Cursor(values: [.integer(1), .string("x")], before: true)
    #expect(refusal(query) == "Cursor __key__ value is not a document reference.")
  }

  @Test func `queries over all collections know only names`() {
    var query = Query(scope: .descendants)
    query.filter = .field(field("f"), .equal, .integer(1))
    #expect(refusal(query) == "kind is required for filter: f")
    query.filter = nil
    query.orders = [Order(.documentName, .descending)]
    #expect(refusal(query) == "kind is required for all orders except __key__ ascending")
  }

  @Test func `nearest neighbours exclude limits and cursors`() {
    var query = Query(scope: .collection("c"))
    let search = FindNearest(field: field("v"), vector: [0, 0], measure: .euclidean, limit: 3)
    query.findNearest = search
    #expect(refusal(query) == nil)
    query.limit = 1
    #expect(refusal(query) == "A query limit cannot be used with FindNearest")
    query.limit = nil
    query.findNearest = FindNearest(
      field: field("v"),
      vector: [0, 0],
      measure: .cosine,
      limit: 3
    )
    #expect(
      refusal(query) == "Cannot compute cosine distance against a vector with a magnitude of zero."
    )
  }

  /// As Google's emulator answers them.
  private static let keyQueries: [(filter: Filter, isTaken: Bool)] = [
    (.and([key(.equal), .field(field("n"), .greaterThan, .integer(1))]), false),
    (.and([key(.equal), .field(field("n"), .notEqual, .integer(1))]), false),
    (.and([key(.equal), .unary(field("n"), .isNotNull)]), false),
    (.or([key(.equal), .field(field("n"), .greaterThan, .integer(1))]), false),
    (
      .and([
        .field(.documentName, .in, .array([reference])), .field(field("n"), .lessThan, .integer(1)),
      ]), false
    ),
    (.and([key(.equal), .field(field("n"), .equal, .integer(1))]), true),
    (.and([key(.equal), .unary(field("n"), .isNull)]), true),
    (.and([key(.equal), key(.greaterThan)]), true),
    (
      .and([key(.equal), key(.greaterThan), .field(field("n"), .greaterThan, .integer(1))]), true
    ),
    (.and([key(.lessThan), .field(field("n"), .greaterThan, .integer(1))]), true),
  ]

  private static let reference = Value.reference(
    DocumentName(database: DatabaseID(project: "p"), path: resourcePath("c/1"))
  )

  private static func key(_ comparison: Filter.FieldOperator) -> Filter {
    .field(.documentName, comparison, reference)
  }

  @Test(arguments: keyQueries)
  func `an equality on the key beside inequalities on other fields is refused`(
    filter: Filter,
    isTaken: Bool
  ) {
    var query = Query(scope: .collection("c"))
    query.filter = filter
    let text =
      "Equality on key is not allowed if there are other inequality fields and key does not appear "
      + "in inequalities."
    #expect(refusal(query) == (isTaken ? nil : text))
  }

  @Test func `behind the key no aggregated field can be ordered`() {
    func text(_ query: Query, _ aggregations: [Aggregation.Operator]) -> String? {
      let named = aggregations.enumerated().map {
        Aggregation(alias: Text("a\($0.offset)"), operator: $0.element)
      }
      return refusal { () throws(ServiceError) in try Aggregation.check(named, of: query) }
    }
    let refused =
      "This query requires an index that has fields [m, n] after __name__ and Firestore does not "
      + "currently support such an index. Please try the query again with additional ordering on "
      + "those fields."
    var query = Query(scope: .collection("c"))
    query.orders = [Order(.documentName)]
    #expect(text(query, [.sum(field("n")), .average(field("m"))]) == refused)
    #expect(text(query, [.count(upTo: nil)]) == nil)
    query.orders = [Order(field("n")), Order(.documentName)]
    #expect(text(query, [.sum(field("n"))]) == nil)
    query.orders = []
    query.filter = Self.key(.greaterThan)
    #expect(text(query, [.sum(field("m")), .sum(field("n"))]) == refused)
    query.orders = [Order(field("n"))]
    #expect(text(query, [.sum(field("n"))]) == nil)
    #expect(
      text(Query(scope: .collection("c")), [.sum(.documentName)])
        == "Aggregations are not supported for the property: __key__"
    )
  }

  @Test func `aggregations are checked together`() {
    func text(_ aggregations: [Aggregation]) -> String? {
      refusal { () throws(ServiceError) in
        try Aggregation.check(aggregations, of: Query(scope: .collection("c")))
      }
    }
    let count = Aggregation(alias: "n", operator: .count(upTo: nil))
    #expect(text([count]) == nil)
    #expect(text([]) == "Aggregations can not be empty.")
    #expect(text([count, count]) == "Aggregation aliases contain duplicate alias: n.")
    #expect(
      text([Aggregation(alias: "__x__", operator: .sum(field("a")))])
        == #"The property.name "__x__" is reserved."#
    )
    #expect(
      text([Aggregation(alias: "n", operator: .count(upTo: -1))])
        == "The `up_to` value in a COUNT aggregation must be greater than or equal to zero."
    )
    let six = (0..<6).map { Aggregation(alias: Text("a\($0)"), operator: .count(upTo: nil)) }
    #expect(text(six)?.contains("maximum number of aggregations") == true)
  }
}

func field(_ name: String) -> FieldPath { FieldPath([Text(name)]) }

func integers(_ count: Int) -> Value { .array((0..<count).map { .integer(Int64($0)) }) }

private func condition(_ name: String, _ test: Condition.Test) -> Condition {
  Condition(field(name), test)
}

private func refusal(_ query: Query) -> String? {
  refusal { () throws(ServiceError) in _ = try query.normalized() }
}

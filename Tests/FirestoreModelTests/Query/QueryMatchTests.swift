import BaseText
import FirestoreModel
import ModelTestSupport
import Testing

@Suite struct QueryMatchTests {
  /// A filter on `f`, values that pass and values that do not; nil is a missing field.
  static let filters: [(Filter, [Value?], [Value?])] = [
    (on(.equal, .integer(1)), [.integer(1), .double(1)], [.integer(2), .string("1"), .null, nil]),
    (
      on(.equal, map(["a": .integer(1)])), [map(["a": .double(1)])], [map(["a": .integer(2)]), nil]
    ),
    (
      on(.lessThan, .integer(2)), [.integer(1), .double(-.infinity)],
      [.integer(2), .double(.nan), .null, .boolean(true), nil]
    ),
    (
      on(.greaterThanOrEqual, .string("b")), [.string("b"), .string("é")],
      [.string("a"), .bytes([0xFF]), .integer(9)]
    ),
    (
      on(.notEqual, .integer(1)), [.integer(2), .double(.nan), .string("x"), .array([])],
      [.integer(1), .double(1), .null, nil]
    ),
    (on(.in, .array([.integer(1), .null])), [.double(1)], [.null, .integer(2), nil]),
    (
      on(.notIn, .array([.integer(1), .string("a")])), [.integer(2), .double(.nan)],
      [.double(1), .string("a"), .null, nil]
    ),
    (on(.notIn, .array([.integer(1), .null])), [], [.integer(2), .null, nil]),
    (
      on(.arrayContains, .integer(1)), [.array([.null, .double(1)])],
      [.array([.integer(2)]), .integer(1), .array([.array([.integer(1)])]), nil]
    ),
    (
      on(.arrayContainsAny, .array([.integer(1), .string("a")])),
      [.array([.string("a")]), .array([.integer(3), .integer(1)])], [.array([]), .string("a")]
    ),
    (.unary(field("f"), .isNull), [.null], [.integer(0), nil]),
    (.unary(field("f"), .isNaN), [.double(.nan)], [.integer(0), .null, nil]),
    (.unary(field("f"), .isNotNull), [.integer(0), .double(.nan)], [.null, nil]),
    (.unary(field("f"), .isNotNaN), [.integer(0), .string("")], [.double(.nan), .null, nil]),
  ]

  private static func on(_ comparison: Filter.FieldOperator, _ operand: Value) -> Filter {
    .field(field("f"), comparison, operand)
  }

  @Test(arguments: filters)
  func `filters pass what Firestore's do`(
    filter: Filter,
    passing: [Value?],
    failing: [Value?]
  ) throws {
    var query = Query(scope: .collection("c"))
    query.filter = filter
    let normalized = try query.normalized()
    for value in passing { #expect(normalized.matches(document(f: value)), "\(value as Any)") }
    for value in failing { #expect(!normalized.matches(document(f: value)), "\(value as Any)") }
  }

  static let scopes: [(Query.Scope, [Text], [String], [String])] = [
    (.collection("c"), [], ["c/1"], ["d/1", "c/1/c/1"]),
    (.collection("c"), ["d", "1"], ["d/1/c/2"], ["c/1", "d/2/c/2", "d/1/c/2/c/3"]),
    (.collectionGroup("c"), [], ["c/1", "d/1/c/2"], ["d/1", "c/1/d/2"]),
    (.collectionGroup("c"), ["c", "1"], ["c/1/c/2", "c/1/d/2/c/3"], ["c/1", "c/2/c/2"]),
    (.children, [], ["c/1", "d/1"], ["c/1/d/1"]),
    (.descendants, ["c", "1"], ["c/1/d/1", "c/1/d/1/e/1"], ["c/1", "c/2"]),
  ]

  @Test(arguments: scopes)
  func `scopes hold their documents`(
    scope: Query.Scope,
    parent: [Text],
    inside: [String],
    outside: [String]
  ) throws {
    let query = try Query(parent: ResourcePath(parent), scope: scope).normalized()
    for path in inside { #expect(query.holds(resourcePath(path)), "\(path)") }
    for path in outside { #expect(!query.holds(resourcePath(path)), "\(path)") }
  }

  @Test func `documents without an ordered field are no results`() throws {
    var query = Query(scope: .collection("c"))
    query.orders = [Order(field("g"))]
    #expect(try !query.normalized().matches(document(f: .integer(1))))
    query.orders = []
    query.filter = .or([
      .field(field("f"), .equal, .integer(1)), .field(field("g"), .greaterThan, .integer(1)),
    ])
    #expect(try !query.normalized().matches(document(f: .integer(1))))
  }

  @Test(arguments: [
    (true, true, [2, 3]), (false, true, [3]), (true, false, [2, 3, 4]), (false, false, [3, 4]),
  ])
  func `cursors stand before or behind their equals`(
    startBefore: Bool,
    endBefore: Bool,
    expected: [Int64]
  ) throws {
    for direction in [Order.Direction.ascending, .descending] {
      var query = Query(scope: .collection("c"))
      query.orders = [Order(field("f"), direction)]
      let low = Cursor(values: [.integer(2)], before: startBefore)
      let high = Cursor(values: [.double(4)], before: endBefore)
      query.start = direction == .ascending ? low : Cursor(values: high.values, before: !endBefore)
      query.end = direction == .ascending ? high : Cursor(values: low.values, before: !startBefore)
      let normalized = try query.normalized()
      let found = (0..<7).map { Int64($0) }.filter {
        normalized.matches(document(f: .integer($0)))
      }
      #expect(found == expected)
    }
  }

  @Test func `results sort by their orders and then by name in the last direction`() throws {
    var query = Query(scope: .collection("c"))
    query.orders = [Order(field("f"), .descending)]
    let normalized = try query.normalized()
    let documents = [
      document("c/a", f: .integer(1)), document("c/b", f: .double(1)),
      document("c/c", f: .string("x")), document("c/d", f: .null),
    ]
    let sorted = documents.sorted { normalized.compare($0, $1) == .ascending }
    #expect(sorted.map { $0.name.path.string } == ["c/c", "c/b", "c/a", "c/d"])
    for left in documents {
      for right in documents {
        guard let first = normalized.sortKey(of: left), let second = normalized.sortKey(of: right)
        else { continue }
        #expect(normalized.compareKeys(first, second) == normalized.compare(left, right))
      }
    }
  }

  @Test func `multiplied-out filters pass what the filter as sent passes`() throws {
    var random = RandomValues(seed: testSeed)
    for _ in 0..<4_000 {
      var query = Query(scope: .collection("c"))
      let filter = randomFilter(&random, depth: 0)
      query.filter = filter
      guard let normalized = try? query.normalized() else { continue }
      let fields = ["a", "b"].map {
        MapValue.Entry(key: $0, value: .integer(Int64(random.int(0..<3))))
      }
      let document = DecodedDocument(
        name: DocumentName(database: DatabaseID(project: "p"), path: resourcePath("c/1")),
        fields: MapValue(fields)
      )
      guard normalized.passesFilter(document) == passes(filter, document.fields) else {
        Issue.record("seed \(testSeed): \(filter)")
        return
      }
    }
  }

  private func randomFilter(_ random: inout RandomValues, depth: Int) -> Filter {
    let kind = random.int(0..<(depth < 3 ? 6 : 4))
    if kind >= 4 {
      let filters = (0..<random.int(0..<4)).map { _ in randomFilter(&random, depth: depth + 1) }
      return kind == 4 ? .and(filters) : .or(filters)
    }
    let name = field(random.bool() ? "a" : "b")
    let operand = Value.integer(Int64(random.int(0..<3)))
    switch kind {
    case 0: return .field(name, .equal, operand)
    case 1: return .field(name, .greaterThan, operand)
    case 2: return .field(name, .in, .array([operand, .integer(1)]))
    default: return .field(name, .lessThanOrEqual, operand)
    }
  }

  /// Judges a filter of `randomFilter` directly; an empty composite is no filter.
  private func passes(_ filter: Filter, _ fields: MapValue) -> Bool {
    switch filter {
    case .and(let filters): filters.allSatisfy { passes($0, fields) }
    case .or(let filters):
      filters.allSatisfy(isVacuous)
        || filters.contains { !isVacuous($0) && passes($0, fields) }
    case .unary: false
    case .field(let path, let comparison, let operand):
      if let value = fields.value(at: path) {
        switch (comparison, operand) {
        case (.equal, _): value.isEqual(to: operand)
        case (.greaterThan, _): value.compare(operand) == .descending
        case (.lessThanOrEqual, _): value.compare(operand) != .descending
        case (_, .array(let values)): values.contains { $0.isEqual(to: value) }
        default: false
        }
      } else {
        false
      }
    }
  }

  private func isVacuous(_ filter: Filter) -> Bool {
    switch filter {
    case .and(let filters), .or(let filters): filters.allSatisfy(isVacuous)
    case .field, .unary: false
    }
  }
}

func resourcePath(_ path: String) -> ResourcePath {
  ResourcePath(path.split(separator: "/").map { Text(String($0)) })
}

private func document(_ path: String = "c/1", f value: Value?) -> DecodedDocument {
  let entries = value.map { [MapValue.Entry(key: "f", value: $0)] } ?? []
  return DecodedDocument(
    name: DocumentName(database: DatabaseID(project: "p"), path: resourcePath(path)),
    fields: MapValue(entries)
  )
}

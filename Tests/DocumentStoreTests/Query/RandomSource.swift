import BaseText
import FirestoreModel

/// Random documents and queries from a small world, so that they meet often.
struct RandomSource {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// xorshift64*.
  private mutating func bits() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func below(_ bound: Int) -> Int { Int((bits() >> 33) % UInt64(bound)) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func pick<T>(_ elements: [T]) -> T { elements[below(elements.count)] }

  // Documents.

  static let collections = ["c", "c/d1/c", "c/d1/s", "c/d2/s/d1/c", "e", "e/none/c", "c/__id7__/c"]
  static let ids = ["d1", "d2", "d3", "é", "z", "__id7__", "__id-3__", "__id20__", "a\u{0}b"]
  static let fieldNames = ["a", "b", "t", "m"]
  static let paths = ["a", "b", "t", "m", "m.x", "m.y"].map {
    FieldPath($0.split(separator: ".").map { Text(String($0)) })
  }

  mutating func documentPath() -> ResourcePath {
    let collection = pick(Self.collections).split(separator: "/").map { Text(String($0)) }
    return ResourcePath(collection).appending(Text(pick(Self.ids)))
  }

  mutating func document() -> MapValue {
    var result = MapValue()
    for name in Self.fieldNames where chance(75) {
      switch name {
      case "t": result["t"] = chance(80) ? .array(list()) : scalar()
      case "m": result["m"] = chance(80) ? map() : scalar()
      default: result[Text(name)] = chance(90) ? scalar() : pick([.array(list()), map()])
      }
    }
    return result
  }

  private mutating func list() -> [Value] { (0..<below(4)).map { _ in scalar() } }

  private mutating func map() -> Value {
    var result = MapValue()
    for key in ["x", "y"] where chance(60) { result[Text(key)] = scalar() }
    return .map(result)
  }

  mutating func scalar() -> Value {
    switch below(28) {
    case 0: .null
    case 1: .boolean(chance(50))
    case 2: .double(.nan)
    case 3: .double(-0.0)
    case 4: .double(1.5)
    case 5: .double(3)
    case 6: .integer(pick([.min, .max, 1 << 53, (1 << 53) + 1]))
    case 7: .double(pick([-.infinity, .infinity, 0x1p53, 0x1p63, .leastNonzeroMagnitude]))
    case 8...14: .integer(Int64(below(5)))
    case 15...18:
      .string(Text(pick(["", "a", "ab", "b", "e\u{301}", "é", "\u{FFFF}", "\u{10000}", "a\u{0}"])))
    case 19: .timestamp(Timestamp(microseconds: Int64(below(3)) - 1))
    case 20: .bytes(pick([[], [0], [0, 1], [255]]))
    case 21: .reference(DocumentName(database: DatabaseID(project: "demo"), path: documentPath()))
    case 22: .geoPoint(GeoPoint(latitude: Double(below(2)), longitude: Double(below(2))))
    case 23: .vector([Double(below(2)), Double(below(2))])
    case 24: .bson(.int32(Int32(below(5))))
    case 25, 26: decimal()
    default:
      pick([
        .bson(.minKey), .bson(.maxKey), .bson(.objectID(BSONObjectID(high: 0, low: 1))),
        .bson(.regex(pattern: "a", options: "i")), .bson(.binary(subtype: 1, [0])),
        .bson(.timestamp(BSONTimestamp(seconds: 1, increment: 2))),
      ])
    }
  }

  /// A decimal that is another number of the source, or lies right behind one.
  private mutating func decimal() -> Value {
    let text = pick([
      "1", "3.0", "0", "NaN", "3.000000000000000000000000000000001", "1.5", "-0.1",
      "3.000000000000000000000000000000002", "9007199254740992.5", "2.000000000000000000001",
    ])
    return .bson(.decimal(Decimal128(text) ?? .nan))
  }

  // Queries.

  mutating func query() -> Query {
    var query = Query(parent: .root, scope: .collection("c"))
    switch below(20) {
    case 0: query.scope = .collection("e")
    case 1: query.parent = path("c/d1")
    case 2: query.scope = .collectionGroup("c")
    case 3, 4:
      query.scope = .collectionGroup("c")
      query.parent = pick([path("c/d1"), path("c/d2"), path("e/none")])
    case 5: query = Query(parent: pick([.root, path("c/d1")]), scope: .children)
    case 6: query = Query(parent: pick([.root, path("c/d1"), path("c/d2")]), scope: .descendants)
    default: break
    }
    if chance(80) { query.filter = filter(depth: 0) }
    for field in orderFields() {
      query.orders.append(Order(field, pick([.ascending, .descending])))
    }
    if chance(30) { query.start = cursor(query) }
    if chance(30) { query.end = cursor(query) }
    if chance(20) { query.offset = below(4) }
    if chance(50) { query.limit = below(6) }
    return query
  }

  private mutating func orderFields() -> [FieldPath] {
    var result: [FieldPath] = []
    for _ in 0..<pick([0, 0, 1, 1, 1, 2, 3]) {
      let field = pick(Self.paths)
      if !result.contains(field) { result.append(field) }
    }
    if chance(25) { result.append(.documentName) }
    return result
  }

  private mutating func cursor(_ query: Query) -> Cursor? {
    guard !query.orders.isEmpty else { return nil }
    let values = query.orders.prefix(1 + below(query.orders.count)).map { order in
      order.field.isDocumentName ? reference(query) : scalar()
    }
    return Cursor(values: values, before: chance(50))
  }

  private mutating func reference(_ query: Query) -> Value {
    var target = documentPath()
    if case .collection(let id) = query.scope, chance(85) {
      target = query.parent.appending(id).appending(Text(pick(Self.ids)))
    }
    return .reference(DocumentName(database: DatabaseID(project: "demo"), path: target))
  }

  private mutating func filter(depth: Int) -> Filter {
    if depth < 3, chance(45) {
      let parts = (0..<(1 + below(3))).map { _ in filter(depth: depth + 1) }
      return chance(65) ? .and(parts) : .or(parts)
    }
    return leaf()
  }

  private mutating func leaf() -> Filter {
    if chance(12) { return name() }
    let field = pick(Self.paths)
    switch below(16) {
    case 0...5: return .field(field, .equal, value())
    case 6: return .field(field, .lessThan, value())
    case 7: return .field(field, .lessThanOrEqual, value())
    case 8: return .field(field, .greaterThan, value())
    case 9: return .field(field, .greaterThanOrEqual, value())
    case 10: return .field(field, .notEqual, value())
    case 11: return .field(field, .in, .array((0...below(3)).map { _ in value() }))
    case 12: return .field(field, .notIn, .array((0...below(3)).map { _ in value() }))
    case 13: return .field(FieldPath(["t"]), .arrayContains, value())
    case 14:
      return .field(
        FieldPath(["t"]),
        .arrayContainsAny,
        .array((0...below(2)).map { _ in value() })
      )
    default: return .unary(field, pick([.isNaN, .isNull, .isNotNaN, .isNotNull]))
    }
  }

  private mutating func name() -> Filter {
    let target = { (source: inout RandomSource) -> Value in
      let collection = source.chance(80) ? "c" : source.pick(Self.collections)
      let whole = path(collection).appending(Text(source.pick(Self.ids)))
      return .reference(DocumentName(database: DatabaseID(project: "demo"), path: whole))
    }
    let operation: Filter.FieldOperator = pick([
      .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .in, .notEqual,
    ])
    if operation == .in {
      return .field(.documentName, .in, .array([target(&self), target(&self)]))
    }
    return .field(.documentName, operation, target(&self))
  }

  private mutating func value() -> Value {
    chance(92) ? scalar() : pick([.array(list()), map()])
  }
}

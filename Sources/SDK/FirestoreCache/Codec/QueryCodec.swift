import DocumentCodec
import FirestoreModel

/// The bytes of a query.
///
///     1 parent   2 collection id   3 id of a collection group   4 filter   5 an order: 1 field, 2 direction
///     6 start, 7 end: 1 a value (any number), 2 whether before   8 offset   9 limit   10 a projected path
///     11 whether there is a projection
///     A filter: 1 field   2 operator   3 value   4 operator without a value   5 a part of AND   6 a part of OR
///     7 an AND or OR without parts (1 or 2)
///
/// A search for neighbours and the scopes that only servers use are never listened to, and not kept.
enum QueryCodec {
  static func encode(_ query: Query, _ writer: inout ProtobufWriter) {
    writer.path(1, query.parent)
    encode(query.scope, &writer)
    if let filter = query.filter { writer.message(4) { encode(filter, &$0) } }
    encode(query.orders, &writer)
    encode(query.start, 6, &writer)
    encode(query.end, 7, &writer)
    encodeWindow(query.offset, query.limit, query.projection, &writer)
  }

  private static func encode(_ scope: Query.Scope, _ writer: inout ProtobufWriter) {
    switch scope {
    case .collection(let id): writer.text(2, id)
    case .collectionGroup(let id): writer.text(3, id)
    case .children, .descendants: break
    }
  }

  private static func encode(_ orders: [Order], _ writer: inout ProtobufWriter) {
    for order in orders {
      writer.message(5) {
        $0.fieldPath(1, order.field)
        $0.int64(2, Int64(order.direction.rawValue))
      }
    }
  }

  private static func encode(_ cursor: Cursor?, _ field: Int, _ writer: inout ProtobufWriter) {
    guard let cursor else { return }
    writer.message(field) {
      for value in cursor.values { $0.value(1, value) }
      $0.bool(2, cursor.before)
    }
  }

  private static func encodeWindow(
    _ offset: Int,
    _ limit: Int?,
    _ projection: [FieldPath]?,
    _ writer: inout ProtobufWriter
  ) {
    writer.int64(8, Int64(offset))
    if let limit { writer.int64(9, Int64(limit)) }
    for path in projection ?? [] { writer.fieldPath(10, path) }
    if projection != nil { writer.bool(11, true) }
  }

  private static func encode(_ filter: Filter, _ writer: inout ProtobufWriter) {
    switch filter {
    case .field(let path, let comparison, let value):
      writer.fieldPath(1, path)
      writer.int64(2, Int64(comparison.rawValue))
      writer.value(3, value)
    case .unary(let path, let test):
      writer.fieldPath(1, path)
      writer.int64(4, Int64(test.rawValue))
    case .and(let parts):
      if parts.isEmpty { writer.int64(7, 1) }
      for part in parts { writer.message(5) { encode(part, &$0) } }
    case .or(let parts):
      if parts.isEmpty { writer.int64(7, 2) }
      for part in parts { writer.message(6) { encode(part, &$0) } }
    }
  }

  // MARK: Reading

  static func decode(_ bytes: UnsafeRawBufferPointer) throws -> Query {
    var query = Query(scope: .children)
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: query.parent = try reader.path()
      case 2: query.scope = .collection(try reader.text())
      case 3: query.scope = .collectionGroup(try reader.text())
      case 4: query.filter = try filter(try reader.content())
      case 5: query.orders.append(try order(try reader.content()))
      case 6: query.start = try cursor(try reader.content())
      case 7: query.end = try cursor(try reader.content())
      case 8: query.offset = try reader.integer()
      case 9: query.limit = try reader.integer()
      case 10: query.projection = (query.projection ?? []) + [try reader.fieldPath()]
      case 11: query.projection = query.projection ?? []
      default: return false
      }
      return true
    }
    return query
  }

  private static func order(_ bytes: UnsafeRawBufferPointer) throws -> Order {
    var path: FieldPath?
    var direction = Order.Direction.ascending
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: path = try reader.fieldPath()
      case 2: direction = Order.Direction(rawValue: try reader.integer()) ?? .ascending
      default: return false
      }
      return true
    }
    guard let path else { throw CacheError.damaged("a query's order") }
    return Order(path, direction)
  }

  private static func cursor(_ bytes: UnsafeRawBufferPointer) throws -> Cursor {
    var values: [Value] = []
    var isBefore = false
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: values.append(try reader.value())
      case 2: isBefore = try reader.bool()
      default: return false
      }
      return true
    }
    return Cursor(values: values, before: isBefore)
  }

  private static func filter(_ bytes: UnsafeRawBufferPointer) throws -> Filter {
    var path: FieldPath?
    var comparison: Filter.FieldOperator?
    var value: Value?
    var test: Filter.UnaryOperator?
    var all: [Filter]?
    var any: [Filter]?
    try forEachField(bytes) { field, reader in
      switch field {
      case 1: path = try reader.fieldPath()
      case 2: comparison = Filter.FieldOperator(rawValue: try reader.integer())
      case 3: value = try reader.value()
      case 4: test = Filter.UnaryOperator(rawValue: try reader.integer())
      case 5: all = (all ?? []) + [try filter(try reader.content())]
      case 6: any = (any ?? []) + [try filter(try reader.content())]
      case 7: if try reader.integer() == 1 { all = [] } else { any = [] }
      default: return false
      }
      return true
    }
    if let path, let comparison, let value { return .field(path, comparison, value) }
    if let path, let test { return .unary(path, test) }
    if let all { return .and(all) }
    guard let any else { throw CacheError.damaged("a query's filter") }
    return .or(any)
  }

  // MARK: Identity

  /// Encodes the identity of a query: never read, so its fields are in the order of their encoding
  /// alone.
  static func encodeIdentity(_ query: NormalizedQuery, _ writer: inout ProtobufWriter) {
    writer.path(1, query.parent)
    encode(query.scope, &writer)
    for disjunct in query.disjuncts {
      writer.message(4) { writer in
        for condition in disjunct { writer.message(1) { encode(condition, &$0) } }
      }
    }
    encode(query.orders, &writer)
    encode(query.start, 6, &writer)
    encode(query.end, 7, &writer)
    encodeWindow(query.offset, query.limit, query.projection, &writer)
    for path in query.requiredFields { writer.fieldPath(12, path) }
  }

  private static func encode(_ condition: Condition, _ writer: inout ProtobufWriter) {
    writer.fieldPath(1, condition.field)
    let (kind, values): (Int64, [Value]) =
      switch condition.test {
      case .equal(let value): (1, [value])
      case .lessThan(let value): (2, [value])
      case .lessThanOrEqual(let value): (3, [value])
      case .greaterThan(let value): (4, [value])
      case .greaterThanOrEqual(let value): (5, [value])
      case .notEqual(let value): (6, [value])
      case .notIn(let values): (7, values)
      case .arrayContains(let value): (8, [value])
      case .isNull: (9, [])
      case .isNaN: (10, [])
      case .isNotNull: (11, [])
      case .isNotNaN: (12, [])
      }
    writer.int64(2, kind)
    for value in values { writer.value(3, value) }
  }
}

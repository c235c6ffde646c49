import DocumentCodec
import FirestoreModel
import ModelTestSupport

/// Random writes, queries and documents over `RandomValues`.
struct RandomRequests {
  var values: RandomValues

  init(seed: UInt64) { values = RandomValues(seed: seed) }

  /// Something for one in `outOf` calls.
  mutating func maybe<T>(_ outOf: Int = 2, _ body: (inout RandomRequests) -> T) -> T? {
    values.int(0..<outOf) == 0 ? body(&self) : nil
  }

  /// A value without the keys that a Swift dictionary, as generated messages have it, would equate,
  /// and without the bits of NaNs, which JSON cannot tell.
  mutating func value(depth: Int = 0, inArray: Bool = false) -> Value {
    Self.plain(values.value(depth: depth, inArray: inArray))
  }

  /// A map without those keys.
  mutating func map() -> MapValue { Self.plain(values.map()) }

  private static func plain(_ value: Value) -> Value {
    switch value {
    case .map(let map): .map(plain(map))
    case .array(let elements): .array(elements.map(plain))
    case .double(let number) where number.isNaN: .double(.nan)
    default: value
    }
  }

  private static func plain(_ map: MapValue) -> MapValue {
    MapValue(
      map.entries.filter { $0.key != "e\u{301}" }
        .map { MapValue.Entry(key: $0.key, value: plain($0.value)) }
    )
  }

  mutating func fieldPath() -> FieldPath {
    FieldPath((0..<values.int(1..<3)).map { _ in values.fieldName() })
  }

  mutating func documentName() -> DocumentName {
    DocumentName(database: database, path: values.reference().path)
  }

  mutating func write() -> (write: Write, fields: MapValue) {
    let precondition = maybe { $0.precondition() }
    switch values.int(0..<5) {
    case 0:
      let write = Write(name: documentName(), operation: .delete, precondition: precondition)
      return (write, MapValue())
    case 1:
      let write = Write(name: documentName(), operation: .verify, precondition: precondition)
      return (write, MapValue())
    case 2:
      let write = Write(
        name: documentName(),
        operation: .transform,
        transforms: transforms(),
        precondition: precondition
      )
      return (write, MapValue())
    default:
      let fields = map()
      let mask = maybe { $0.mask() }
      let operation = Write.Operation.update(DocumentFields(encoding: fields), mask: mask)
      let write = Write(
        name: documentName(),
        operation: operation,
        transforms: transforms(),
        precondition: precondition
      )
      return (write, fields)
    }
  }

  /// Sorted, distinct, none inside another.
  mutating func mask() -> [FieldPath] {
    FieldMask.reduced(Array(Set((0..<values.int(0..<4)).map { _ in fieldPath() })))
  }

  private mutating func precondition() -> Precondition {
    if values.bool() { return .exists(values.bool()) }
    let instant = Timestamp(microseconds: values.integer() / 37)
    return .updateTime(CommitVersion(microseconds: instant.microseconds))
  }

  private mutating func transforms() -> [FieldTransform] {
    (0..<values.int(0..<3)).map { _ in
      FieldTransform(field: fieldPath(), operation: transform())
    }
  }

  private mutating func transform() -> FieldTransform.Operation {
    switch values.int(0..<6) {
    case 0: .serverTimestamp
    case 1: .increment(number())
    case 2: .maximum(number())
    case 3: .minimum(number())
    case 4: .appendMissingElements(elements())
    default: .removeAllFromArray(elements())
    }
  }

  private mutating func number() -> Value {
    values.bool() ? .integer(values.integer()) : Self.plain(.double(values.double()))
  }

  private mutating func elements() -> [Value] {
    (0..<values.int(0..<3)).map { _ in value(depth: 2, inArray: true) }
  }

  mutating func query() -> Query {
    let scopes: [Query.Scope] = [
      .collection("c"), .collectionGroup("é"), .children, .descendants,
    ]
    var query = Query(
      parent: values.bool() ? .root : documentName().path,
      scope: scopes[values.int(0..<scopes.count)]
    )
    query.filter = maybe { $0.filter(depth: 0) }
    query.orders = (0..<values.int(0..<3)).map { _ in
      Order(fieldPath(), values.bool() ? .ascending : .descending)
    }
    query.start = maybe { $0.cursor() }
    query.end = maybe { $0.cursor() }
    query.offset = values.int(0..<3)
    query.limit = maybe { $0.values.int(0..<1_000) }
    query.projection = maybe { random in
      (0..<random.values.int(0..<3)).map { _ in random.fieldPath() }
    }
    return query
  }

  private mutating func cursor() -> Cursor {
    Cursor(values: (0..<values.int(0..<3)).map { _ in value() }, before: values.bool())
  }

  private mutating func filter(depth: Int) -> Filter {
    switch values.int(0..<(depth < 3 ? 5 : 3)) {
    case 0, 1:
      let op = Filter.FieldOperator(rawValue: values.int(1..<11)) ?? .equal
      return .field(fieldPath(), op, value())
    case 2: return .unary(fieldPath(), Filter.UnaryOperator(rawValue: values.int(2..<6)) ?? .isNull)
    case 3: return .and((0..<values.int(0..<3)).map { _ in filter(depth: depth + 1) })
    default: return .or((0..<values.int(0..<3)).map { _ in filter(depth: depth + 1) })
    }
  }

  mutating func record() -> DocumentRecord {
    DocumentRecord(
      name: documentName(),
      fields: DocumentFields(encoding: map()),
      createTime: CommitVersion(microseconds: values.integer() / 37),
      updateTime: CommitVersion(microseconds: values.integer() / 37)
    )
  }
}

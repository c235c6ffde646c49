import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel

/// Reads `google.firestore.v1.StructuredQuery`.
///
/// A fault of one part is refused here; `Query.normalized()` checks the parts together.
struct QueryMessage {
  private var projection: [FieldPath]?
  private var scopes: [Query.Scope] = []
  private var filter: Filter?
  private var orders: [Order] = []
  private var start: Cursor?
  private var end: Cursor?
  private var offset: Int32 = 0
  private var limit: Int64?
  private var findNearest: FindNearest?

  /// Reads a query below that parent to its end.
  static func read(
    _ content: UnsafeRawBufferPointer,
    below parent: ResourcePath
  ) throws -> Query {
    var reader = ProtobufReader(content)
    var message = QueryMessage()
    while let field = try reader.nextField() {
      try message.readField(field, &reader)
    }
    return try message.query(below: parent)
  }

  private mutating func readField(_ field: Int, _ reader: inout ProtobufReader) throws {
    switch field {
    case 1: try projection.set(try reader.submessage(Self.projection), once: "select")
    case 2: scopes.append(try reader.submessage(Self.scope))
    case 3:
      let message = try reader.submessage { try FilterMessage.read(&$0, depth: 0) }
      try filter.set(message, once: "where")
    case 4: orders.append(try reader.submessage(Self.order))
    case 5: try limit.set(try reader.wrappedInteger(), once: "limit")
    case 6: offset = try reader.int32()
    case 7: try start.set(try reader.submessage(Self.cursor), once: "start_at")
    case 8: try end.set(try reader.submessage(Self.cursor), once: "end_at")
    case 9: try findNearest.set(try FindNearestMessage.read(&reader), once: "find_nearest")
    default: try reader.skip()
    }
  }

  private func query(below parent: ResourcePath) throws(ServiceError) -> Query {
    if scopes.count > 1 {
      throw .invalidArgument(
        "StructuredQuery.from cannot have more than one collection selector."
      )
    }
    if offset < 0 { throw .invalidArgument("offset is negative") }
    if let limit, limit < 0 { throw .invalidArgument("limit is negative") }
    var query = Query(parent: parent, scope: scopes.first ?? .children)
    query.projection = projection
    query.filter = filter
    query.orders = orders
    query.start = start
    query.end = end
    query.offset = Int(offset)
    query.limit = limit.map { Int($0) }
    query.findNearest = findNearest
    return query
  }

  private static func scope(_ reader: inout ProtobufReader) throws -> Query.Scope {
    var id = Text("")
    var isGroup = false
    while let field = try reader.nextField() {
      switch field {
      case 2: id = try reader.text()
      case 3: isGroup = try reader.bool()
      default: try reader.skip()
      }
    }
    if id.isEmpty { return isGroup ? .descendants : .children }
    try ResourceID.checkCollection(id)
    return isGroup ? .collectionGroup(id) : .collection(id)
  }

  private static func projection(_ reader: inout ProtobufReader) throws -> [FieldPath] {
    var fields: [FieldPath] = []
    while let field = try reader.nextField() {
      if field == 2 { fields.append(try reader.fieldReference()) } else { try reader.skip() }
    }
    return fields
  }

  private static func order(_ reader: inout ProtobufReader) throws -> Order {
    var path: FieldPath?
    var number: Int32 = 0
    while let field = try reader.nextField() {
      switch field {
      case 1: try path.set(try reader.fieldReference(), once: "field")
      case 2: number = try reader.int32()
      default: try reader.skip()
      }
    }
    let direction = number == 0 ? .ascending : Order.Direction(rawValue: Int(number))
    guard let direction else {
      throw ServiceError.invalidArgument("Unknown direction \(number) of an order.")
    }
    return Order(try path ?? FieldPath(parsing: ""), direction)
  }

  private static func cursor(_ reader: inout ProtobufReader) throws -> Cursor {
    var values: [Value] = []
    var before = false
    while let field = try reader.nextField() {
      switch field {
      case 1: values.append(try reader.value())
      case 2: before = try reader.bool()
      default: try reader.skip()
      }
    }
    return Cursor(values: values, before: before)
  }
}

extension ProtobufReader {
  /// Reads a `FieldReference`.
  mutating func fieldReference() throws -> FieldPath {
    try submessage { reader in
      var path = ""
      while let field = try reader.nextField() {
        if field == 2 { path = try reader.string() } else { try reader.skip() }
      }
      return try FieldPath(parsing: path)
    }
  }
}

/// Reads `google.firestore.v1.StructuredQuery.Filter`.
enum FilterMessage {
  /// Deeper than any filter that stays under a hundred parts can usefully be.
  private static let maximumDepth = 100

  /// Reads a filter to its end.
  static func read(_ reader: inout ProtobufReader, depth: Int) throws -> Filter {
    guard depth < maximumDepth else {
      throw ServiceError.invalidArgument("The filter is nested too deeply.")
    }
    var filter: Filter?
    while let field = try reader.nextField() {
      switch field {
      case 1:
        let member = try reader.submessage { try composite(&$0, depth: depth) }
        try filter.set(member, once: "filter_type")
      case 2: try filter.set(try reader.submessage(fieldFilter), once: "filter_type")
      case 3: try filter.set(try reader.submessage(unary), once: "filter_type")
      default: try reader.skip()
      }
    }
    guard let filter else {
      throw ServiceError.invalidArgument("The type of a filter is not set or not known.")
    }
    return filter
  }

  private static func composite(_ reader: inout ProtobufReader, depth: Int) throws -> Filter {
    var op: Int32 = 0
    var filters: [Filter] = []
    while let field = try reader.nextField() {
      switch field {
      case 1: op = try reader.int32()
      case 2: filters.append(try reader.submessage { try read(&$0, depth: depth + 1) })
      default: try reader.skip()
      }
    }
    switch op {
    case 1: return .and(filters)
    case 2: return .or(filters)
    default: throw ServiceError.invalidArgument("Unsupported CompositeFilter operator.")
    }
  }

  private static func fieldFilter(_ reader: inout ProtobufReader) throws -> Filter {
    var path: FieldPath?
    var op: Int32 = 0
    var value: Value?
    while let field = try reader.nextField() {
      switch field {
      case 1: try path.set(try reader.fieldReference(), once: "field")
      case 2: op = try reader.int32()
      case 3: try value.set(try reader.value(), once: "value")
      default: try reader.skip()
      }
    }
    guard let known = Filter.FieldOperator(rawValue: Int(op)) else {
      throw ServiceError.invalidArgument("Unknown FieldFilter operator.")
    }
    guard let value else { throw ServiceError.invalidArgument("A field filter has no value.") }
    return .field(try path ?? FieldPath(parsing: ""), known, value)
  }

  private static func unary(_ reader: inout ProtobufReader) throws -> Filter {
    var path: FieldPath?
    var op: Int32 = 0
    while let field = try reader.nextField() {
      switch field {
      case 1: op = try reader.int32()
      case 2: try path.set(try reader.fieldReference(), once: "operand_type")
      default: try reader.skip()
      }
    }
    guard let known = Filter.UnaryOperator(rawValue: Int(op)) else {
      throw ServiceError.invalidArgument("Unknown UnaryFilter operator.")
    }
    return .unary(try path ?? FieldPath(parsing: ""), known)
  }
}

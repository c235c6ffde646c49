import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel

extension ProtoJSON {
  /// Reads a `StructuredQuery` below a parent's name.
  package func query(_ json: JSONValue, parent: String) throws(ServiceError) -> Query {
    guard let from = json["from"]?.elements, let source = from.first, from.count == 1,
      let id = source["collectionId"]?.string
    else { throw malformed("StructuredQuery") }
    let isGroup = source["allDescendants"]?.boolean ?? false
    var query = Query(
      parent: try ParentName(parsing: parent).path,
      scope: isGroup ? .collectionGroup(Text(id)) : .collection(Text(id))
    )
    if let filter = json["where"] { query.filter = try self.filter(filter) }
    for order in json["orderBy"]?.elements ?? [] { query.orders.append(try self.order(order)) }
    query.start = try cursor(json["startAt"], isBeforeByDefault: false)
    query.end = try cursor(json["endAt"], isBeforeByDefault: false)
    query.limit = limit(json["limit"])
    return query
  }

  /// A limit is a number, or an `Int32Value` spelled as an object.
  private func limit(_ json: JSONValue?) -> Int? {
    (json?.integer ?? json?["value"]?.integer).flatMap { Int(exactly: $0) }
  }

  private func cursor(
    _ json: JSONValue?,
    isBeforeByDefault: Bool
  ) throws(ServiceError) -> Cursor? {
    guard let json else { return nil }
    var values: [Value] = []
    for element in json["values"]?.elements ?? [] { values.append(try value(element)) }
    return Cursor(values: values, before: json["before"]?.boolean ?? isBeforeByDefault)
  }

  private func order(_ json: JSONValue) throws(ServiceError) -> Order {
    let isDescending = json["direction"]?.string == "DESCENDING"
    return Order(try field(json["field"]), isDescending ? .descending : .ascending)
  }

  private func field(_ json: JSONValue?) throws(ServiceError) -> FieldPath {
    guard let path = json?["fieldPath"]?.string else { throw malformed("FieldReference") }
    return try FieldPath(parsing: path)
  }

  private func filter(_ json: JSONValue) throws(ServiceError) -> Filter {
    if let composite = json["compositeFilter"] {
      var filters: [Filter] = []
      for element in composite["filters"]?.elements ?? [] { filters.append(try filter(element)) }
      return composite["op"]?.string == "OR" ? .or(filters) : .and(filters)
    }
    if let unary = json["unaryFilter"] {
      guard let name = unary["op"]?.string, let test = Self.unaryOperators[name] else {
        throw malformed("UnaryFilter")
      }
      return .unary(try field(unary["field"]), test)
    }
    guard let leaf = json["fieldFilter"], let name = leaf["op"]?.string,
      let comparison = Self.fieldOperators[name], let operand = leaf["value"]
    else { throw malformed("Filter") }
    return .field(try field(leaf["field"]), comparison, try value(operand))
  }

  private static let unaryOperators: [String: Filter.UnaryOperator] = [
    "IS_NAN": .isNaN, "IS_NULL": .isNull, "IS_NOT_NAN": .isNotNaN, "IS_NOT_NULL": .isNotNull,
  ]

  private static let fieldOperators: [String: Filter.FieldOperator] = [
    "LESS_THAN": .lessThan, "LESS_THAN_OR_EQUAL": .lessThanOrEqual,
    "GREATER_THAN": .greaterThan, "GREATER_THAN_OR_EQUAL": .greaterThanOrEqual,
    "EQUAL": .equal, "NOT_EQUAL": .notEqual, "ARRAY_CONTAINS": .arrayContains, "IN": .in,
    "ARRAY_CONTAINS_ANY": .arrayContainsAny, "NOT_IN": .notIn,
  ]
}

import BaseJSON
import FirestoreModel

// Queries as `StructuredQuery`.

extension JSONWriter {
  /// Writes a `StructuredQuery`; its parent belongs to the request.
  mutating func structuredQuery(_ query: Query) {
    object { json in
      json.member("from") { json in json.array { $0.source(query.scope) } }
      if let filter = query.filter { json.member("where") { $0.filter(filter) } }
      if !query.orders.isEmpty {
        json.member("orderBy") { json in
          json.array { json in for order in query.orders { json.order(order) } }
        }
      }
      if let start = query.start { json.member("startAt") { $0.cursor(start) } }
      if let end = query.end { json.member("endAt") { $0.cursor(end) } }
      if query.offset > 0 { json.member("offset") { $0.integer(Int64(query.offset)) } }
      if let limit = query.limit { json.member("limit") { $0.integer(Int64(limit)) } }
      if let search = query.findNearest { json.member("findNearest") { $0.findNearest(search) } }
    }
  }

  private mutating func source(_ scope: Query.Scope) {
    object { json in
      switch scope {
      case .collection(let id): json.member("collectionId") { $0.string(id.string) }
      case .collectionGroup(let id):
        json.member("collectionId") { $0.string(id.string) }
        json.member("allDescendants") { $0.boolean(true) }
      case .children: break
      case .descendants: json.member("allDescendants") { $0.boolean(true) }
      }
    }
  }

  /// Writes a `FieldReference`.
  mutating func field(_ path: FieldPath) {
    object { json in json.member("fieldPath") { $0.string(path.canonicalString) } }
  }

  private mutating func order(_ order: Order) {
    object { json in
      json.member("field") { $0.field(order.field) }
      json.member("direction") {
        $0.string(order.direction == .ascending ? "ASCENDING" : "DESCENDING")
      }
    }
  }

  private mutating func cursor(_ cursor: Cursor) {
    object { json in
      json.member("values") { json in
        json.array { json in for value in cursor.values { json.value(value) } }
      }
      if cursor.before { json.member("before") { $0.boolean(true) } }
    }
  }

  private mutating func filter(_ filter: Filter) {
    object { json in
      switch filter {
      case .and(let filters): json.composite("AND", filters)
      case .or(let filters): json.composite("OR", filters)
      case .unary(let field, let test):
        json.member("unaryFilter") { json in
          json.object { json in
            json.member("op") { $0.string(test.name) }
            json.member("field") { $0.field(field) }
          }
        }
      case .field(let field, let comparison, let operand):
        json.member("fieldFilter") { json in
          json.object { json in
            json.member("field") { $0.field(field) }
            json.member("op") { $0.string(comparison.name) }
            json.member("value") { $0.value(operand) }
          }
        }
      }
    }
  }

  private mutating func composite(_ name: String, _ filters: [Filter]) {
    member("compositeFilter") { json in
      json.object { json in
        json.member("op") { $0.string(name) }
        json.member("filters") { json in
          json.array { json in for filter in filters { json.filter(filter) } }
        }
      }
    }
  }

  private mutating func findNearest(_ search: FindNearest) {
    object { json in
      json.member("vectorField") { $0.field(search.field) }
      json.member("queryVector") { $0.value(.vector(search.vector)) }
      json.member("distanceMeasure") { $0.string(search.measure.name) }
      json.member("limit") { $0.integer(Int64(search.limit)) }
      if let field = search.distanceResultField {
        json.member("distanceResultField") { $0.string(field.canonicalString) }
      }
      if let threshold = search.distanceThreshold {
        json.member("distanceThreshold") { $0.double(threshold) }
      }
    }
  }
}

extension Filter.FieldOperator {
  fileprivate var name: String {
    switch self {
    case .lessThan: "LESS_THAN"
    case .lessThanOrEqual: "LESS_THAN_OR_EQUAL"
    case .greaterThan: "GREATER_THAN"
    case .greaterThanOrEqual: "GREATER_THAN_OR_EQUAL"
    case .equal: "EQUAL"
    case .notEqual: "NOT_EQUAL"
    case .arrayContains: "ARRAY_CONTAINS"
    case .in: "IN"
    case .arrayContainsAny: "ARRAY_CONTAINS_ANY"
    case .notIn: "NOT_IN"
    }
  }
}

extension Filter.UnaryOperator {
  fileprivate var name: String {
    switch self {
    case .isNaN: "IS_NAN"
    case .isNull: "IS_NULL"
    case .isNotNaN: "IS_NOT_NAN"
    case .isNotNull: "IS_NOT_NULL"
    }
  }
}

extension FindNearest.Measure {
  fileprivate var name: String {
    switch self {
    case .euclidean: "EUCLIDEAN"
    case .cosine: "COSINE"
    case .dotProduct: "DOT_PRODUCT"
    }
  }
}

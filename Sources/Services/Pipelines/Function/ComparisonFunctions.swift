import BaseText
import FirestoreModel

/// Comparisons, and questions about a value's type.
enum ComparisonFunctions {
  static let all: [FunctionDefinition] = [
    .lenient("equal", 2...2) { values, _ in .boolean(isEqual(values[0], values[1])) },
    .lenient("not_equal", 2...2) { values, _ in .boolean(!isEqual(values[0], values[1])) },
    .lenient("less_than", 2...2) { values, _ in .boolean(order(values) == .ascending) },
    .lenient("less_than_or_equal", 2...2) { values, _ in
      .boolean(order(values).map { $0 != .descending } ?? false)
    },
    .lenient("greater_than", 2...2) { values, _ in .boolean(order(values) == .descending) },
    .lenient("greater_than_or_equal", 2...2) { values, _ in
      .boolean(order(values).map { $0 != .ascending } ?? false)
    },
    .lenient("cmp", 2...2) { values, _ in
      switch (values[0] ?? .null).compare(values[1] ?? .null) {
      case .ascending: .integer(-1)
      case .equal: .integer(0)
      case .descending: .integer(1)
      }
    },
    .lenient("equal_any", 2...2) { values, _ in
      try isAny(values, "equal_any").map(Value.boolean) ?? .null
    },
    .lenient("not_equal_any", 2...2) { values, _ in
      try isAny(values, "not_equal_any").map { .boolean(!$0) } ?? .null
    },
    .lazy("maximum", 1...FunctionDefinition.many) {
      try extreme($0, $1, $2, .descending, "maximum")
    },
    .lazy("minimum", 1...FunctionDefinition.many) {
      try extreme($0, $1, $2, .ascending, "minimum")
    },
    .lenient("type", 1...1) { values, _ in
      values[0].map { .string(Text(typeName($0))) } ?? .null
    },
    .lenient("is_type", 2...2, isType),
  ]

  /// Equality of values; null equals null, and nothing else equals an absent one.
  private static func isEqual(_ left: Value?, _ right: Value?) -> Bool {
    switch (left, right) {
    case (let left?, let right?): left.isEqual(to: right)
    case (nil, nil): true
    default: false
    }
  }

  /// The order of values of one type; nil for values of different types, NaN beside numbers included.
  private static func order(_ values: [Value?]) -> Ordering? {
    guard let left = values[0], let right = values[1], left.typeOrder == right.typeOrder
    else { return nil }
    return left.compare(right)
  }

  private static func isAny(_ values: [Value?], _ name: String) throws -> Bool? {
    guard let list = values[1], !list.isNull else { return nil }
    let elements = try list.array(name)
    guard let value = values[0] else { return false }
    return elements.contains { $0.isEqual(to: value) }
  }

  /// The greatest or least of the arguments, or of the elements of a single array; null, absent and errors are skipped.
  private static func extreme(
    _ arguments: [Expression],
    _ row: Row,
    _ evaluator: Evaluator,
    _ wanted: Ordering,
    _ name: String
  ) throws -> Value? {
    var values: [Value] = []
    if arguments.count == 1 {
      guard let list = try evaluator.value(arguments[0], row), !list.isNull else { return .null }
      values = try list.array(name)
    } else {
      for argument in arguments {
        do {
          if let value = try evaluator.value(argument, row) { values.append(value) }
        } catch is ExpressionFailure {
          continue
        }
      }
    }
    var best: Value?
    for value in values where !value.isNull {
      if let known = best, value.compare(known) != wanted { continue }
      best = value
    }
    return best ?? .null
  }

  private static func typeName(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "int64"
    case .double: "float64"
    case .timestamp: "timestamp"
    case .string: "string"
    case .bytes: "bytes"
    case .reference: "reference"
    case .geoPoint: "geo_point"
    case .array: "array"
    case .map: "map"
    case .vector: "vector"
    case .bson(let value): typeName(value)
    }
  }

  private static func typeName(_ value: BSONValue) -> String {
    switch value {
    case .minKey: "min_key"
    case .maxKey: "max_key"
    case .int32: "int32"
    case .decimal: "decimal128"
    case .objectID: "object_id"
    case .timestamp: "request_timestamp"
    case .binary: "bytes"
    case .regex: "regex"
    }
  }

  private static let numberTypes: Set<String> = ["int32", "int64", "float64", "decimal128"]

  private static let typeNames: Set<String> = [
    "null", "boolean", "number", "int32", "int64", "float64", "decimal128", "timestamp", "string",
    "bytes", "array", "map", "reference", "vector", "geo_point", "max_key", "min_key", "object_id",
    "regex", "request_timestamp", "bson_timestamp",
  ]

  private static func isType(_ values: [Value?], _ evaluator: Evaluator) throws -> Value? {
    guard let type = values[1], !type.isNull else { return .null }
    let wanted = try type.text("is_type")
    guard typeNames.contains(wanted) else {
      throw ExpressionFailure("The function is_type doesn't know the type \"\(wanted)\".")
    }
    guard let value = values[0] else { return .null }
    let name = typeName(value)
    return .boolean(
      name == (wanted == "bson_timestamp" ? "request_timestamp" : wanted)
        || (wanted == "number" && numberTypes.contains(name))
    )
  }
}

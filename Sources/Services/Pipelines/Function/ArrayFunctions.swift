import BaseText
import FirestoreModel

/// Functions of whole arrays.
enum ArrayFunctions {
  private static let many = FunctionDefinition.many

  static let all: [FunctionDefinition] = [
    .lenient("array", 0...many) { values, evaluator in
      try evaluator.bounded(.array(values.map { $0 ?? .null }))
    },
    .strict("array_concat", 1...many) { values, evaluator in
      try evaluator.bounded(.array(try values.flatMap { try $0.array("array_concat") }))
    },
    .lenient("array_contains", 2...2) { values, _ in
      guard let elements = try list(values[0], "array_contains") else { return .null }
      guard let value = values[1] else { return .boolean(false) }
      return .boolean(elements.contains { $0.isEqual(to: value) })
    },
    .strict("array_contains_all", 2...2) { values, _ in
      let elements = try values[0].array("array_contains_all")
      let wanted = try values[1].array("array_contains_all")
      let set = ValueSet(elements)
      return .boolean(wanted.allSatisfy { set.contains($0) })
    },
    .strict("array_contains_any", 2...2) { values, _ in
      let elements = try values[0].array("array_contains_any")
      let wanted = try values[1].array("array_contains_any")
      let set = ValueSet(elements)
      return .boolean(wanted.contains { set.contains($0) })
    },
    .strict("array_length", 1...1) { values, _ in
      .integer(Int64(try values[0].array("array_length").count))
    },
    .strict("array_reverse", 1...1) { values, _ in
      .array(try values[0].array("array_reverse").reversed())
    },
    .lenient("array_index_of", 2...3, indexOf),
    .lenient("array_index_of_all", 2...2) { values, _ in
      guard let elements = try list(values[0], "array_index_of_all") else { return .null }
      let value = values[1] ?? .null
      return .array(
        elements.indices.filter { elements[$0].isEqual(to: value) }.map { .integer(Int64($0)) }
      )
    },
    .strict("maximum_n", 2...2) { values, _ in try extremes(values, .descending, "maximum_n") },
    .strict("minimum_n", 2...2) { values, _ in try extremes(values, .ascending, "minimum_n") },
    .strict("sum", 1...1) { values, _ in try sum(try values[0].array("sum")) },
  ]

  /// An array's elements; nil for null and absent.
  static func list(_ value: Value?, _ name: String) throws -> [Value]? {
    guard let value, !value.isNull else { return nil }
    return try value.array(name)
  }

  private static func indexOf(_ values: [Value?], _ evaluator: Evaluator) throws -> Value? {
    guard let elements = try list(values[0], "array_index_of") else { return .null }
    let value = values[1] ?? .null
    let side = values.count == 3 ? try (values[2] ?? .null).text("array_index_of") : "first"
    switch side {
    case "first":
      return .integer(elements.firstIndex { $0.isEqual(to: value) }.map(Int64.init) ?? -1)
    case "last":
      return .integer(elements.lastIndex { $0.isEqual(to: value) }.map(Int64.init) ?? -1)
    default:
      throw ExpressionFailure(
        "The third argument of array_index_of must be \"first\" or \"last\"."
      )
    }
  }

  private static func extremes(
    _ values: [Value],
    _ direction: Ordering,
    _ name: String
  ) throws -> Value {
    let count = try values[1].integer(name)
    guard count >= 0 else { throw ExpressionFailure("The count of \(name) must be non-negative.") }
    let sorted = try values[0].array(name).filter { !$0.isNull }
      .sorted { $0.compare($1) == direction }
    return .array(Array(sorted.prefix(Int(clamping: count))))
  }

  private static func sum(_ elements: [Value]) throws -> Value {
    var whole: Int64 = 0
    var fraction: Double?
    var decimal: Decimal128?
    var hasNumber = false
    for element in elements {
      switch element.widened {
      case .integer(let number):
        hasNumber = true
        let (result, isOverflow) = whole.addingReportingOverflow(number)
        if isOverflow { throw ArithmeticFunctions.overflow("sum") }
        whole = result
      case .double(let number):
        hasNumber = true
        fraction = (fraction ?? 0) + number
      case .bson(.decimal(let number)):
        hasNumber = true
        decimal = decimal.map { $0 + number } ?? number
      default: continue
      }
    }
    guard hasNumber else { return .null }
    if var total = decimal {
      if whole != 0 { total = total + Decimal128(whole) }
      if let fraction { total = total + Decimal128(nearestTo: fraction) }
      return .bson(.decimal(total))
    }
    return fraction.map { .double($0 + Double(whole)) } ?? .integer(whole)
  }
}

/// Functions that take parts of arrays.
enum ArrayPartFunctions {
  static let all: [FunctionDefinition] = [
    .strict("array_get", 2...2) { values, _ in
      let elements = try values[0].array("array_get")
      let index = try values[1].integer("array_get")
      let count = Int64(elements.count)
      guard index < count, index >= -count else { return nil }
      return elements[Int(index < 0 ? index + count : index)]
    },
    .strict("array_first", 1...1) { values, _ in try values[0].array("array_first").first },
    .strict("array_last", 1...1) { values, _ in try values[0].array("array_last").last },
    .strict("array_first_n", 2...2) { values, _ in
      let count = try count(values[1], "array_first_n")
      return .array(Array(try values[0].array("array_first_n").prefix(count)))
    },
    .strict("array_last_n", 2...2) { values, _ in
      let count = try count(values[1], "array_last_n")
      return .array(Array(try values[0].array("array_last_n").suffix(count)))
    },
    .strict("array_slice", 2...3) { values, _ in
      let elements = try values[0].array("array_slice")
      let offset = try values[1].integer("array_slice")
      let length = values.count == 3 ? try values[2].integer("array_slice") : .max
      guard length >= 0 else { throw ExpressionFailure("length must be non-negative") }
      return .array(Array(elements[TextFunctions.range(offset, length, of: elements.count)]))
    },
  ]

  private static func count(_ value: Value, _ name: String) throws -> Int {
    let count = try value.integer(name)
    guard count >= 0 else { throw ExpressionFailure("The count of \(name) must be non-negative.") }
    return Int(clamping: count)
  }
}

/// The elements of an array, to look for many values in time linear in both.
private struct ValueSet {
  private static let fewest = 16

  private let few: [Value]
  private let many: Set<GroupKey>

  init(_ elements: [Value]) {
    few = elements.count <= Self.fewest ? elements : []
    many = elements.count <= Self.fewest ? [] : Set(elements.map { GroupKey([$0]) })
  }

  func contains(_ value: Value) -> Bool {
    many.isEmpty ? few.contains { $0.isEqual(to: value) } : many.contains(GroupKey([value]))
  }
}

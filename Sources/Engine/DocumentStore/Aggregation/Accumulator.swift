import FirestoreModel

/// One aggregation as it takes in one document after the other.
struct Accumulator {
  private let aggregation: Aggregation.Operator
  private var count: Int64 = 0
  /// Exact: no number of int64s that a database can hold leaves these bounds.
  private var integers: Int128 = 0
  private var doubles = 0.0
  private var hasDoubles = false
  private var numbers: Int64 = 0

  init(_ aggregation: Aggregation.Operator) { self.aggregation = aggregation }

  /// The field whose values are taken in; nil for counts.
  var field: FieldPath? {
    switch aggregation {
    case .count: nil
    case .sum(let field), .average(let field): field
    }
  }

  /// The number of documents that can still change the result; nil means all of them.
  var upperBound: Int64? {
    if case .count(let limit) = aggregation { limit } else { nil }
  }

  /// Takes in one document, with the value of the accumulator's field.
  mutating func add(_ value: Value?) {
    count += 1
    switch value {
    case .integer(let number):
      integers += Int128(number)
      numbers += 1
    case .double(let number):
      doubles += number
      hasDoubles = true
      numbers += 1
    case .bson(.int32(let number)):
      integers += Int128(number)
      numbers += 1
    case .bson(.decimal(let number)):
      doubles += number.nearest
      hasDoubles = true
      numbers += 1
    default: break
    }
  }

  /// The aggregation's value.
  var result: Value {
    switch aggregation {
    case .count(let limit): .integer(limit.map { min($0, count) } ?? count)
    case .sum: sum
    case .average: numbers == 0 ? .null : .double(total / Double(numbers))
    }
  }

  private var total: Double { Double(integers) + doubles }

  /// Integers add up to an integer while it can be one.
  private var sum: Value {
    if !hasDoubles, let whole = Int64(exactly: integers) { return .integer(whole) }
    return .double(total)
  }
}

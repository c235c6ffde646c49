import DocumentCodec
import FirestoreModel

/// The function that `aggregate` computes over its rows.
enum AccumulatorKind: String, Sendable, CaseIterable {
  case count
  case countIf = "count_if"
  case countDistinct = "count_distinct"
  case sum
  case average
  case minimum
  case maximum
  case first
  case last
  case arrayAgg = "array_agg"
  case arrayAggDistinct = "array_agg_distinct"
}

/// One accumulator of a stage: its kind, and its expression, which only `count` goes without.
struct AccumulatorCall: Sendable {
  let kind: AccumulatorKind
  let expression: Expression?
  let path: FieldPath
}

/// The state of one accumulator in one group.
struct Accumulator {
  private let kind: AccumulatorKind
  private var count: Int64 = 0
  private var numbers = NumberSum()
  private var value: Value?
  private var values: [Value] = []
  private var distinct: Set<GroupKey> = []

  /// Nothing taken in yet.
  init(_ kind: AccumulatorKind) { self.kind = kind }

  /// Takes in the value of one row; returns the bytes that are kept of it.
  mutating func add(_ next: Value?) throws -> Int {
    switch kind {
    case .count: if let next, !next.isNull { count += 1 }
    case .countIf:
      switch next {
      case .boolean(let flag)?: if flag { count += 1 }
      case .null?, nil: break
      default: throw ExpressionFailure.wrongType("count_if")
      }
    case .sum, .average: if let next { numbers.add(next) }
    case .minimum, .maximum: compare(next)
    case .first:
      if count == 0 { value = next }
      count = 1
    case .last: value = next
    case .arrayAgg:
      values.append(next ?? .null)
      return (next ?? .null).memorySize(limit: .max)
    case .countDistinct, .arrayAggDistinct: return addDistinct(next)
    }
    return 0
  }

  /// Takes in the value of one row as it is stored, decoded only where it has to be kept or compared.
  mutating func add(stored next: ValueView?) throws -> Int {
    switch (kind, next?.content) {
    case (.sum, .integer(let number)?), (.average, .integer(let number)?): numbers.add(number)
    case (.sum, .double(let number)?), (.average, .double(let number)?): numbers.add(number)
    case (.count, nil), (.count, .null?): break
    case (.count, _): count += 1
    default: return try add(next?.decoded())
    }
    return 0
  }

  /// Counts a row for `count()`.
  mutating func addRow() { count += 1 }

  /// The accumulated value.
  var result: Value {
    switch kind {
    case .count, .countIf: .integer(count)
    case .countDistinct: .integer(Int64(distinct.count))
    case .sum: numbers.sum
    case .average: numbers.average
    case .minimum, .maximum, .first, .last: value ?? .null
    case .arrayAgg, .arrayAggDistinct: .array(values)
    }
  }

  private mutating func compare(_ next: Value?) {
    guard let next, !next.isNull else { return }
    guard let known = value else { return value = next }
    if next.compare(known) == (kind == .minimum ? .ascending : .descending) { value = next }
  }

  private mutating func addDistinct(_ next: Value?) -> Int {
    let isSkipped = kind == .countDistinct && (next ?? .null).isNull
    guard !isSkipped, distinct.insert(GroupKey([next])).inserted else { return 0 }
    if kind == .arrayAggDistinct { values.append(next ?? .null) }
    return (next ?? .null).memorySize(limit: .max) + 64
  }
}

/// The sum of numbers: an integer while all are and it fits, then a double; a decimal where one of them is.
private struct NumberSum {
  private var count: Int64 = 0
  private var whole: Int64 = 0
  private var fraction = 0.0
  private var decimal: Decimal128?
  private var isWhole = true

  mutating func add(_ value: Value) {
    switch value {
    case .integer(let number): add(number)
    case .double(let number): add(number)
    case .bson(.int32(let number)): add(Int64(number))
    case .bson(.decimal(let number)):
      count += 1
      decimal = decimal.map { $0 + number } ?? number
    default: break
    }
  }

  mutating func add(_ number: Int64) {
    count += 1
    let (result, isOverflow) = whole.addingReportingOverflow(number)
    if isOverflow {
      isWhole = false
      fraction += Double(number)
    } else {
      whole = result
    }
  }

  mutating func add(_ number: Double) {
    count += 1
    isWhole = false
    fraction += number
  }

  var sum: Value {
    if let total = decimalTotal { return .bson(.decimal(total)) }
    return isWhole ? .integer(whole) : .double(Double(whole) + fraction)
  }

  var average: Value {
    if let total = decimalTotal { return .bson(.decimal(total / Decimal128(count))) }
    return count == 0 ? .null : .double((Double(whole) + fraction) / Double(count))
  }

  /// The sum of all numbers where one is a decimal.
  private var decimalTotal: Decimal128? {
    guard var total = decimal else { return nil }
    if whole != 0 { total = total + Decimal128(whole) }
    if !isWhole { total = total + Decimal128(nearestTo: fraction) }
    return total
  }
}

/// Values that decide about a row's group: equal numbers are one, of any type, and absent is null.
struct GroupKey: Hashable {
  private let values: [Value]

  init(_ values: [Value?]) { self.values = values.map { Self.canonical($0 ?? .null) } }

  /// One value for all that are equal in Firestore's order.
  static func canonical(_ value: Value) -> Value {
    switch value {
    case .double(let number):
      if number.isNaN { return .double(.nan) }
      if let whole = Int64(exactly: number) { return .integer(whole) }
      return value
    case .bson(.decimal(let number)) where number.exactDouble == nil && number.exactInteger == nil:
      return .bson(.decimal(number.reduced))
    case .bson(let number): return number.exactNumber.map(canonical) ?? value
    case .array(let elements): return .array(elements.map(canonical))
    case .map(let map):
      return .map(
        MapValue(map.entries.map { MapValue.Entry(key: $0.key, value: canonical($0.value)) })
      )
    case .vector(let numbers):
      return .vector(numbers.map { $0.isNaN ? .nan : $0 == 0 ? 0 : $0 })
    case .geoPoint(let point):
      return .geoPoint(
        GeoPoint(
          latitude: point.latitude == 0 ? 0 : point.latitude,
          longitude: point.longitude == 0 ? 0 : point.longitude
        )
      )
    default: return value
    }
  }
}

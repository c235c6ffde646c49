import BaseText

/// Firestore's total order over values.
///
/// null < min key < false < true < NaN < numbers < timestamps < BSON timestamps < strings < bytes <
/// binary data < references < object IDs < geopoints < regular expressions < arrays < vectors < maps <
/// max key. Filters' equality is `.equal` here: `1 == 1.0`, `-0.0 == 0`, and a decimal of 1.00 too.
extension Value {
  /// Classes of values; a range filter never leaves its operand's class.
  package enum TypeOrder: Int, Sendable, Comparable {
    case null
    case minKey
    case boolean
    /// A class of its own, so that no range over numbers holds NaN.
    case nan
    case number
    case timestamp
    case bsonTimestamp
    case string
    case bytes
    case binary
    case reference
    case objectID
    case geoPoint
    case regex
    case array
    case vector
    case map
    case maxKey

    /// The order of the classes, null first.
    package static func < (left: TypeOrder, right: TypeOrder) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// The class that the value sorts in.
  package var typeOrder: TypeOrder {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .integer: .number
    case .double(let number): number.isNaN ? .nan : .number
    case .timestamp: .timestamp
    case .string: .string
    case .bytes: .bytes
    case .reference: .reference
    case .geoPoint: .geoPoint
    case .array: .array
    case .vector: .vector
    case .map: .map
    case .bson(let value): value.typeOrder
    }
  }

  /// The order of this value relative to another, across all types.
  package func compare(_ other: Value) -> Ordering {
    switch (self, other) {
    case (.string(let left), .string(let right)): left.compare(right)
    case (.integer(let left), .integer(let right)): Ordering(left, right)
    case (.double(let left), .double(let right)): compareDoubles(left, right)
    case (.integer(let left), .double(let right)): compareNumbers(left, right)
    case (.double(let left), .integer(let right)): compareNumbers(right, left).reversed
    case (.boolean(let left), .boolean(let right)): Ordering(left ? 1 : 0, right ? 1 : 0)
    case (.timestamp(let left), .timestamp(let right)):
      Ordering(left.microseconds, right.microseconds)
    case (.bytes(let left), .bytes(let right)):
      left.withUnsafeBytes { first in right.withUnsafeBytes { compareBytes(first, $0) } }
    case (.reference(let left), .reference(let right)): left.compare(right)
    case (.geoPoint(let left), .geoPoint(let right)):
      compareDoubles(left.latitude, right.latitude)
        .or(compareDoubles(left.longitude, right.longitude))
    case (.array(let left), .array(let right)): compareArrays(left, right)
    case (.vector(let left), .vector(let right)): compareVectors(left, right)
    case (.map(let left), .map(let right)): left.compare(right)
    case (.bson(let left), .bson(let right)): left.compare(right)
    case (.bson(let left), _): left.compare(number: other)
    case (_, .bson(let right)): right.compare(number: self).reversed
    default: Ordering(typeOrder, other.typeOrder)
    }
  }

  /// Firestore's equality: no difference in the total order.
  package func isEqual(to other: Value) -> Bool { compare(other) == .equal }

  /// True if this is a number that is none: NaN, of any type.
  package var isNaN: Bool { typeOrder == .nan }

  /// True if this is null.
  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension MapValue {
  /// Compares entry by entry, key before value; then the smaller map comes first.
  package func compare(_ other: MapValue) -> Ordering {
    for (left, right) in zip(entries, other.entries) {
      let result = left.key.compare(right.key).or(left.value.compare(right.value))
      if result != .equal { return result }
    }
    return Ordering(entries.count, other.entries.count)
  }
}

/// Compares doubles; all NaN are equal and come first, both zeros are equal.
package func compareDoubles(_ left: Double, _ right: Double) -> Ordering {
  if left < right { return .ascending }
  if left > right { return .descending }
  if left == right { return .equal }
  return Ordering(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1)
}

/// Compares by exact mathematical value, without rounding the integer to a double.
package func compareNumbers(_ integer: Int64, _ double: Double) -> Ordering {
  if double.isNaN { return .descending }
  if double >= 0x1p63 { return .ascending }
  if double < -0x1p63 { return .descending }
  let whole = Int64(double)
  if integer != whole { return Ordering(integer, whole) }
  return compareDoubles(0, double - Double(whole))
}

private func compareArrays(_ left: [Value], _ right: [Value]) -> Ordering {
  for (first, second) in zip(left, right) {
    let result = first.compare(second)
    if result != .equal { return result }
  }
  return Ordering(left.count, right.count)
}

private func compareVectors(_ left: [Double], _ right: [Double]) -> Ordering {
  if left.count != right.count { return Ordering(left.count, right.count) }
  for (first, second) in zip(left, right) {
    let result = compareDoubles(first, second)
    if result != .equal { return result }
  }
  return .equal
}

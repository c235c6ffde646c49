import BaseText

/// A value of a type that Firestore has from BSON.
///
/// On the wire each is a map with one reserved key (`BSONValue+Map.swift`). Numbers sort among the other
/// numbers; each other type is a class of its own (`Value.TypeOrder`).
package enum BSONValue: Sendable, Hashable {
  /// Before every value but null.
  case minKey
  /// After every value.
  case maxKey
  case int32(Int32)
  case decimal(Decimal128)
  case objectID(BSONObjectID)
  case timestamp(BSONTimestamp)
  /// Bytes of a subtype from 1 to 255; subtype 0 is plain bytes.
  case binary(subtype: UInt8, [UInt8])
  /// A pattern, and options out of `imsux`, sorted, each once.
  case regex(pattern: Text, options: Text)
}

/// Twelve bytes that name a document in MongoDB.
package struct BSONObjectID: Sendable, Hashable, Comparable {
  /// The first four bytes.
  package let high: UInt32
  /// The other eight.
  package let low: UInt64

  /// An ID of those bytes.
  package init(high: UInt32, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Nil where the text is not 24 hexadecimal digits.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 24, bytes.allSatisfy({ Hexadecimal.digit($0) != nil }),
      let high = UInt32(text.prefix(8), radix: 16), let low = UInt64(text.dropFirst(8), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// 24 hexadecimal digits, in lower case.
  package var text: String { Self.hexadecimal(UInt64(high), 8) + Self.hexadecimal(low, 16) }

  /// The order of the bytes.
  package static func < (left: BSONObjectID, right: BSONObjectID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  private static func hexadecimal(_ number: UInt64, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: width - digits.count) + digits
  }
}

/// A timestamp of MongoDB's own: seconds, and a number among those of a second.
package struct BSONTimestamp: Sendable, Hashable, Comparable {
  /// Seconds since the epoch.
  package let seconds: UInt32
  /// The ordinal within the second.
  package let increment: UInt32

  /// A timestamp of those parts.
  package init(seconds: UInt32, increment: UInt32) {
    self.seconds = seconds
    self.increment = increment
  }

  /// The order in time, then by the ordinal.
  package static func < (left: BSONTimestamp, right: BSONTimestamp) -> Bool {
    (left.seconds, left.increment) < (right.seconds, right.increment)
  }
}

extension BSONValue {
  /// The class that the value sorts in.
  var typeOrder: Value.TypeOrder {
    switch self {
    case .minKey: .minKey
    case .maxKey: .maxKey
    case .int32: .number
    case .decimal(let number): number.kind == .notANumber ? .nan : .number
    case .objectID: .objectID
    case .timestamp: .bsonTimestamp
    case .binary: .binary
    case .regex: .regex
    }
  }

  /// The number as an integer or a double of the same value; nil for other types, and for decimals like 0.1.
  package var exactNumber: Value? {
    switch self {
    case .int32(let number): .integer(Int64(number))
    case .decimal(let number):
      number.isZero
        ? (number.isNegative ? .double(-0.0) : .integer(0))
        : number.exactInteger.map { .integer($0) } ?? number.exactDouble.map { .double($0) }
    default: nil
    }
  }

  /// The order of two values of one class.
  func compare(_ other: BSONValue) -> Ordering {
    switch (self, other) {
    case (.int32(let left), .int32(let right)): return Ordering(left, right)
    case (.decimal(let left), .decimal(let right)): return left.compare(right)
    case (.int32(let left), .decimal(let right)): return Decimal128(Int64(left)).compare(right)
    case (.decimal(let left), .int32(let right)): return left.compare(Decimal128(Int64(right)))
    case (.objectID(let left), .objectID(let right)): return Ordering(left, right)
    case (.timestamp(let left), .timestamp(let right)): return Ordering(left, right)
    case (.binary(let leftType, let left), .binary(let rightType, let right)):
      let bytes = left.withUnsafeBytes { first in
        right.withUnsafeBytes { compareBytes(first, $0) }
      }
      return Ordering(leftType, rightType).or(bytes)
    case (.regex(let left, let leftOptions), .regex(let right, let rightOptions)):
      return left.compare(right).or(leftOptions.compare(rightOptions))
    default: return Ordering(typeOrder, other.typeOrder)
    }
  }

  /// The order relative to a number of Firestore's own types, or to a value of another class.
  func compare(number: Value) -> Ordering {
    switch (self, number) {
    case (.int32(let left), .integer(let right)): Ordering(Int64(left), right)
    case (.int32(let left), .double(let right)): compareNumbers(Int64(left), right)
    case (.decimal(let left), .integer(let right)): left.compare(Decimal128(right))
    case (.decimal(let left), .double(let right)): left.compare(right)
    default: Ordering(typeOrder, number.typeOrder)
    }
  }
}

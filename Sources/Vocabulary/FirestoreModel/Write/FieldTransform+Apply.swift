import BaseStatus
import BaseText

extension FieldTransform {
  /// Returns the field's new value and the result for the client, from the stored value (nil:
  /// none).
  ///
  /// Every server timestamp of a commit gets the same request time, cut to milliseconds here.
  package func apply(
    to stored: Value?,
    requestTime: Timestamp
  ) -> (value: Value, result: Value) {
    switch operation {
    case .serverTimestamp:
      let instant = Value.timestamp(requestTime.truncatedToMilliseconds)
      return (instant, instant)
    case .increment(let operand):
      let sum = Self.sum(stored, operand)
      return (sum, sum)
    case .maximum(let operand):
      let kept = Self.chosen(stored, operand, over: .ascending)
      return (kept, kept)
    case .minimum(let operand):
      let kept = Self.chosen(stored, operand, over: .descending)
      return (kept, kept)
    case .appendMissingElements(let elements):
      return (.array(Self.union(stored, elements)), .null)
    case .removeAllFromArray(let elements):
      return (.array(Self.difference(stored, elements)), .null)
    }
  }

  /// Refuses operands and fields that no document could satisfy.
  package func check() throws(ServiceError) {
    if field.isDocumentName {
      throw .invalidArgument("Invalid reserved name in field path __name__")
    }
    switch operation {
    case .increment(let operand), .maximum(let operand), .minimum(let operand):
      guard operand.isNumber, !operand.isBSON else {
        throw .invalidArgument("Input must be int64 or double.")
      }
    case .serverTimestamp, .appendMissingElements, .removeAllFromArray: break
    }
  }

  /// Integers saturate, and any double makes a double; a value that is not a number counts as
  /// missing.
  ///
  /// An int32 counts as an integer. A decimal128 counts as the nearest double.
  private static func sum(_ stored: Value?, _ operand: Value) -> Value {
    switch (stored, operand) {
    case (.bson(.int32(let left))?, _): return sum(.integer(Int64(left)), operand)
    case (.bson(.decimal(let left))?, _): return sum(.double(left.nearest), operand)
    case (.integer(let left)?, .integer(let right)):
      let (sum, overflow) = left.addingReportingOverflow(right)
      return .integer(overflow ? (right < 0 ? .min : .max) : sum)
    case (.integer(let left)?, .double(let right)): return .double(Double(left) + right)
    case (.double(let left)?, .integer(let right)): return .double(left + Double(right))
    case (.double(let left)?, .double(let right)): return .double(left + right)
    default: return operand
    }
  }

  /// The operand if the stored number compares so to it, else the stored one; NaN wins over numbers.
  private static func chosen(
    _ stored: Value?,
    _ operand: Value,
    over order: Ordering
  ) -> Value {
    guard let stored, stored.isNumber else { return operand }
    if stored.isNaN || operand.isNaN { return stored.isNaN ? stored : operand }
    return stored.compare(operand) == order ? operand : stored
  }

  private static func union(_ stored: Value?, _ added: [Value]) -> [Value] {
    var result = elements(of: stored)
    var present = EqualValues()
    for element in result { present.insert(element) }
    for element in added where present.insert(element) { result.append(element) }
    return result
  }

  private static func difference(_ stored: Value?, _ removed: [Value]) -> [Value] {
    var unwanted = EqualValues()
    for element in removed { unwanted.insert(element) }
    return elements(of: stored).filter { !unwanted.contains($0) }
  }

  private static func elements(of value: Value?) -> [Value] {
    if case .array(let elements)? = value { elements } else { [] }
  }
}

/// A set by Firestore's equality, in which equal values are those that encode equally.
private struct EqualValues {
  private var encodings: Set<[UInt8]> = []

  /// False if an equal value was there.
  @discardableResult
  mutating func insert(_ value: Value) -> Bool { encodings.insert(Self.encoding(value)).inserted }

  func contains(_ value: Value) -> Bool { encodings.contains(Self.encoding(value)) }

  private static func encoding(_ value: Value) -> [UInt8] {
    var bytes: [UInt8] = []
    OrderedEncoding.appendWhole(value, to: &bytes)
    return bytes
  }
}

extension Value {
  /// True if this is a number of any type, NaN included.
  package var isNumber: Bool {
    switch self {
    case .integer, .double, .bson(.int32), .bson(.decimal): true
    default: false
    }
  }

  /// True if this is a value of a BSON type.
  package var isBSON: Bool { if case .bson = self { true } else { false } }
}

extension Timestamp {
  /// The instant cut off toward the past to whole milliseconds.
  package var truncatedToMilliseconds: Timestamp {
    Timestamp(microseconds: seconds * 1_000_000 + Int64(nanos / 1_000_000) * 1_000)
  }
}

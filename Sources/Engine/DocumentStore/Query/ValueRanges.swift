import FirestoreModel
import KeyValueStore

/// Conditions on one field as ranges of its values' ascending encodings.
///
/// The ranges hold every value that satisfies the condition; where the operand was too long for an
/// index they also hold values that share its beginning, whose tags then ask for a second look.
package enum ValueRanges {
  /// Values of the operand's class below it.
  static func lessThan(_ operand: Value) -> [PositionRange] {
    let block = Block(operand)
    return side(of: operand, PositionRange(upper: block.isCut ? block.end : block.bytes))
  }

  /// Values of the operand's class up to it.
  static func atMost(_ operand: Value) -> [PositionRange] {
    side(of: operand, PositionRange(upper: Block(operand).end))
  }

  /// Values of the operand's class above it.
  static func greaterThan(_ operand: Value) -> [PositionRange] {
    let block = Block(operand)
    return side(
      of: operand,
      block.isCut ? PositionRange(lower: block.bytes) : PositionRange(lower: block.end)
    )
  }

  /// Values of the operand's class from it on.
  static func atLeast(_ operand: Value) -> [PositionRange] {
    side(of: operand, PositionRange(lower: Block(operand).bytes))
  }

  /// Present, not null and equal to none of the operands.
  static func excluding(_ operands: [Value]) -> [PositionRange] {
    var result = [PositionRange(lower: [OrderedEncoding.Tag.null + 1])]
    for operand in operands {
      let block = Block(operand)
      if block.isCut { continue }
      let around = [PositionRange(upper: block.bytes), PositionRange(lower: block.end)]
      result = result.intersection(around.filter { !$0.isEmpty })
    }
    return result
  }

  /// A value's encoding, and where positions end that have it.
  private struct Block {
    let bytes: [UInt8]
    /// The value was cut: others share its bytes.
    let isCut: Bool

    init(_ value: Value) {
      var bytes: [UInt8] = []
      isCut = OrderedEncoding.append(value, to: &bytes).isTruncated
      self.bytes = bytes
    }

    /// Before a decimal that begins with a number's bytes, and behind all else that does.
    var end: [UInt8] { bytes + [OrderedEncoding.Tag.decimal] }
  }

  private static func side(of operand: Value, _ range: PositionRange) -> [PositionRange] {
    let tags = OrderedEncoding.tagRange(of: operand.typeOrder)
    let ofClass = PositionRange(lower: [tags.lowerBound], upper: [tags.upperBound])
    let result = ofClass.intersection(range)
    return result.isEmpty ? [] : [result]
  }
}

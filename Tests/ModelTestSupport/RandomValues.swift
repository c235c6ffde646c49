import BaseText
import FirestoreModel

/// Values of every type, with a bias to where orders and encodings go wrong.
package struct RandomValues {
  private var source: SeededSource

  /// The values of that seed.
  package init(seed: UInt64) { source = SeededSource(seed: seed) }

  /// A number of the range.
  package mutating func int(_ range: Range<Int>) -> Int { Int.random(in: range, using: &source) }

  /// Either.
  package mutating func bool() -> Bool { Bool.random(using: &source) }

  /// A value of any type, not an array where it lies in one.
  package mutating func value(depth: Int = 0, inArray: Bool = false) -> Value {
    switch int(-1..<(depth < 3 ? 13 : 10)) {
    case -1: bson()
    case 0: .null
    case 1: .boolean(bool())
    case 2, 3: .integer(integer())
    case 4, 5: .double(double())
    case 6: .timestamp(Timestamp(microseconds: integer() / 37))
    case 7: .string(text())
    case 8: .bytes(bytes())
    case 9: bool() ? .reference(reference()) : .geoPoint(geoPoint())
    case 10: inArray ? .vector(vector()) : array(depth: depth)
    case 11: .vector(vector())
    default: .map(map(depth: depth))
    }
  }

  /// A map of up to three fields.
  package mutating func map(depth: Int = 0) -> MapValue {
    MapValue(
      (0..<int(0..<4)).map { _ in
        MapValue.Entry(key: fieldName(), value: value(depth: depth + 1))
      }
    )
  }

  /// One of a few names, so that maps meet.
  package mutating func fieldName() -> Text {
    let names: [Text] = [
      "a", "b", "ab", "a\u{0}", "\u{FFFF}", "\u{10000}", "é", "e\u{301}", "_", ".",
    ]
    return names[int(0..<names.count)]
  }

  /// A corner of the range, or near a power of two.
  package mutating func integer() -> Int64 {
    let corners: [Int64] = [
      0, 1, -1, 3, .max, .min, .max - 1, .min + 1, .max - 512, .max - 1_023, .max - 1_024,
    ]
    if int(0..<3) == 0 { return corners[int(0..<corners.count)] }
    let power = Int64(1) << Int64(int(0..<63))
    let near = power &+ Int64(int(-3..<4))
    return bool() ? near : 0 &- near
  }

  /// A corner, or near an integer.
  package mutating func double() -> Double {
    let corners: [Double] = [
      0, -0.0, .nan, -.nan, .infinity, -.infinity, 3, 0.5, -2.5, .leastNonzeroMagnitude,
      .greatestFiniteMagnitude, 0x1p53, -0x1p53, 0x1p63, -0x1p63, 0x1p64,
      Double(bitPattern: 0x7FF8_0000_0000_1234),
    ]
    if int(0..<3) == 0 { return corners[int(0..<corners.count)] }
    let near = Double(integer())
    return [near, near.nextUp, near.nextDown, near + 0.5][int(0..<4)]
  }

  /// A value of a BSON type, mostly a number.
  package mutating func bson() -> Value {
    switch int(0..<12) {
    case 0: .bson(.minKey)
    case 1: .bson(.maxKey)
    case 2: .bson(.int32(Int32(truncatingIfNeeded: integer())))
    case 3:
      .bson(.objectID(BSONObjectID(high: UInt32(int(0..<2)), low: bool() ? 0 : .max)))
    case 4:
      .bson(
        .timestamp(BSONTimestamp(seconds: bool() ? 0 : .max, increment: UInt32(int(0..<3))))
      )
    case 5: .bson(.binary(subtype: UInt8(int(1..<256)), bytes()))
    case 6: .bson(.regex(pattern: text(), options: ["", "i", "imsux"][int(0..<3)]))
    default: .bson(.decimal(decimal()))
    }
  }

  /// A corner, or a number near an integer, a double or another decimal.
  package mutating func decimal() -> Decimal128 {
    let corners = [
      "0", "-0", "0.0", "NaN", "Infinity", "-Infinity", "0.1", "1.0", "1.00", "-0.5", "1E-6176",
      "-1E-6176", "9.999999999999999999999999999999999E+6144", "1E+400", "-1E+400", "1E-400",
      "3.000000000000000000000000000000001", "-3.000000000000000000000000000000001",
      "2.999999999999999999999999999999999", "9007199254740992.5", "9223372036854775807.5",
      "-9223372036854775808.5", "9223372036854775808", "18446744073709551616.1",
      "0.1000000000000000055511151231257827", "4.9E-324", "1.7976931348623157E+308",
    ]
    if int(0..<3) == 0 { return Decimal128(corners[int(0..<corners.count)]) ?? .nan }
    let whole = "\(integer())"
    let fractions = ["", ".0", ".5", ".1", ".25", ".000000000000001", ".9"]
    return Decimal128(whole + fractions[int(0..<fractions.count)]) ?? Decimal128(3)
  }

  /// A few pieces that compare unusually.
  package mutating func text() -> Text {
    let pieces = [
      "", "a", "b", "\u{0}", "\u{1}", "\u{FFFF}", "\u{10000}", "é", "e\u{301}", "\u{7F}",
    ]
    return Text((0..<int(0..<4)).map { _ in pieces[int(0..<pieces.count)] }.joined())
  }

  /// A few bytes at the ends of their range.
  package mutating func bytes() -> [UInt8] {
    let units: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]
    return (0..<int(0..<4)).map { _ in units[int(0..<units.count)] }
  }

  /// A name of one or two collections.
  package mutating func reference() -> DocumentName {
    let ids: [Text] = ["a", "b", "__id7__", "__id-3__", "__id10__", "a\u{0}", "__x", "é", "~"]
    let segments = (0..<2 * int(1..<3)).map { index in
      index.isMultiple(of: 2) ? Text(["c", "d"][int(0..<2)]) : ids[int(0..<ids.count)]
    }
    let database: Text = bool() ? "(default)" : "other"
    let id = DatabaseID(project: bool() ? "p" : "p2", database: database)
    return DocumentName(database: id, path: ResourcePath(segments))
  }

  private mutating func geoPoint() -> GeoPoint {
    let degrees = [0, -0.0, 45.5, -45.5, 90, -90]
    return GeoPoint(latitude: degrees[int(0..<6)], longitude: degrees[int(0..<6)])
  }

  private mutating func vector() -> [Double] {
    let numbers = [0, -0.0, 1, -1.5, .infinity, -.infinity]
    return (0..<int(1..<4)).map { _ in numbers[int(0..<numbers.count)] }
  }

  private mutating func array(depth: Int) -> Value {
    .array((0..<int(0..<4)).map { _ in value(depth: depth + 1, inArray: true) })
  }
}

/// The seed of this run's random cases, printed when a case fails.
package let testSeed = UInt64.random(in: 0...UInt64.max)

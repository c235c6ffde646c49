import BaseText
import FirestoreModel
import ModelTestSupport

/// Documents that strain an evaluator, and conditions that look at all of them.
struct HostileValues {
  var source: SeededSource

  mutating func pick<T>(_ choices: [T]) -> T {
    choices[Int.random(in: 0..<choices.count, using: &source)]
  }

  mutating func text() -> Text {
    let part = pick([
      "", "a", "ab", "$0", "$9", "\\", "(a*)*b", "(a|aa)+$", "[", "(?i)é", "é", "😀", "\u{0}", "/a",
      "/{x}/{y=**}",
      "%zz", "9", "1e308", "-9223372036854775808", "NaN", "İ", "e\u{301}", "{n}", "a{1000}", ",",
      "\n",
    ])
    return Text(String(repeating: part, count: pick([1, 1, 1, 2, 7, 100, 2_000])))
  }

  mutating func value(_ depth: Int = 3) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 14 : 11), using: &source) {
    case 0: .null
    case 1: .boolean(Bool.random(using: &source))
    case 2: .integer(pick([.min, .max, -1, 0, 1, 2, 9_007_199_254_740_993, 400]))
    case 3:
      .double(
        pick([
          .nan, .infinity, -.infinity, -0.0, 0.0, 0.5, 1e308, .leastNonzeroMagnitude,
          9_007_199_254_740_992, 1.0,
        ])
      )
    case 4, 5, 6: .string(text())
    case 7: .bytes((0..<pick([0, 1, 3, 300])).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    case 8:
      .geoPoint(GeoPoint(latitude: pick([-90, 0, -0.0, 90]), longitude: pick([-180, 0, 180])))
    case 9: .timestamp(Timestamp(microseconds: pick([0, -1, 1, 1_775_044_800_000_000])))
    case 10: .vector((0..<pick([1, 3, 200])).map { $0 % 7 == 3 ? .nan : Double($0) })
    case 11: .array((0..<pick([0, 1, 2, 5])).map { _ in value(depth - 1) })
    case 12:
      .array(Array(repeating: value(0), count: pick([10, 500])))
    default: .map(map(depth - 1))
    }
  }

  mutating func map(_ depth: Int) -> MapValue {
    var map = MapValue()
    for name in ["a", "b", "x", "", "m"] as [Text] where Bool.random(using: &source) {
      map[name] = value(depth)
    }
    return map
  }

  mutating func document() -> MapValue {
    var document = map(3)
    for name in ["a", "b", "l", "m"] as [Text] where Int.random(in: 0..<5, using: &source) > 0 {
      document[name] = value()
    }
    return document
  }

  private mutating func operand() -> String {
    let field = pick(["a", "b", "l", "m"])
    let side = pick(["resource", "resource", "request.resource"])
    return pick([
      "\(side).data.\(field)", "\(side).data.\(field)", "\(side).data", "\(side).data.m.a",
      "request.writeFields",
      "[\(side).data.a, \(side).data.b]", "\(side).data.l.toSet()",
      "\(side).data.diff(resource.data)",
      "path(\(side).data.a)", "/a/{x}/{y=**}", "1", "'a'", "request.time", "duration.value(1, 's')",
    ])
  }

  /// A random function of random operands, whose result is compared or tested.
  mutating func condition() -> String {
    let (first, second, third) = (operand(), operand(), operand())
    let call = pick([
      "\(first).matches(\(second))", "\(first).replace(\(second), \(third))",
      "\(first).split(\(second))",
      "\(first).join(\(second))", "\(first).concat(\(second))", "\(first).hasAll(\(second))",
      "\(first).hasAny(\(second))", "\(first).hasOnly(\(second))", "\(first).removeAll(\(second))",
      "\(first).toSet().union(\(second).toSet())", "\(first).toSet().difference(\(second).toSet())",
      "\(first).diff(\(second)).affectedKeys()", "\(first).get(\(second), \(third))",
      "\(first).values()",
      "\(first).keys()", "\(first).bind(\(second))", "\(first)[\(second)]",
      "\(first)[\(second):\(third)]",
      "\(first).lower()", "\(first).upper()", "\(first).trim()", "\(first).size()",
      "\(first).toUtf8().toHexString()",
      "hashing.sha256(\(first))", "hashing.crc32(\(first))", "int(\(first))", "float(\(first))",
      "string(\(first))",
      "\(first) + \(second)", "\(first) - \(second)", "\(first) * \(second)",
      "\(first) % \(second)", "-\(first)",
      "\(first).distance(\(second))", "math.pow(\(first), \(second))", "math.round(\(first))",
      "timestamp.value(\(first))", "duration.value(\(first), 'd')",
      "duration.time(\(first), \(second), 1, 1)",
      "timestamp.date(\(first), \(second), 1)", "latlng.value(\(first), \(second))",
      "debug(\(first))",
      "f(\(first))", "path(\(first))", "/databases/$(\(first))/$(\(second))",
    ])
    return "\(call) \(pick(["==", "!=", "<", ">=", "in"])) \(second)"
  }
}

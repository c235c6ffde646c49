import BaseText

/// The types that an expression may have, where that is sure without running it: literals, and what
/// operators and functions make.
struct StaticType: Equatable {
  /// In the order in which the official compiler names them.
  let names: [String]

  static let null = StaticType(names: ["null"])
  static let boolean = StaticType(names: ["bool"])
  static let int = StaticType(names: ["int"])
  static let float = StaticType(names: ["float"])
  static let string = StaticType(names: ["string"])
  static let bytes = StaticType(names: ["bytes"])
  static let list = StaticType(names: ["list"])
  static let set = StaticType(names: ["set"])
  static let map = StaticType(names: ["map"])
  static let mapDiff = StaticType(names: ["map_diff"])
  static let path = StaticType(names: ["path"])
  static let latlng = StaticType(names: ["latlng"])
  static let duration = StaticType(names: ["duration"])
  static let timestamp = StaticType(names: ["timestamp"])
  static let number = StaticType(names: ["int", "float"])
  static let negatable = StaticType(names: ["int", "float", "duration"])
  static let sum = StaticType(names: ["int", "float", "string", "duration", "timestamp"])
  static let difference = StaticType(names: ["int", "float", "duration", "timestamp"])
  static let sliced = StaticType(names: ["string", "list", "path"])
  static let indexed = StaticType(names: ["string", "list", "map", "path"])
  static let container = StaticType(names: ["list", "set", "map", "constraint"])
  /// The types of a segment of a path literal.
  static let segment = StaticType(names: ["path", "null", "int", "float", "string", "bool"])
  /// The types of a capture of the matched path, one segment or several.
  static let capture = StaticType(names: ["string", "path"])

  /// Returns true if a value may be of both types.
  func meets(_ other: StaticType) -> Bool { names.contains(where: other.names.contains) }

  /// Returns true if `==` between the types can be true.
  func isComparable(with other: StaticType) -> Bool {
    meets(other) || meets(.number) && other.meets(.number)
  }

  var text: String { names.joined(separator: ", ") }
}

extension BinaryOperator {
  /// The type of the operator's result.
  var resultType: StaticType {
    switch self {
    case .or, .and, .in, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: .boolean
    case .add: .sum
    case .subtract: .difference
    case .multiply, .divide, .remainder: .number
    }
  }

  /// The type of the operands on either side; nil where the official compiler takes everything.
  var operandType: StaticType? {
    switch self {
    case .or, .and: .boolean
    case .add: .sum
    case .subtract: .difference
    case .multiply, .divide, .remainder: .number
    case .in, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: nil
    }
  }
}

extension Method {
  /// The type of the method's result; nil where that depends on stored data.
  var resultType: StaticType? {
    switch self {
    case .size, .day, .month, .year, .hours, .minutes, .seconds, .nanos, .dayOfWeek, .dayOfYear,
      .toMillis:
      .int
    case .lower, .upper, .trim, .replace, .join, .toBase64, .toHexString: .string
    case .matches, .hasAll, .hasAny, .hasOnly: .boolean
    case .split, .concat, .removeAll, .keys, .values: .list
    case .toUtf8: .bytes
    case .toSet, .difference, .union, .intersection, .addedKeys, .removedKeys, .changedKeys,
      .affectedKeys, .unchangedKeys:
      .set
    case .diff: .mapDiff
    case .bind: .path
    case .date: .timestamp
    case .time: .duration
    case .latitude, .longitude, .distance: .float
    case .get: nil
    }
  }
}

extension Builtin {
  /// The type of the function's result; nil where that depends on stored data, or the official
  /// compiler does not say.
  var resultType: StaticType? {
    switch self {
    case .get, .getAfter, .firestoreGet, .debug, .exists, .existsAfter, .firestoreExists: nil
    case .path: .path
    case .int, .mathRound: .int
    case .float, .mathCeil, .mathFloor, .mathPow, .mathSqrt: .float
    case .string: .string
    case .mathAbs: .number
    case .mathIsNaN: .boolean
    case .hashingCRC32, .hashingCRC32C, .hashingMD5, .hashingSHA256: .bytes
    case .durationAbs, .durationTime, .durationValue: .duration
    case .timestampDate, .timestampValue: .timestamp
    case .latlngValue: .latlng
    }
  }
}

extension Expression {
  /// Every variable that the expression names.
  func collectVariables(into names: inout Set<Text>) {
    if case .variable(let name) = kind { names.insert(name) }
    for child in children { child.collectVariables(into: &names) }
  }

  private var children: [Expression] {
    switch kind {
    case .null, .boolean, .integer, .float, .string, .bytes, .variable: []
    case .list(let elements), .call(_, let elements): elements
    case .map(let entries): entries.flatMap { [$0.key, $0.value] }
    case .path(let parts):
      parts.compactMap { if case .interpolation(let inner) = $0 { inner } else { nil } }
    case .member(let inner, _), .unary(_, let inner), .typeTest(let inner, _),
      .parenthesized(let inner):
      [inner]
    case .index(let first, let second), .binary(_, let first, let second): [first, second]
    case .slice(let object, let from, let to): [object] + [from, to].compactMap { $0 }
    case .method(let object, _, let arguments): [object] + arguments
    case .conditional(let condition, let first, let second): [condition, first, second]
    }
  }
}

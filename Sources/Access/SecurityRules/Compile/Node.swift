import BaseText

/// An expression whose names are resolved: what the evaluator walks.
final class Node: Sendable {
  let operation: Operation
  let range: Range<Int>

  init(_ operation: Operation, at range: Range<Int>) {
    self.operation = operation
    self.range = range
  }

  /// The operation of a node; every evaluated node costs one of the budget, parentheses nothing.
  enum Operation: Sendable {
    case constant(RulesValue)
    /// A name or call that cannot work: always an error value.
    case fault(String)
    case request
    case resource
    /// A parameter or `let` of the function that runs.
    case local(Int)
    /// A capture of the matched path.
    case capture(Int)
    case list([Node])
    case map([Entry])
    case path([PathPart])
    case member(Node, Text)
    case index(Node, Node)
    case slice(Node, Node?, Node?)
    case call(Int, [Node])
    case builtin(Builtin, [Node])
    case method(Node, Method, [Node])
    /// `matches`, `replace` or `split` with a pattern known at compile time.
    case regex(Node, Method, Regex, [Node])
    case not(Node)
    case negate(Node)
    case and(Node, Node)
    case or(Node, Node)
    case binary(BinaryOperator, Node, Node)
    case conditional(Node, Node, Node)
    case typeTest(Node, RulesType)
  }

  /// One entry of a map literal.
  struct Entry: Sendable {
    let key: Node
    let value: Node
  }

  /// One segment of a path literal.
  enum PathPart: Sendable {
    case segment(RulesPath.Segment)
    case interpolation(Node)
  }
}

/// The types that `is` knows.
enum RulesType: String, Sendable, CaseIterable {
  case bool, bytes, constraint, duration, float, int, latlng, list, map, number, path, set, string
  case timestamp, vector
  case mapDiff = "map_diff"

  /// The one that a value has; `number` holds both kinds.
  func holds(_ value: RulesValue) -> Bool {
    switch (self, value) {
    case (.number, .integer), (.number, .float): true
    // The official evaluator does not take its own sets for sets.
    case (.set, _): false
    default: rawValue == value.typeName
    }
  }
}

/// Functions that are no methods; packages by their full name.
enum Builtin: String, Sendable {
  case get, exists, getAfter, existsAfter, path, int, float, string, debug
  case mathAbs = "math.abs"
  case mathCeil = "math.ceil"
  case mathFloor = "math.floor"
  case mathIsNaN = "math.isNaN"
  case mathPow = "math.pow"
  case mathRound = "math.round"
  case mathSqrt = "math.sqrt"
  case hashingCRC32 = "hashing.crc32"
  case hashingCRC32C = "hashing.crc32c"
  case hashingMD5 = "hashing.md5"
  case hashingSHA256 = "hashing.sha256"
  case durationAbs = "duration.abs"
  case durationTime = "duration.time"
  case durationValue = "duration.value"
  case timestampDate = "timestamp.date"
  case timestampValue = "timestamp.value"
  case latlngValue = "latlng.value"
  case firestoreGet = "firestore.get"
  case firestoreExists = "firestore.exists"

  /// Names in front of a point that are no values.
  static let packages: Set<String> = [
    "math", "hashing", "duration", "timestamp", "latlng", "firestore",
  ]

  var arity: Int {
    switch self {
    case .durationTime: 4
    case .timestampDate: 3
    case .mathPow, .durationValue, .latlngValue: 2
    default: 1
    }
  }

  /// True if the function reads documents.
  var isAccess: Bool {
    switch self {
    case .get, .exists, .getAfter, .existsAfter, .firestoreGet, .firestoreExists: true
    default: false
    }
  }

  /// Documents are read by other names in Firestore's rules than in Storage's.
  func isKnown(in service: RulesService) -> Bool {
    switch self {
    case .get, .exists, .getAfter, .existsAfter: service != .storage
    case .firestoreGet, .firestoreExists: service == .storage
    default: true
    }
  }
}

/// Functions behind a point; which type has which is known at run time.
enum Method: String, Sendable {
  case lower, upper, trim, size, matches, replace, split, toUtf8, toBase64, toHexString
  case concat, hasAll, hasAny, hasOnly, join, removeAll, toSet, difference, union, intersection
  case keys, values, get, diff, addedKeys, removedKeys, changedKeys, affectedKeys, unchangedKeys
  case bind, day, month, year, hours, minutes, seconds, nanos, dayOfWeek, dayOfYear, date, time
  case toMillis, latitude, longitude, distance

  var arity: Int {
    switch self {
    case .replace, .get: 2
    case .matches, .split, .concat, .hasAll, .hasAny, .hasOnly, .join, .removeAll, .difference,
      .union, .intersection, .diff, .bind, .distance:
      1
    default: 0
    }
  }
}

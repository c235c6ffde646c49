import BaseText
import FirestoreModel

/// A value as rules see it.
///
/// Two equalities exist: `isEqual(to:)` is the `==` of the language, numeric between integers and
/// floats; inside lists and maps numbers of different types differ (`isIdentical(to:)`).
package enum RulesValue: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case float(Double)
  case string(Text)
  case bytes([UInt8])
  case timestamp(RulesTimestamp)
  case duration(RulesDuration)
  case latlng(GeoPoint)
  case path(RulesPath)
  case vector([Double])
  /// A value of a BSON type: equal to its like and nothing else; of a decimal128, the order is known too.
  case bson(BSONValue)
  case list([RulesValue])
  case set(RulesSet)
  case map(RulesMap)
  case mapDiff(RulesMapDiff)
  /// A query's promise about a field: all comparators hold. Only the prover makes these.
  case constraint(FieldConstraint)

  /// The name that type errors show.
  var typeName: String {
    switch self {
    case .null: "null"
    case .boolean: "bool"
    case .integer: "int"
    case .float: "float"
    case .string: "string"
    case .bytes: "bytes"
    case .timestamp: "timestamp"
    case .duration: "duration"
    case .latlng: "latlng"
    case .path: "path"
    case .vector: "vector"
    case .bson: "bson"
    case .list: "list"
    case .set: "set"
    case .map: "map"
    case .mapDiff: "map_diff"
    case .constraint: "constraint"
    }
  }
}

/// An instant with nanoseconds; stored timestamps have microseconds.
package struct RulesTimestamp: Sendable, Hashable, Comparable {
  /// Seconds since the epoch.
  package let seconds: Int64
  /// 0 ..< 1,000,000,000.
  package let nanos: Int32

  /// Nil outside the years 1 to 9999.
  package init?(seconds: Int64, nanos: Int32) {
    guard let instant = Timestamp(seconds: seconds, nanos: nanos) else { return nil }
    self.init(instant)
  }

  /// The same instant.
  package init(_ timestamp: Timestamp) {
    seconds = timestamp.seconds
    nanos = timestamp.nanos
  }

  /// True if the left instant is earlier, by seconds and then nanoseconds.
  package static func < (left: RulesTimestamp, right: RulesTimestamp) -> Bool {
    (left.seconds, left.nanos) < (right.seconds, right.nanos)
  }
}

/// A span of time; seconds and nanos have the same sign.
package struct RulesDuration: Sendable, Hashable, Comparable {
  /// The longest span either way, in seconds.
  static let maximumSeconds: Int64 = 315_576_000_000

  /// Whole seconds, at most 315,576,000,000 either way.
  package let seconds: Int64
  /// The rest in nanoseconds, below a second either way.
  package let nanos: Int32

  /// The span of that many nanoseconds; nil when it is too long.
  init?(totalNanos: Int128) {
    let (seconds, nanos) = totalNanos.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard seconds.magnitude <= Self.maximumSeconds.magnitude else { return nil }
    self.seconds = Int64(seconds)
    self.nanos = Int32(nanos)
  }

  var totalNanos: Int128 { Int128(seconds) * 1_000_000_000 + Int128(nanos) }

  /// True if the left span is shorter; negative spans are shorter than none.
  package static func < (left: RulesDuration, right: RulesDuration) -> Bool {
    left.totalNanos < right.totalNanos
  }
}

/// A path in a rule: plain segments, or captures that `bind()` fills.
package struct RulesPath: Sendable {
  /// A text, a capture that `bind()` fills, or segments that are unknown.
  package enum Segment: Sendable, Hashable {
    case text(Text)
    case capture(Text)
    case glob(Text)
    /// Any number of segments that a query does not tell. Only the prover makes these.
    case unknown
  }

  /// In the order of the path, without the slashes.
  package let segments: [Segment]
  /// The values of the bound captures, by name: texts, and paths of recursive ones.
  package let bindings: [Text: RulesValue]

  /// A path of those segments.
  init(_ segments: [Segment], bindings: [Text: RulesValue] = [:]) {
    self.segments = segments
    self.bindings = bindings
  }

  /// A path without captures.
  package init(plain: [Text]) { self.init(plain.map(Segment.text)) }

  /// The segments' texts; nil while a capture is unbound.
  package var plain: [Text]? {
    var texts: [Text] = []
    for segment in segments {
      guard case .text(let text) = segment else { return nil }
      texts.append(text)
    }
    return texts
  }

  /// True if a capture is unbound; such a path is equal to none.
  var isUnbound: Bool { segments.contains { $0.captureName != nil } }

  /// The first name that two unbound captures share.
  var repeatedName: Text? {
    var seen: Set<Text> = []
    return segments.lazy.compactMap(\.captureName).first { !seen.insert($0).inserted }
  }

  /// `/a/b`, as `string()` shows it; captures that are unbound show as nothing.
  var string: String {
    let parts = segments.map { if case .text(let text) = $0 { text.string } else { "" } }
    return "/" + parts.joined(separator: "/")
  }
}

extension RulesPath.Segment {
  /// The name of an unbound capture.
  var captureName: Text? {
    switch self {
    case .capture(let name), .glob(let name): name
    case .text, .unknown: nil
    }
  }
}

extension RulesValue {
  /// A number as filters know it; nil for other types and for NaN.
  var exactNumber: Value? {
    switch self {
    case .integer(let number): .integer(number)
    case .float(let number): number.isNaN ? nil : .double(number)
    case .bson(.decimal(let number)): .bson(.decimal(number))
    default: nil
    }
  }
}

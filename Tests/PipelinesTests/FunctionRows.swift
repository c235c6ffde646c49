import BaseText
import FirestoreModel
import Testing

/// A function's row of the sheet: accepted types, what null gives, and examples.
struct FunctionRow: Sendable, CustomTestStringConvertible {
  /// The result for a null or absent argument.
  enum Nulls: Sendable {
    /// Null, whichever argument it is.
    case null
    /// The result that the examples show.
    case examples
  }

  /// An evaluation, and what comes out.
  struct Example: Sendable {
    let arguments: [Value?]
    let result: Result<Value?, Failed>
  }

  /// An expression's error.
  struct Failed: Error {}

  let name: String
  /// For each argument the letters of the types that it takes: n null, b boolean, i integer, d double, t timestamp,
  /// s string, y bytes, r reference, g geo point, a array, m map, v vector; `*` takes all.
  let types: [String]
  let nulls: Nulls
  var examples: [Example] = []

  var testDescription: String { name }

  init(_ name: String, _ types: String, _ nulls: Nulls = .null) {
    self.name = name
    self.types = types.split(separator: " ").map(String.init)
    self.nulls = nulls
  }

  func gives(_ result: Value?, _ arguments: Value?...) -> FunctionRow {
    adding(Example(arguments: arguments, result: .success(result)))
  }

  func fails(_ arguments: Value?...) -> FunctionRow {
    adding(Example(arguments: arguments, result: .failure(Failed())))
  }

  private func adding(_ example: Example) -> FunctionRow {
    var row = self
    row.examples.append(example)
    return row
  }
}

/// One value of each type, by its letter.
enum TypeSamples {
  static let all: [(letter: Character, value: Value)] = [
    ("n", .null), ("b", .boolean(true)), ("i", .integer(1)), ("d", .double(1.5)),
    ("t", .timestamp(Timestamp(microseconds: 735_998_460_654_321))), ("s", "x"), ("y", .bytes([1])),
    ("r", ref("c/d")), ("g", .geoPoint(GeoPoint(latitude: 1, longitude: 2))), ("a", [1]),
    ("m", map("k", 1)), ("v", .vector([1, 0])),
  ]
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral
{
  /// A string.
  package init(stringLiteral text: String) { self = .string(Text(text)) }
  /// An integer.
  package init(integerLiteral number: Int64) { self = .integer(number) }
  /// A double.
  package init(floatLiteral number: Double) { self = .double(number) }
  /// A boolean.
  package init(booleanLiteral flag: Bool) { self = .boolean(flag) }
  /// An array.
  package init(arrayLiteral elements: Value...) { self = .array(elements) }
}

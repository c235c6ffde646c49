import FirestoreModel

/// A function of expressions: its name, its number of arguments and its behaviour on null and absent ones.
struct FunctionDefinition: Sendable {
  /// The treatment of arguments before the function sees them.
  enum Behaviour: Sendable {
    /// Absent counts as null, and a null argument makes the result null.
    case strict(@Sendable ([Value], Evaluator) throws -> Value?)
    /// The function sees null and absent (nil) itself.
    case lenient(@Sendable ([Value?], Evaluator) throws -> Value?)
    /// The function evaluates its arguments itself.
    case lazy(@Sendable ([Expression], Row, Evaluator) throws -> Value?)
  }

  let name: String
  let arity: ClosedRange<Int>
  let behaviour: Behaviour

  /// A function in which a null argument makes the result null.
  static func strict(
    _ name: String,
    _ arity: ClosedRange<Int>,
    _ body: @escaping @Sendable ([Value], Evaluator) throws -> Value?
  ) -> FunctionDefinition {
    FunctionDefinition(name: name, arity: arity, behaviour: .strict(body))
  }

  /// A function that sees null and absent itself.
  static func lenient(
    _ name: String,
    _ arity: ClosedRange<Int>,
    _ body: @escaping @Sendable ([Value?], Evaluator) throws -> Value?
  ) -> FunctionDefinition {
    FunctionDefinition(name: name, arity: arity, behaviour: .lenient(body))
  }

  /// A function that evaluates its arguments itself.
  static func lazy(
    _ name: String,
    _ arity: ClosedRange<Int>,
    _ body: @escaping @Sendable ([Expression], Row, Evaluator) throws -> Value?
  ) -> FunctionDefinition {
    FunctionDefinition(name: name, arity: arity, behaviour: .lazy(body))
  }

  /// The most arguments of a function that takes any number.
  static let many = Int.max
}

/// All functions by name, older names included.
enum FunctionTable {
  private static let functions: [String: FunctionDefinition] = {
    let all =
      LogicFunctions.all + ComparisonFunctions.all + ArithmeticFunctions.all + RoundingFunctions.all
      + TextFunctions.all + TextSearchFunctions.all + ArrayFunctions.all + ArrayPartFunctions.all
      + MapFunctions.all + ReferenceFunctions.all + TimeFunctions.all + CalendarFunctions.all
      + VectorFunctions.all + BitFunctions.all
    return Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
  }()

  private static let aliases = [
    "eq": "equal", "neq": "not_equal", "gt": "greater_than", "gte": "greater_than_or_equal",
    "lt": "less_than", "lte": "less_than_or_equal", "in": "equal_any", "eq_any": "equal_any",
    "not_eq_any": "not_equal_any", "cond": "conditional", "offset": "array_get",
    "timestamp_sub": "timestamp_subtract", "str_contains": "string_contains",
    "str_concat": "string_concat", "logical_maximum": "maximum", "logical_minimum": "minimum",
    "get_field": "map_get", "replace_first": "string_replace_one",
    "string_replace": "string_replace_all",
  ]

  /// The function of a name; nil where there is none.
  static func function(named name: String) -> FunctionDefinition? {
    functions[name] ?? aliases[name].flatMap { functions[$0] }
  }

  /// The names of all functions, without older ones.
  static var names: [String] { functions.keys.sorted() }
}

// Taking arguments apart.

extension Value {
  /// The content of a string; fails for other types.
  func text(_ function: String) throws -> String {
    guard case .string(let text) = self else { throw ExpressionFailure.wrongType(function) }
    return text.string
  }

  /// The content of an integer; fails for other types.
  func integer(_ function: String) throws -> Int64 {
    switch self {
    case .integer(let number): return number
    case .bson(.int32(let number)): return Int64(number)
    default: throw ExpressionFailure.wrongType(function)
    }
  }

  /// The elements of an array; fails for other types.
  func array(_ function: String) throws -> [Value] {
    guard case .array(let elements) = self else { throw ExpressionFailure.wrongType(function) }
    return elements
  }

  /// The instant of a timestamp in microseconds; fails for other types.
  func microseconds(_ function: String) throws -> Int64 {
    guard case .timestamp(let time) = self else { throw ExpressionFailure.wrongType(function) }
    return time.microseconds
  }

  /// A number as a double; fails for other types.
  func number(_ function: String) throws -> Double {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .bson(.int32(let number)): Double(number)
    case .bson(.decimal): throw ExpressionFailure.decimal(function)
    default: throw ExpressionFailure.wrongType(function)
    }
  }

  /// A number as a decimal, a double by its exact value; fails for other types.
  func decimal(_ function: String) throws -> Decimal128 {
    switch self {
    case .integer(let number): Decimal128(number)
    case .double(let number): Decimal128(nearestTo: number)
    case .bson(.int32(let number)): Decimal128(Int64(number))
    case .bson(.decimal(let number)): number
    default: throw ExpressionFailure.wrongType(function)
    }
  }

  /// An int32 as the integer that functions compute with.
  var widened: Value {
    if case .bson(.int32(let number)) = self { .integer(Int64(number)) } else { self }
  }
}

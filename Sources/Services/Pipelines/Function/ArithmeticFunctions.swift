import FirestoreModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Arithmetic: integers stay integers while they fit, and an overflow of them is an error.
///
/// A double makes the result a double, and a decimal makes it a decimal.
enum ArithmeticFunctions {
  private static let many = FunctionDefinition.many

  static let all: [FunctionDefinition] = [
    folding("add", { $0.addingReportingOverflow($1) }, { $0 + $1 }, { $0 + $1 }),
    folding("subtract", { $0.subtractingReportingOverflow($1) }, { $0 - $1 }, { $0 - $1 }),
    folding("multiply", { $0.multipliedReportingOverflow(by: $1) }, { $0 * $1 }, { $0 * $1 }),
    .strict("divide", 2...2) { values, _ in
      try binary("divide", values, divide, { $0 / $1 }, { $0 / $1 })
    },
    .strict("mod", 2...2) { values, _ in
      try binary("mod", values, remainder, { fmod($0, $1) }, { $0 % $1 })
    },
    .strict("abs", 1...1) { values, _ in
      switch values[0].widened {
      case .integer(let number):
        guard number != .min else { throw overflow("abs") }
        return .integer(Swift.abs(number))
      case .double(let number): return .double(Swift.abs(number))
      case .bson(.decimal(let number)): return .bson(.decimal(number.magnitude))
      default: throw ExpressionFailure.wrongType("abs")
      }
    },
    .strict("pow", 2...2) { values, _ in .double(try power(values)) },
    .strict("sqrt", 1...1) { values, _ in
      let number = try values[0].number("sqrt")
      guard !(number < 0) else { throw domain("sqrt") }
      return .double(number.squareRoot())
    },
    .strict("exp", 1...1) { values, _ in
      let number = try values[0].number("exp")
      let result = exp(number)
      guard result.isFinite || !number.isFinite else { throw overflow("exp") }
      return .double(result)
    },
    .strict("ln", 1...1) { values, _ in .double(try logarithm(values[0], "ln", log)) },
    .strict("log10", 1...1) { values, _ in .double(try logarithm(values[0], "log10", log10)) },
    .strict("log", 1...2, logarithmOfBase),
    .lenient("rand", 0...0) { _, _ in .double(Double.random(in: 0..<1)) },
  ]

  static func overflow(_ name: String) -> ExpressionFailure {
    ExpressionFailure("The result of \(name) is out of range.")
  }

  static func domain(_ name: String) -> ExpressionFailure {
    ExpressionFailure("The function \(name) isn't defined for that argument.")
  }

  private static func folding(
    _ name: String,
    _ integers: @escaping @Sendable (Int64, Int64) -> (Int64, Bool),
    _ doubles: @escaping @Sendable (Double, Double) -> Double,
    _ decimals: @escaping @Sendable (Decimal128, Decimal128) -> Decimal128
  ) -> FunctionDefinition {
    .strict(name, 2...many) { values, _ in
      var result = values[0]
      for value in values.dropFirst() {
        result = try binary(
          name,
          [result, value],
          { left, right in
            let (number, isOverflow) = integers(left, right)
            if isOverflow { throw overflow(name) }
            return number
          },
          doubles,
          decimals
        )
      }
      return result
    }
  }

  private static func binary(
    _ name: String,
    _ values: [Value],
    _ integers: (Int64, Int64) throws -> Int64,
    _ doubles: (Double, Double) -> Double,
    _ decimals: (Decimal128, Decimal128) -> Decimal128
  ) throws -> Value {
    switch (values[0].widened, values[1].widened) {
    case (.integer(let left), .integer(let right)): .integer(try integers(left, right))
    case (.bson(.decimal), _), (_, .bson(.decimal)):
      .bson(.decimal(decimals(try values[0].decimal(name), try values[1].decimal(name))))
    default: .double(doubles(try values[0].number(name), try values[1].number(name)))
    }
  }

  private static func divide(_ left: Int64, _ right: Int64) throws -> Int64 {
    guard right != 0 else { throw ExpressionFailure("The function divide can't divide by zero.") }
    let (result, isOverflow) = left.dividedReportingOverflow(by: right)
    if isOverflow { throw overflow("divide") }
    return result
  }

  private static func remainder(_ left: Int64, _ right: Int64) throws -> Int64 {
    guard right != 0 else { throw ExpressionFailure("The function mod can't divide by zero.") }
    return right == -1 ? 0 : left % right
  }

  private static func power(_ values: [Value]) throws -> Double {
    let base = try values[0].number("pow")
    let exponent = try values[1].number("pow")
    if base == 1 || exponent == 0 { return 1 }
    if base == 0, exponent < 0 { throw domain("pow") }
    if base < 0, base.isFinite, exponent.isFinite, exponent != exponent.rounded() {
      throw domain("pow")
    }
    return pow(base, exponent)
  }

  private static func logarithm(
    _ value: Value,
    _ name: String,
    _ function: (Double) -> Double
  ) throws -> Double {
    let number = try value.number(name)
    if number == -.infinity { return .nan }
    guard !(number <= 0) else { throw domain(name) }
    return function(number)
  }

  private static func logarithmOfBase(_ values: [Value], _ evaluator: Evaluator) throws -> Value? {
    let number = try logarithm(values[0], "log", log)
    guard values.count == 2 else { return .double(number) }
    let base = try values[1].number("log")
    if base == .infinity { return .double(.nan) }
    guard !(base <= 0), base != 1 else { throw domain("log") }
    return .double(number / log(base))
  }
}

/// Functions that round numbers; each number keeps its type.
enum RoundingFunctions {
  static let all: [FunctionDefinition] = [
    whole("ceil", .up), whole("floor", .down),
    placed("round", .toNearestOrAwayFromZero), placed("trunc", .towardZero),
  ]

  private static func whole(_ name: String, _ rule: FloatingPointRoundingRule) -> FunctionDefinition
  {
    .strict(name, 1...1) { values, _ in
      switch values[0].widened {
      case .integer(let number): .integer(number)
      case .bson(.decimal(let number)): .bson(.decimal(number.rounded(rule)))
      default: .double(try values[0].number(name).rounded(rule))
      }
    }
  }

  private static func placed(
    _ name: String,
    _ rule: FloatingPointRoundingRule
  ) -> FunctionDefinition {
    .strict(name, 1...2) { values, _ in
      let places = values.count == 2 ? try values[1].integer(name) : 0
      switch values[0].widened {
      case .integer(let number): return .integer(try integer(number, places, rule, name))
      case .double(let number): return .double(try double(number, places, rule, name))
      case .bson(.decimal(let number)):
        return .bson(.decimal(try decimal(number, places, rule, name)))
      default: throw ExpressionFailure.wrongType(name)
      }
    }
  }

  /// Rounds to a power of ten; only negative places change an integer.
  private static func integer(
    _ number: Int64,
    _ places: Int64,
    _ rule: FloatingPointRoundingRule,
    _ name: String
  ) throws -> Int64 {
    guard places < 0 else { return number }
    guard places >= -18 else {
      // 10^19 is beyond every integer; only the halves of it round up.
      if places == -19, rule == .toNearestOrAwayFromZero,
        number.magnitude >= 5_000_000_000_000_000_000
      {
        throw ArithmeticFunctions.overflow(name)
      }
      return 0
    }
    var unit: Int64 = 1
    for _ in 0..<(-places) { unit *= 10 }
    let rest = number % unit
    let base = number - rest
    guard rule == .toNearestOrAwayFromZero, rest.magnitude >= (unit / 2).magnitude else {
      return base
    }
    let (result, isOverflow) = base.addingReportingOverflow(number < 0 ? -unit : unit)
    if isOverflow { throw ArithmeticFunctions.overflow(name) }
    return result
  }

  private static func double(
    _ number: Double,
    _ places: Int64,
    _ rule: FloatingPointRoundingRule,
    _ name: String
  ) throws -> Double {
    guard number.isFinite else { return number }
    if places == 0 { return number.rounded(rule) }
    if places > 308 { return number }
    if places < -308 { return 0 }
    let unit = pow(10, Double(places.magnitude))
    let scaled = places > 0 ? number * unit : number / unit
    guard scaled.isFinite else { return number }
    let rounded = scaled.rounded(rule)
    let result = places > 0 ? rounded / unit : rounded * unit
    guard result.isFinite else { throw ArithmeticFunctions.overflow(name) }
    return result
  }

  private static func decimal(
    _ number: Decimal128,
    _ places: Int64,
    _ rule: FloatingPointRoundingRule,
    _ name: String
  ) throws -> Decimal128 {
    // No decimal has a digit further from the point.
    let result = number.rounded(rule, places: Int(max(-10_000, min(places, 10_000))))
    guard result.kind == number.kind else { throw ArithmeticFunctions.overflow(name) }
    return result
  }
}

/// Functions of single bits, on integers and on bytes.
///
/// Bytes are one row of bits, which begins with the highest bit of the first byte and keeps its length.
enum BitFunctions {
  static let all: [FunctionDefinition] = [
    binary("bit_and", { $0 & $1 }, { $0 & $1 }), binary("bit_or", { $0 | $1 }, { $0 | $1 }),
    binary("bit_xor", { $0 ^ $1 }, { $0 ^ $1 }),
    .strict("bit_not", 1...1) { values, _ in
      if case .bytes(let bytes) = values[0] { return .bytes(bytes.map { ~$0 }) }
      return .integer(~(try values[0].integer("bit_not")))
    },
    shift("bit_left_shift", { $0 << $1 }, { shifted($0, left: $1) }),
    shift(
      "bit_right_shift",
      { Int64(bitPattern: UInt64(bitPattern: $0) >> UInt64($1)) },
      { shifted($0, left: -$1) }
    ),
  ]

  private static func binary(
    _ name: String,
    _ integers: @escaping @Sendable (Int64, Int64) -> Int64,
    _ bytes: @escaping @Sendable (UInt8, UInt8) -> UInt8
  ) -> FunctionDefinition {
    .strict(name, 2...2) { values, _ in
      guard case (.bytes(let left), .bytes(let right)) = (values[0], values[1]) else {
        return .integer(integers(try values[0].integer(name), try values[1].integer(name)))
      }
      guard left.count == right.count else {
        throw ExpressionFailure("The function \(name) needs bytes of the same length.")
      }
      return .bytes(zip(left, right).map(bytes))
    }
  }

  private static func shift(
    _ name: String,
    _ integers: @escaping @Sendable (Int64, Int64) -> Int64,
    _ bytes: @escaping @Sendable ([UInt8], Int) -> [UInt8]
  ) -> FunctionDefinition {
    .strict(name, 2...2) { values, _ in
      let count = try values[1].integer(name)
      guard count >= 0 else { throw ArithmeticFunctions.domain(name) }
      if case .bytes(let content) = values[0] {
        return .bytes(bytes(content, min(Int(clamping: count), content.count * 8)))
      }
      let number = try values[0].integer(name)
      return .integer(count > 63 ? 0 : integers(number, count))
    }
  }

  /// Bits moved towards the first byte, or towards the last where the count is negative; zeros follow.
  private static func shifted(_ bytes: [UInt8], left count: Int) -> [UInt8] {
    // The shift rounds down, so that the rest is never negative.
    let (whole, rest) = (count >> 3, count & 7)
    func byte(_ index: Int) -> UInt8 { bytes.indices.contains(index) ? bytes[index] : 0 }
    return bytes.indices.map { byte($0 + whole) << rest | byte($0 + whole + 1) >> (8 - rest) }
  }
}

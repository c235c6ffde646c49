import BaseText
import FirestoreModel
import Testing

/// Decimals by the rules of IEEE 754; the expected texts are those of Python's `decimal`.
@Suite struct DecimalArithmeticTests {
  /// Two operands and the text of the result.
  typealias Row = (left: String, right: String, result: String)

  private static let nines = String(repeating: "9", count: 34)
  private static let most = "9.999999999999999999999999999999999E+6144"
  private static let zeros = String(repeating: "0", count: 33)

  private static func decimal(_ text: String) throws -> Decimal128 {
    try #require(Decimal128(text))
  }

  static let sums: [Row] = [
    ("0.1", "0.20", "0.30"), ("-0.1", "0.1", "0.0"), ("-0", "-0", "-0"), ("-0", "0", "0"),
    ("1E+3", "0", "1000"), ("1E+40", "0", "1.\(zeros)E+40"), ("5", "-7.5", "-2.5"),
    (nines, "1", "1.\(zeros)E+34"), (nines, "-\(nines)", "0"),
    // A half goes to the even digit, and anything more than a half goes up.
    ("1\(zeros)", "0.5", "1\(zeros)"), ("1\(zeros)", "0.50000001", "1\(zeros.dropLast())1"),
    (nines, "0.5", "1.\(zeros)E+34"), ("1E+34", "-1E-6176", "1.\(zeros)E+34"),
    ("1E+6144", "1E-6176", "1.\(zeros)E+6144"), (most, most, "Infinity"),
    ("Infinity", "-1", "Infinity"), ("Infinity", "-Infinity", "NaN"), ("NaN", "1", "NaN"),
  ]

  static let products: [Row] = [
    ("0.10", "0.20", "0.0200"), ("-0", "5", "-0"), ("1.5", "-4", "-6.0"),
    ("1E-6176", "0.5", "0E-6176"), ("3E-6176", "0.5", "2E-6176"), ("1E-6000", "1E-6000", "0E-6176"),
    (nines, nines, "\(nines.prefix(1)).\(nines.dropFirst(2))8E+67"), ("1E+6144", "10", "Infinity"),
    ("0E+6000", "1E+6000", "0E+6111"), ("Infinity", "-2", "-Infinity"), ("Infinity", "0", "NaN"),
  ]

  static let quotients: [Row] = [
    ("1", "3", "0.\(String(repeating: "3", count: 34))"),
    ("-2", "3", "-0.\(String(repeating: "6", count: 33))7"), ("2.40", "2", "1.20"),
    ("1", "8", "0.125"), ("10", "5", "2"), ("1000", "10", "100"), ("100", "1E+1", "10.0"),
    ("0.00", "3", "0.00"), ("0", "-5", "-0"), ("1", "0", "Infinity"), ("1", "-0", "-Infinity"),
    ("0", "0", "NaN"), ("1E-6176", "2", "0E-6176"), ("1E+6144", "1E-6176", "Infinity"),
    ("1", "Infinity", "0E-6176"), ("Infinity", "Infinity", "NaN"),
  ]

  static let rests: [Row] = [
    ("5.5", "2", "1.5"), ("-5.5", "2", "-1.5"), ("5.5", "-2", "1.5"), ("1", "0.3", "0.1"),
    ("1E+6144", "7", "1"), ("0.1", "1E+100", "0.1"), ("-4", "2", "-0"), ("1", "Infinity", "1"),
    ("12", "1.20", "0.00"), ("1", "0", "NaN"), ("Infinity", "2", "NaN"),
  ]

  @Test(arguments: sums) func `a sum is rounded to 34 digits`(_ row: Row) throws {
    let (left, right) = (try Self.decimal(row.left), try Self.decimal(row.right))
    #expect((left + right).text == row.result)
    #expect((right + left).text == row.result)
    #expect((left - -right).text == row.result)
  }

  @Test(arguments: products) func `a product is rounded to 34 digits`(_ row: Row) throws {
    let (left, right) = (try Self.decimal(row.left), try Self.decimal(row.right))
    #expect((left * right).text == row.result)
    #expect((right * left).text == row.result)
  }

  @Test(arguments: quotients) func `a quotient is rounded to 34 digits`(_ row: Row) throws {
    #expect(try (Self.decimal(row.left) / Self.decimal(row.right)).text == row.result)
  }

  @Test(arguments: rests) func `a rest has the sign of the dividend`(_ row: Row) throws {
    #expect(try (Self.decimal(row.left) % Self.decimal(row.right)).text == row.result)
  }

  @Test(arguments: [
    ("2.5", 0, "3"), ("-2.5", 0, "-3"), ("2.45", 1, "2.5"), ("150", -2, "2E+2"), ("49", -2, "0E+2"),
    ("1.5", 3, "1.5"), ("0.4", 0, "0"), ("-0.4", 0, "-0"), ("9.99", 1, "10.0"),
    ("9E+6144", -6_145, "Infinity"), ("9E+6144", -6_146, "0E+6111"), ("NaN", 0, "NaN"),
  ])
  func `halves round away from zero`(_ text: String, _ places: Int, _ result: String) throws {
    let rounded = try Self.decimal(text).rounded(.toNearestOrAwayFromZero, places: places)
    #expect(rounded.text == result)
  }

  @Test(arguments: [
    ("0.1", "1", "0", "0"), ("-0.1", "-0", "-1", "-0"), ("2.0", "2", "2", "2"),
    ("1E+3", "1E+3", "1E+3", "1E+3"), ("-Infinity", "-Infinity", "-Infinity", "-Infinity"),
  ])
  func `numbers round up, down and towards zero`(
    _ text: String,
    _ up: String,
    _ down: String,
    _ towardZero: String
  ) throws {
    let number = try Self.decimal(text)
    #expect(number.rounded(.up).text == up)
    #expect(number.rounded(.down).text == down)
    #expect(number.rounded(.towardZero).text == towardZero)
  }

  @Test(
    arguments: [
      (0.5, "0.5"), (-0.0, "-0"), (0.1, "0.1000000000000000055511151231257827"),
      (.leastNonzeroMagnitude, "4.940656458412465441765687928682214E-324"),
      (1e300, "1.000000000000000052504760255204420E+300"), (0x1p63, "9223372036854775808"),
      (-.infinity, "-Infinity"), (.nan, "NaN"),
    ] as [(Double, String)]
  )
  func `a double counts by its exact value`(_ double: Double, _ text: String) {
    #expect(Decimal128(nearestTo: double).text == text)
  }

  @Test func `a number and its opposite`() throws {
    #expect(try (-Self.decimal("0.10")).text == "-0.10")
    #expect(try Self.decimal("-0.10").magnitude.text == "0.10")
    #expect(try Self.decimal("-Infinity").magnitude.text == "Infinity")
    #expect((-Decimal128.nan).text == "NaN")
  }
}

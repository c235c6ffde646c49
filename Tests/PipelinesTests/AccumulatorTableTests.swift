import FirestoreModel
import Testing

@testable import Pipelines

/// Every accumulator of `aggregate`: results, null, absent, each type, and limits.
struct AccumulatorTableTests {
  /// The values of some rows, and what comes of them; nil is absent.
  struct Case: Sendable, CustomTestStringConvertible {
    let kind: AccumulatorKind
    let values: [Value?]
    let result: Value

    var testDescription: String { "\(kind.rawValue) of \(values)" }

    init(_ kind: AccumulatorKind, _ values: [Value?], _ result: Value) {
      self.kind = kind
      self.values = values
      self.result = result
    }
  }

  private static let nan = Value.double(.nan)
  private static let maximum = Value.integer(.max)

  static let cases: [Case] = [
    Case(.count, [], 0), Case(.count, [1, .null, nil, "x", nan], 3),
    Case(.countIf, [], 0), Case(.countIf, [true, false, .null, nil, true], 2),
    Case(.countDistinct, [], 0),
    Case(.countDistinct, [1, 1.0, 2, .null, nil, "1", nan, nan, 0.0, -0.0, [1], [1.0]], 6),
    Case(.sum, [], 0), Case(.sum, [.null, nil], 0), Case(.sum, [1, 2, .null, nil], 3),
    Case(.sum, [1, 0.5], 1.5), Case(.sum, [1, nan], nan),
    Case(.sum, [maximum, 1], .double(0x1p63)), Case(.sum, [.integer(.min), -1], .double(-0x1p63)),
    Case(.sum, [.double(.infinity), .double(-.infinity)], nan),
    Case(
      .sum,
      [1, decimal("0.10"), .null, "x", decimal("0.20"), .bson(.int32(1))],
      decimal("2.30")
    ),
    Case(.sum, [decimal("0.1"), 0.5], decimal("0.6")),
    Case(.sum, [maximum, 1, decimal("0.5")], decimal("9223372036854775808.5")),
    Case(.sum, [decimal("1"), nan], decimal("NaN")),
    Case(.average, [decimal("0.1"), decimal("0.2"), .null, nil], decimal("0.15")),
    Case(.average, [decimal("1"), 0, 0], decimal("0.3333333333333333333333333333333333")),
    Case(.average, [], .null), Case(.average, [.null, nil, "x"], .null),
    Case(.average, [1, 2, .null, nil], 1.5), Case(.average, [1, nan], nan),
    Case(.average, [maximum, maximum], .double(0x1p63)),
    Case(.minimum, [], .null), Case(.minimum, [.null, nil], .null),
    Case(.minimum, [2, .null, nil, 1, "a", true], true), Case(.minimum, [1, nan, 0], nan),
    Case(.maximum, [], .null), Case(.maximum, [.null, nil], .null),
    Case(.maximum, [2, .null, nil, 1, "a", true], "a"), Case(.maximum, [nan, 1], 1),
    Case(.first, [], .null), Case(.first, [nil, 1], .null), Case(.first, [.null, 1], .null),
    Case(.first, [1, 2], 1), Case(.last, [], .null), Case(.last, [1, nil], .null),
    Case(.last, [1, .null], .null), Case(.last, [1, 2], 2),
    Case(.arrayAgg, [], []), Case(.arrayAgg, [2, .null, nil, 2, "x"], [2, .null, .null, 2, "x"]),
    Case(.arrayAggDistinct, [], []),
    Case(.arrayAggDistinct, [2, .null, nil, 2.0, "x", nan, nan], [2, .null, "x", nan]),
  ]

  private func accumulated(_ kind: AccumulatorKind, _ values: [Value?]) throws -> Value {
    var accumulator = Accumulator(kind)
    for value in values { _ = try accumulator.add(value) }
    return accumulator.result
  }

  @Test func `every accumulator has a result, null, absent and nothing at all`() {
    for kind in AccumulatorKind.allCases {
      let own = Self.cases.filter { $0.kind == kind }
      #expect(own.contains { $0.values.isEmpty }, "\(kind)")
      #expect(own.contains { $0.values.contains { $0?.isNull == true } }, "\(kind)")
      #expect(own.contains { $0.values.contains { $0 == nil } }, "\(kind)")
      #expect(own.contains { !$0.result.isNull && $0.result != 0 && $0.result != [] }, "\(kind)")
    }
  }

  @Test(arguments: AccumulatorTableTests.cases) func `rows`(_ row: Case) throws {
    let result = try accumulated(row.kind, row.values)
    // Not `==`: NaN is equal to itself in Firestore's order, and 1 to 1.0.
    #expect(result.compare(row.result) == .equal)
    let isDouble = { (value: Value) in if case .double = value { true } else { false } }
    #expect(isDouble(result) == isDouble(row.result))
  }

  /// Values that `sum` and `average` pass by, `count_if` refuses, and the others take.
  @Test(arguments: AccumulatorKind.allCases) func `each type`(_ kind: AccumulatorKind) throws {
    for (letter, value) in TypeSamples.all where letter != "n" {
      switch kind {
      case .countIf where letter != "b":
        #expect(throws: ExpressionFailure.self) { try accumulated(kind, [value]) }
      case .countIf, .count, .countDistinct: #expect(try accumulated(kind, [value]) == 1)
      case .sum: #expect(try accumulated(kind, [value]) == ("id".contains(letter) ? value : 0))
      case .average:
        let expected: Value = letter == "i" ? 1.0 : letter == "d" ? value : .null
        #expect(try accumulated(kind, [value]) == expected)
      case .minimum, .maximum, .first, .last: #expect(try accumulated(kind, [value]) == value)
      case .arrayAgg, .arrayAggDistinct:
        #expect(try accumulated(kind, [value]) == .array([value]))
      }
    }
  }
}

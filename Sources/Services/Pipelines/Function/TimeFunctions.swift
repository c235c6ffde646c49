import FirestoreModel

/// Functions of timestamps that need no calendar.
enum TimeFunctions {
  static let all: [FunctionDefinition] = [
    .lenient("current_timestamp", 0...0) { _, evaluator in .timestamp(evaluator.now) },
    fromUnix("unix_micros_to_timestamp", 1), fromUnix("unix_millis_to_timestamp", 1_000),
    fromUnix("unix_seconds_to_timestamp", 1_000_000),
    toUnix("timestamp_to_unix_micros", 1), toUnix("timestamp_to_unix_millis", 1_000),
    toUnix("timestamp_to_unix_seconds", 1_000_000),
    .strict("timestamp_add", 3...3) { values, _ in
      let count = try values[2].integer("timestamp_add")
      return try shifted(values, by: count, "timestamp_add")
    },
    .strict("timestamp_subtract", 3...3) { values, _ in
      let count = try values[2].integer("timestamp_subtract")
      guard count != .min else { throw outOfRange }
      return try shifted(values, by: -count, "timestamp_subtract")
    },
    .strict("timestamp_diff", 3...3) { values, _ in
      let end = try values[0].microseconds("timestamp_diff")
      let start = try values[1].microseconds("timestamp_diff")
      let unit = try unit(values[2].text("timestamp_diff"))
      return .integer((end - start) / unit)
    },
  ]

  static var outOfRange: ExpressionFailure {
    ExpressionFailure("The timestamp is outside of the years 1 to 9999.")
  }

  /// A timestamp of microseconds since 1970; fails outside Firestore's years.
  static func timestamp(_ microseconds: Int64) throws -> Value {
    let time = Timestamp(microseconds: microseconds)
    guard time.microseconds == microseconds else { throw outOfRange }
    return .timestamp(time)
  }

  /// A quotient rounded towards the past.
  static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
    let quotient = number / divisor
    return number % divisor < 0 ? quotient - 1 : quotient
  }

  private static func unit(_ name: String) throws -> Int64 {
    switch name {
    case "microsecond": 1
    case "millisecond": 1_000
    case "second": 1_000_000
    case "minute": 60_000_000
    case "hour": 3_600_000_000
    case "day": 86_400_000_000
    default:
      throw ExpressionFailure(
        "\"\(name)\" isn't a unit. Use microsecond, millisecond, second, minute, hour or day."
      )
    }
  }

  private static func shifted(
    _ values: [Value],
    by count: Int64,
    _ function: String
  ) throws -> Value {
    let start = try values[0].microseconds(function)
    let (distance, isOverflow) = count.multipliedReportingOverflow(
      by: try unit(values[1].text(function))
    )
    let (result, isBeyond) = start.addingReportingOverflow(distance)
    if isOverflow || isBeyond { throw outOfRange }
    return try timestamp(result)
  }

  private static func fromUnix(_ name: String, _ factor: Int64) -> FunctionDefinition {
    .strict(name, 1...1) { values, _ in
      let (result, isOverflow) = try values[0].integer(name)
        .multipliedReportingOverflow(by: factor)
      if isOverflow { throw outOfRange }
      return try timestamp(result)
    }
  }

  private static func toUnix(_ name: String, _ factor: Int64) -> FunctionDefinition {
    .strict(name, 1...1) { values, _ in
      .integer(floorDivide(try values[0].microseconds(name), factor))
    }
  }
}

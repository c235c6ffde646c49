import FirestoreModel

/// Instants as RFC 3339 text, as proto3 JSON has them: `2026-11-21T04:00:00.5Z` or with an offset.
package enum TimestampText {
  /// Reads an instant of the years 1 to 9999; nil for anything else.
  package static func parse(_ text: String) -> Timestamp? {
    var scanner = TextScanner(text)
    guard let year = scanner.number(digits: 4), scanner.take("-"),
      let month = scanner.number(digits: 2), scanner.take("-"),
      let day = scanner.number(digits: 2), scanner.take("T"),
      let hour = scanner.number(digits: 2), scanner.take(":"),
      let minute = scanner.number(digits: 2), scanner.take(":"),
      let second = scanner.number(digits: 2),
      let nanos = scanner.fraction(),
      let offset = offset(&scanner), scanner.isAtEnd,
      (1...12).contains(month), (1...daysIn(month, of: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let ofDay = hour * 3600 + minute * 60 + second
    let seconds = Int64(days(year, month, day)) * 86_400 + Int64(ofDay - offset)
    return Timestamp(seconds: seconds, nanos: nanos)
  }

  /// The text of an instant, in UTC with 0, 3, 6 or 9 digits behind the point.
  package static func format(seconds: Int64, nanos: Int32) -> String {
    let day = Int(seconds.floorQuotient(86_400))
    let ofDay = Int(seconds - Int64(day) * 86_400)
    let date = date(ofDay: day)
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
      + "T\(padded(ofDay / 3600, 2)):\(padded(ofDay / 60 % 60, 2)):\(padded(ofDay % 60, 2))"
      + "\(fraction(nanos))Z"
  }

  /// Nanoseconds behind a point, in 0, 3, 6 or 9 digits.
  fileprivate static func fraction(_ nanos: Int32) -> String {
    let nanos = Int(nanos.magnitude)
    if nanos == 0 { return "" }
    if nanos.isMultiple(of: 1_000_000) { return ".\(padded(nanos / 1_000_000, 3))" }
    if nanos.isMultiple(of: 1_000) { return ".\(padded(nanos / 1_000, 6))" }
    return ".\(padded(nanos, 9))"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The date of a day since 1970-01-01; the inverse of `days`.
  private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = Int(Int64(shifted).floorQuotient(146_097))
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * ofYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, ofYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// Seconds east of Greenwich.
  private static func offset(_ scanner: inout TextScanner) -> Int? {
    if scanner.take("Z") { return 0 }
    let isWest = scanner.take("-")
    guard isWest || scanner.take("+"),
      let hours = scanner.number(digits: 2), scanner.take(":"),
      let minutes = scanner.number(digits: 2), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return isWest ? -seconds : seconds
  }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  private static func daysIn(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01 in the Gregorian calendar: years are counted from March, so that the
  /// leap day is a year's last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let years = month > 2 ? year : year - 1
    let months = (month + 9) % 12
    let leapDays = years / 4 - years / 100 + years / 400
    return years * 365 + leapDays + (months * 153 + 2) / 5 + day - 1 - 719_468
  }
}

/// Durations as proto3 JSON has them: seconds with up to nine digits behind the point, and `s`.
package enum DurationText {
  /// Reads a duration; nil for anything else.
  package static func parse(_ text: String) -> (seconds: Int64, nanos: Int32)? {
    var scanner = TextScanner(text)
    let isNegative = scanner.take("-")
    guard let seconds = scanner.number(), let nanos = scanner.fraction(), scanner.take("s"),
      scanner.isAtEnd, seconds <= 315_576_000_000
    else { return nil }
    return isNegative ? (-Int64(seconds), -nanos) : (Int64(seconds), nanos)
  }
}

extension DurationText {
  /// The text of a duration.
  package static func format(seconds: Int64, nanos: Int32) -> String {
    let sign = seconds < 0 || nanos < 0 ? "-" : ""
    return "\(sign)\(seconds.magnitude)\(TimestampText.fraction(nanos))s"
  }
}

extension Int64 {
  /// The quotient rounded down.
  fileprivate func floorQuotient(_ divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// Reads ASCII texts of fixed shape.
private struct TextScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = rest.first, UInt32(byte) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  /// Exactly so many digits; nil where there are fewer.
  mutating func number(digits: Int) -> Int? {
    var value = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// All digits that follow, one to twelve.
  mutating func number() -> Int? {
    var value = 0
    var count = 0
    while count < 13, let digit = digit() {
      value = value * 10 + digit
      count += 1
    }
    return (1...12).contains(count) ? value : nil
  }

  /// A point and one to nine digits as nanoseconds; zero without a point.
  mutating func fraction() -> Int32? {
    guard take(".") else { return 0 }
    var value: Int32 = 0
    var count = 0
    while count < 9, let digit = digit() {
      value = value * 10 + Int32(digit)
      count += 1
    }
    guard count > 0 else { return nil }
    for _ in count..<9 { value *= 10 }
    return value
  }

  private mutating func digit() -> Int? {
    guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
    rest.removeFirst()
    return Int(byte - 0x30)
  }
}

/// Dates of the proleptic Gregorian calendar in UTC, without a time zone table.
struct CivilDate: Equatable {
  let year: Int
  let month: Int
  let day: Int

  init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date that many days after 1970-01-01: years are counted from March, so that the leap day
  /// comes last, in eras of 400 years.
  init(daysSinceEpoch days: Int) {
    let shifted = days + 719_468
    let era = shifted.flooredQuotient(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days after 1970-01-01.
  var daysSinceEpoch: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear.flooredQuotient(400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// True if the calendar has this date, within the years that timestamps know.
  var isValid: Bool {
    guard (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return false
    }
    return CivilDate(daysSinceEpoch: daysSinceEpoch) == self
  }
}

extension BinaryInteger {
  /// Division that rounds down, for dates before the epoch.
  func flooredQuotient(_ divisor: Self) -> Self {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension RulesTimestamp {
  /// Days since the epoch, and seconds of that day.
  var parts: (day: Int, second: Int) {
    let day = Int(seconds).flooredQuotient(86_400)
    return (day, Int(seconds) - day * 86_400)
  }

  var date: CivilDate { CivilDate(daysSinceEpoch: parts.day) }

  /// 1 is Monday, 7 Sunday.
  var dayOfWeek: Int {
    let day = parts.day + 3
    return day - day.flooredQuotient(7) * 7 + 1
  }

  var dayOfYear: Int {
    parts.day - CivilDate(year: date.year, month: 1, day: 1).daysSinceEpoch + 1
  }

  /// Nanoseconds since the epoch.
  var totalNanos: Int128 { Int128(seconds) * 1_000_000_000 + Int128(nanos) }

  /// The instant that many nanoseconds after the epoch; nil outside the years 1 to 9999.
  init?(totalNanos: Int128) {
    let seconds = totalNanos.flooredQuotient(1_000_000_000)
    guard let whole = Int64(exactly: seconds) else { return nil }
    self.init(seconds: whole, nanos: Int32(totalNanos - seconds * 1_000_000_000))
  }
}

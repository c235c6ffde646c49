/// Times in the texts of databases.
enum ForeignTime {
  /// Milliseconds since 1970 of a text such as `2026-01-31 10:00:00.5+00`; nil for another text.
  static func milliseconds(_ text: String) -> Int64? {
    guard let spelled = FieldValue.timestamp(text)?["timestampValue"]?.string else { return nil }
    let bytes = Array(spelled.utf8)
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { $0 * 10 + Int64($1) - 0x30 }
    }
    let (month, day) = (number(5..<7), number(8..<10))
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    let days = days(year: number(0..<4), month: month, day: day)
    let seconds = days * 86_400 + number(11..<13) * 3_600 + number(14..<16) * 60 + number(17..<19)
    var rest = bytes[19...]
    var fraction: Int64 = 0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      for index in 0..<3 {
        fraction =
          fraction * 10
          + (index < digits.count ? Int64(digits[digits.startIndex + index]) - 0x30 : 0)
      }
      rest = rest.dropFirst(1 + digits.count)
    }
    var offset: Int64 = 0
    if rest.count == 6 {
      let start = rest.startIndex
      offset = number(start + 1..<start + 3) * 3_600 + number(start + 4..<start + 6) * 60
      if rest.first == UInt8(ascii: "-") { offset = -offset }
    }
    return (seconds - offset) * 1_000 + fraction
  }

  /// Days since 1970 in the Gregorian calendar.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

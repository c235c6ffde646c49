/// A second of UTC as signatures write it: `20260131T120000Z`.
package struct BasicTime: Sendable, Hashable {
  /// Since 1970.
  package let seconds: Int64
  /// The text with its 16 characters.
  package let text: String

  /// The first eight characters: `20260131`.
  package var date: String { String(text.prefix(8)) }

  /// Reads the text; nil where it is none, or no second of the calendar.
  package init?(_ text: String) {
    let units = Array(text.utf8)
    guard units.count == 16, units[8] == UInt8(ascii: "T"), units[15] == UInt8(ascii: "Z") else {
      return nil
    }
    var numbers: [Int64] = []
    for range in [0..<4, 4..<6, 6..<8, 9..<11, 11..<13, 13..<15] {
      guard units[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      numbers.append(units[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) })
    }
    guard numbers[3] < 24, numbers[4] < 60, numbers[5] < 60 else { return nil }
    let days = Self.days(year: numbers[0], month: numbers[1], day: numbers[2])
    let seconds = days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]
    // A day that the calendar does not have is another one there and back.
    guard (1...12).contains(numbers[1]), Self(seconds: seconds).text == text else { return nil }
    self.seconds = seconds
    self.text = text
  }

  /// A second since 1970, within the years 0 to 9999.
  package init(seconds: Int64) {
    self.seconds = seconds
    let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let second = seconds - day * 86_400
    let (year, month, date) = Self.civil(day)
    text =
      Self.digits(year, 4) + Self.digits(month, 2) + Self.digits(date, 2) + "T"
      + Self.digits(second / 3_600, 2) + Self.digits(second / 60 % 60, 2)
      + Self.digits(second % 60, 2) + "Z"
  }

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// Days since 1970; years are counted from March, so that the leap day comes last.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

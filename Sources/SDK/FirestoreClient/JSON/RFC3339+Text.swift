import FirestoreModel
import FirestoreSync

extension RFC3339 {
  /// An instant in UTC with six digits of the second's fraction.
  static func text(_ instant: Timestamp) -> String {
    let days = Int((Double(instant.seconds) / 86_400).rounded(.down))
    let second = Int(instant.seconds) - days * 86_400
    let date = civilDate(dayNumber: days)
    let time = [second / 3_600, second / 60 % 60, second % 60].map { digits($0, 2) }
    return
      "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))T"
      + "\(time.joined(separator: ":")).\(digits(Int(instant.nanos) / 1_000, 6))Z"
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// The Gregorian date of a day counted from 1970-01-01.
  private static func civilDate(dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = dayNumber + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }
}

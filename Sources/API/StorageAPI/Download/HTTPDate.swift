/// Instants as HTTP's headers have them: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The text of an instant in microseconds since 1970, not before.
  package static func text(_ microseconds: Int64) -> String {
    let seconds = Int(microseconds / 1_000_000)
    let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = date(days)
    let time = [rest / 3_600, rest / 60 % 60, rest % 60].map(twoDigits).joined(separator: ":")
    let date = "\(twoDigits(day)) \(months[month - 1]) \(year)"
    return "\(Self.days[days % 7]), \(date) \(time) GMT"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// The date of a day since 1970, counted in years that begin with March, so that a leap day is the last.
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, day) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let number = dayOfYear - (153 * march + 2) / 5 + 1
    return (year + era * 400 + (month <= 2 ? 1 : 0), month, number)
  }
}

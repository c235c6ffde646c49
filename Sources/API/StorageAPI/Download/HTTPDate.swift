import FirestoreWire

/// Instants as HTTP's headers have them: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The text of an instant in microseconds since 1970.
  package static func text(_ microseconds: Int64) -> String {
    let seconds = microseconds / 1_000_000
    let stamp = Array(TimestampText.format(seconds: seconds, nanos: 0))
    let (year, day) = (String(stamp[0..<4]), String(stamp[8..<10]))
    let month = Int(String(stamp[5..<7])).map { months[$0 - 1] } ?? ""
    let weekday = days[Int(seconds / 86_400 % 7)]
    return "\(weekday), \(day) \(month) \(year) \(String(stamp[11..<19])) GMT"
  }
}

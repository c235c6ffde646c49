import StorageWire

/// The header with the time to retry (RFC 9110, 10.2.3).
enum RetryAfter {
  private static let longest: Int64 = 24 * 3_600
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The time from `now`, in seconds since 1970; nil for text that is neither seconds nor a date.
  ///
  /// A day at most.
  static func duration(_ text: String, now: Int) -> Duration? {
    if let seconds = Int64(text), text.first?.isNumber == true {
      return .seconds(min(seconds, longest))
    }
    guard let date = seconds(text) else { return nil }
    return .seconds(min(max(0, date - Int64(now)), longest))
  }

  /// The second since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that is still sent.
  private static func seconds(_ text: String) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
    let time = parts[4].filter { $0 != ":" }
    return BasicTime("\(parts[3])\(number)\(parts[1])T\(time)Z")?.seconds
  }
}

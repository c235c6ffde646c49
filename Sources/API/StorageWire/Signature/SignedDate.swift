/// The second that the date of a signed request says, in the forms that clients write.
///
///     Sat, 28 Nov 2026 16:00:00 GMT       as HTTP has it
///     Sat, 28 Nov 2026 13:00:00 -0300     as e-mail has it
///     20261128T160000Z                    as version 4 has it
enum SignedDate {
  /// Seconds since 1970; nil for anything else.
  static func seconds(_ text: String) -> Int64? {
    if let time = BasicTime(text) { return time.seconds }
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].last == ",", parts[1].utf8.count == 2,
      let month = months.firstIndex(of: String(parts[2])), let offset = offset(parts[5])
    else { return nil }
    let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3 else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    let time = BasicTime("\(parts[3])\(number)\(parts[1])T\(clock.joined())Z")
    return time.map { $0.seconds - offset }
  }

  /// The seconds by which a zone is ahead of UTC.
  private static func offset(_ zone: Substring) -> Int64? {
    if ["GMT", "UTC"].contains(zone) { return 0 }
    let digits = zone.dropFirst().utf8.map { Int64($0) - 0x30 }
    guard let sign = zone.first, ["+", "-"].contains(sign), digits.count == 4,
      digits.allSatisfy({ (0...9).contains($0) }), digits[2] < 6
    else { return nil }
    let minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
    return minutes * 60 * (sign == "+" ? 1 : -1)
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

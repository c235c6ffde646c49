import EventAnalytics

/// Times in answers: `2026-11-23T10:20:30.123456Z`.
enum EventTime {
  static func text(_ micros: Int64) -> String {
    let perDay: Int64 = 86_400_000_000
    let day = micros >= 0 ? micros / perDay : -((perDay - 1 - micros) / perDay)
    let rest = micros - day * perDay
    let seconds = rest / 1_000_000
    let clock = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
    return
      "\(EventDay(Int(day)).text)T\(clock.joined(separator: ":")).\(padded(rest % 1_000_000, 6))Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

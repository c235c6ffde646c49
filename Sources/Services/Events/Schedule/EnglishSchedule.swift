/// App Engine's English: `every 5 minutes`, `every monday 09:00`, `1st,3rd mon of month 12:00`,
/// `every 2 hours from 08:00 to 18:00`.
enum EnglishSchedule {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
  private static let ordinals = ["first", "second", "third", "fourth", "fifth"]

  /// Nil for other texts.
  static func rule(_ text: String) -> Schedule.Rule? {
    let words = text.lowercased().split(separator: " ").map(String.init)
    if words.first == "every" {
      return interval(words) ?? everyDay(words)
    }
    return ofMonth(words)
  }

  /// Reads `every N minutes [synchronized | from HH:MM to HH:MM]`.
  private static func interval(_ words: [String]) -> Schedule.Rule? {
    guard words.count >= 3, let number = Int(words[1]), number > 0 else { return nil }
    let minutes: Int
    switch words[2] {
    case "minute", "minutes", "mins", "min": minutes = number
    case "hour", "hours": minutes = number * 60
    default: return nil
    }
    guard minutes <= 366 * 1_440 else { return nil }
    switch words.count {
    case 3: return .interval(Int64(minutes) * 60)
    case 4 where words[3] == "synchronized":
      guard 1_440 % minutes == 0 else { return nil }
      return days(minutes: Array(stride(from: 0, to: 1_440, by: minutes)))
    case 7 where words[3] == "from" && words[5] == "to":
      guard let start = time(words[4]), let end = time(words[6]) else { return nil }
      let last = end < start ? end + 1_440 : end
      let all = stride(from: start, through: last, by: minutes).map { $0 % 1_440 }
      return days(minutes: Set(all).sorted())
    default: return nil
    }
  }

  private static func days(minutes: [Int]) -> Schedule.Rule {
    var rule = Schedule.DayRule()
    rule.minutes = minutes
    return .days(rule)
  }

  /// Reads `every day HH:MM` and `every mon,tue [of jan,feb] HH:MM`.
  private static func everyDay(_ words: [String]) -> Schedule.Rule? {
    guard words.count >= 3, let minute = time(words[words.count - 1]) else { return nil }
    var rule = Schedule.DayRule()
    rule.minutes = [minute]
    if words[1] != "day" {
      guard let found = list(words[1], weekday) else { return nil }
      rule.weekdays = found
    }
    switch words.count {
    case 3: break
    case 5 where words[2] == "of":
      guard let found = monthsNamed(words[3]) else { return nil }
      rule.months = found
    default: return nil
    }
    return .days(rule)
  }

  /// Reads `1st,third monday of month 12:00`, `1 of jan,apr 00:00` and `1st,15 day of month 09:00`.
  private static func ofMonth(_ words: [String]) -> Schedule.Rule? {
    guard words.count >= 4, let minute = time(words[words.count - 1]),
      let numbers = list(words[0], ordinal), words[words.count - 3] == "of",
      let months = monthsNamed(words[words.count - 2])
    else { return nil }
    var rule = Schedule.DayRule()
    rule.minutes = [minute]
    rule.months = months
    switch words.count {
    case 4: rule.days = numbers
    case 5 where words[1] == "day": rule.days = numbers
    case 5:
      guard let found = list(words[1], weekday), numbers.isSubset(of: Set(1...5)) else {
        return nil
      }
      rule.weekdays = found
      rule.weeks = numbers
    default: return nil
    }
    return .days(rule)
  }

  private static func list(_ text: String, _ read: (Substring) -> Int?) -> Set<Int>? {
    var result: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = read(part) else { return nil }
      result.insert(number)
    }
    return result.isEmpty ? nil : result
  }

  private static func monthsNamed(_ text: String) -> Set<Int>? {
    if text == "month" { return Set(1...12) }
    return list(text) { part in
      part.count >= 3 ? months.firstIndex(of: String(part.prefix(3))).map { $0 + 1 } : nil
    }
  }

  private static func weekday(_ text: Substring) -> Int? {
    text.count >= 3 ? weekdays.firstIndex(of: String(text.prefix(3))) : nil
  }

  private static func ordinal(_ text: Substring) -> Int? {
    if let index = ordinals.firstIndex(of: String(text)) { return index + 1 }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let suffix = text.dropFirst(digits.count)
    guard ["", "st", "nd", "rd", "th"].contains(suffix), let number = Int(digits),
      (1...31).contains(number)
    else { return nil }
    return number
  }

  /// Minutes since midnight.
  private static func time(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 2, let hour = Int(parts[0]),
      let minute = Int(parts[1]), (0...23).contains(hour), (0...59).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }
}

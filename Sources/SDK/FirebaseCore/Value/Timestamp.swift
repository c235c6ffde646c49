import Foundation

/// A point in time: seconds since 1970 and nanoseconds, from the year 1 to 9999.
public final class Timestamp: NSObject, NSCopying, Sendable, Codable {
  /// Seconds since the beginning of 1970 in UTC.
  public let seconds: Int64
  /// The fraction of the second, always counted forwards: 0 to 999 999 999.
  public let nanoseconds: Int32

  /// A point in time; traps outside the years 1 to 9999.
  public init(seconds: Int64, nanoseconds: Int32) {
    if let problem = Self.problem(seconds, nanoseconds) { fatalError(problem) }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// A date's point in time, truncated to nanoseconds.
  public convenience init(date: Date) {
    let interval = date.timeIntervalSince1970
    let whole = interval.rounded(.down)
    self.init(
      seconds: Int64(whole),
      nanoseconds: min(999_999_999, Int32((interval - whole) * 1_000_000_000))
    )
  }

  /// Returns the problem with the parts of a point in time; nil if there is none.
  package static func problem(_ seconds: Int64, _ nanoseconds: Int32) -> String? {
    if !(0..<1_000_000_000 ~= nanoseconds) {
      return "Timestamp nanoseconds out of range: \(nanoseconds)"
    }
    if !(-62_135_596_800..<253_402_300_800 ~= seconds) {
      return "Timestamp seconds out of range: \(seconds)"
    }
    return nil
  }

  /// This moment.
  public convenience override init() { self.init(date: Date()) }

  /// A date's point in time; nil outside the years 1 to 9999 and where the date is no number.
  package static func checked(date: Date) -> Timestamp? {
    let interval = date.timeIntervalSince1970
    guard let seconds = Int64(exactly: interval.rounded(.down)) else { return nil }
    let fraction = Int32((interval - Double(seconds)) * 1_000_000_000)
    return checked(seconds: seconds, nanoseconds: min(999_999_999, fraction))
  }

  /// Nil outside the years 1 to 9999.
  package static func checked(seconds: Int64, nanoseconds: Int32) -> Timestamp? {
    guard problem(seconds, nanoseconds) == nil else { return nil }
    return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// The point in time as a date, as exactly as a date can say it.
  public func dateValue() -> Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
  }

  /// Compares two points in time.
  public func compare(_ other: Timestamp) -> ComparisonResult {
    let left = (seconds, nanoseconds)
    let right = (other.seconds, other.nanoseconds)
    if left < right { return .orderedAscending }
    return left > right ? .orderedDescending : .orderedSame
  }

  /// Itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// True for a timestamp of the same seconds and nanoseconds.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Timestamp else { return false }
    return seconds == other.seconds && nanoseconds == other.nanoseconds
  }

  /// A hash of the seconds and the nanoseconds.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(seconds)
    hasher.combine(nanoseconds)
    return hasher.finalize()
  }

  /// The seconds and nanoseconds in the form of Google's SDK, for logs.
  public override var description: String {
    "<FIRTimestamp: seconds=\(seconds) nanoseconds=\(nanoseconds)>"
  }

  private enum CodingKeys: String, CodingKey {
    case seconds
    case nanoseconds
  }

  /// Reads the members `seconds` and `nanoseconds`.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let seconds = try container.decode(Int64.self, forKey: .seconds)
    let nanoseconds = try container.decode(Int32.self, forKey: .nanoseconds)
    guard let checked = Timestamp.checked(seconds: seconds, nanoseconds: nanoseconds) else {
      throw DecodingError.dataCorruptedError(
        forKey: .seconds,
        in: container,
        debugDescription: "A timestamp of the years 1 to 9999 was expected."
      )
    }
    self.init(seconds: checked.seconds, nanoseconds: checked.nanoseconds)
  }

  /// Writes the members `seconds` and `nanoseconds`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(seconds, forKey: .seconds)
    try container.encode(nanoseconds, forKey: .nanoseconds)
  }
}

import Foundation
import KeyValueStore

/// When a message is sent: at one instant or at a time of each device's own clock, once or again and again.
package struct MessageSchedule: Sendable, Equatable {
  /// The time of the first message.
  package enum Time: Sendable, Equatable {
    /// Microseconds since 1970.
    case instant(Int64)
    case local(LocalTime)
  }

  /// The repetition of a message: every so many days, weeks or months after the first time.
  package struct Recurrence: Sendable, Equatable {
    /// A part of the calendar.
    package enum Unit: UInt8, Sendable, CaseIterable {
      case day = 1
      case week, month

      /// As requests have it.
      package var name: String { "\(self)".uppercased() }
    }

    /// The part of the calendar by which `interval` counts.
    package let unit: Unit
    /// Units from one message to the next: 1 to 366.
    package let interval: Int
    /// No message after it, in microseconds; nil is without an end.
    package let until: Int64?

    /// A rule of those parts; INVALID_ARGUMENT for an interval that is not of 1 to 366.
    package init(every interval: Int, _ unit: Unit, until: Int64?) throws(MessagingError) {
      guard (1...366).contains(interval) else {
        throw .invalid("repeat.interval", "The interval must be between 1 and 366.")
      }
      self.unit = unit
      self.interval = interval
      self.until = until
    }
  }

  /// The time of the first message, from which every repetition is computed.
  package let first: Time
  /// The zone whose days and months repetitions count by, and that of devices which tell none.
  package let zone: TimeZone
  /// The rule for further messages; nil for a message that is sent once.
  package let recurrence: Recurrence?
  /// The number of times before this one.
  package private(set) var number: Int64 = 0

  /// A schedule of those parts.
  package init(_ first: Time, zone: TimeZone = .gmt, recurrence: Recurrence? = nil) {
    self.first = first
    self.zone = zone
    self.recurrence = recurrence
  }

  /// The time of this message; the last day of a month that lacks the first one's.
  package var time: Time {
    guard let recurrence, number > 0 else { return first }
    switch first {
    case .instant(let instant): return .instant(Self.adding(recurrence, number, to: instant, zone))
    case .local(let local):
      let moved = Self.adding(recurrence, number, to: local.seconds * 1_000_000, .gmt)
      return .local(LocalTime(seconds: moved / 1_000_000))
    }
  }

  private static func adding(
    _ recurrence: Recurrence,
    _ number: Int64,
    to instant: Int64,
    _ zone: TimeZone
  ) -> Int64 {
    let unit: Calendar.Component =
      switch recurrence.unit {
      case .day: .day
      case .week: .weekOfYear
      case .month: .month
      }
    let (seconds, rest) = instant.quotientAndRemainder(dividingBy: 1_000_000)
    let moved = Calendar.gregorian(zone).date(
      byAdding: unit,
      value: Int(number) * recurrence.interval,
      to: Date(timeIntervalSince1970: TimeInterval(seconds))
    )
    guard let moved else { return .max / 2 }
    return Int64(moved.timeIntervalSince1970.rounded()) * 1_000_000 + rest
  }

  /// When work on the message begins, in microseconds: at its instant, or when the first clocks show its time.
  package var release: Int64 {
    switch time {
    case .instant(let instant): instant
    case .local(let local): local.earliest
    }
  }

  /// When it is sent to a device that says that zone, in microseconds; nil is at once.
  func instant(forZone name: String) -> Int64? {
    guard case .local(let local) = time else { return nil }
    return local.instant(in: name.isEmpty ? zone : TimeZone(identifier: name) ?? zone)
  }

  /// When it is sent to the last devices, in microseconds.
  var latest: Int64 {
    switch time {
    case .instant(let instant): instant
    case .local(let local): local.latest
    }
  }

  /// The schedule of this one message alone; nil where its time is an instant.
  var alone: MessageSchedule? {
    if case .local = time { MessageSchedule(time, zone: zone) } else { nil }
  }

  /// The next time that is not past yet; nil behind the last.
  func next(after now: Int64) -> MessageSchedule? {
    guard let recurrence else { return nil }
    var next = self
    repeat { next.number += 1 } while next.latest <= now
    return recurrence.until.map { next.release > $0 } ?? false ? nil : next
  }
}

extension MessageSchedule {
  /// A record: 1 the instant, 2 the local time, 3 the zone, 4 the unit, 5 the interval, 6 the end, 7 the number.
  init(_ record: RecordReader) throws {
    var record = record
    var time = Time.instant(0)
    var (zone, unit, interval) = (TimeZone.gmt, Recurrence.Unit?.none, Int64(0))
    var (until, number): (Int64?, Int64) = (nil, 0)
    while let field = try record.next() {
      switch field.tag {
      case 1: time = .instant(try field.number())
      case 2: time = .local(LocalTime(seconds: try field.number()))
      case 3: zone = TimeZone(identifier: try field.string()) ?? .gmt
      case 4: unit = field.raw.first.flatMap(Recurrence.Unit.init(rawValue:))
      case 5: interval = try field.number()
      case 6: until = try field.number()
      case 7: number = try field.number()
      default: break
      }
    }
    let recurrence = try unit.map { try Recurrence(every: Int(interval), $0, until: until) }
    self.init(time, zone: zone, recurrence: recurrence)
    self.number = number
  }

  func write(to writer: inout RecordWriter) {
    switch first {
    case .instant(let instant): writer.put(1, instant)
    case .local(let local): writer.put(2, local.seconds)
    }
    writer.put(3, zone.identifier)
    if let recurrence {
      writer.put(4, bytes: [recurrence.unit.rawValue])
      writer.put(5, Int64(recurrence.interval))
      writer.put(6, recurrence.until)
    }
    writer.put(7, number)
  }
}

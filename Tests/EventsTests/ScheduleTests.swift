import BaseStatus
import Foundation
import Testing

@testable import Events

/// Times of schedules.
@Suite struct ScheduleTests {
  @Test(arguments: [
    ("*/5 * * * *", "UTC", "2026-11-28T10:02:00Z", "2026-11-28T10:05:00Z"),
    ("0 9 * * 1-5", "UTC", "2026-11-27T09:00:00Z", "2026-11-30T09:00:00Z"),
    ("0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"),
    ("0 0 13 * fri", "UTC", "2026-11-14T00:00:00Z", "2026-11-20T00:00:00Z"),
    ("30 6 * * *", "America/Sao_Paulo", "2026-11-28T00:00:00Z", "2026-11-28T09:30:00Z"),
    // Clocks go forward over 02:30 and back over 01:30 in New York.
    ("30 2 * * *", "America/New_York", "2026-03-08T06:00:00Z", "2026-03-08T07:30:00Z"),
    ("30 1 * * *", "America/New_York", "2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"),
    ("30 * * * *", "America/New_York", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"),
    ("every 5 minutes", "UTC", "2026-11-28T10:02:00Z", "2026-11-28T10:07:00Z"),
    ("every 2 hours synchronized", "UTC", "2026-11-28T10:02:00Z", "2026-11-28T12:00:00Z"),
    ("every 1 hours from 08:00 to 10:00", "UTC", "2026-11-28T10:00:00Z", "2026-11-29T08:00:00Z"),
    ("every day 09:00", "Asia/Tokyo", "2026-11-28T00:00:00Z", "2026-11-29T00:00:00Z"),
    ("every monday 09:00", "UTC", "2026-11-28T00:00:00Z", "2026-11-30T09:00:00Z"),
    ("1st monday of month 12:00", "UTC", "2026-11-28T00:00:00Z", "2026-12-07T12:00:00Z"),
    ("first,third mon of jan,feb 12:00", "UTC", "2026-11-28T00:00:00Z", "2027-01-04T12:00:00Z"),
    ("1 of jan 00:00", "UTC", "2026-11-28T00:00:00Z", "2027-01-01T00:00:00Z"),
    ("2nd,15th day of month 10:00", "UTC", "2026-11-28T00:00:00Z", "2026-12-02T10:00:00Z"),
  ])
  func `a schedule has its next time`(
    text: String,
    zone: String,
    after: String,
    next: String
  ) throws {
    let schedule = try Self.schedule(text, zone)
    #expect(schedule.next(after: try Self.seconds(after)) == (try Self.seconds(next)))
  }

  @Test(arguments: [
    "", "* * * *", "60 * * * *", "* * * * 8", "a b c d e", "*/0 * * * *", "5-1 * * * *",
    "every", "every 0 minutes", "every 5 weeks", "every blueday 09:00", "every day 24:00",
    "6th monday of month 12:00", "every 7 minutes synchronized", "1st monday of month",
  ])
  func `a text that is no schedule is refused`(text: String) {
    #expect(throws: ServiceError.self) { try Self.schedule(text, "UTC") }
  }

  @Test func `an unknown time zone is refused, and a schedule without dates never comes`() throws {
    #expect(throws: ServiceError.self) { try Self.schedule("* * * * *", "Mars/Olympus") }
    #expect(try Self.schedule("0 0 31 2 *", "UTC").next(after: 0) == nil)
  }

  private static func schedule(_ text: String, _ zone: String) throws -> Schedule {
    var declared = ScheduleDeclaration(function: "f", schedule: text)
    declared.timeZone = zone
    return try Schedule(declared)
  }

  private static func seconds(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
  }
}

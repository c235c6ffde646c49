import BaseJSON
import FirestoreModel
import FirestoreWire
import Foundation
import PushMessaging

/// The time at which a request wants its message sent.
///
///     {"scheduleTime": "2027-01-15T08:00:00Z"} or {"localTime": "2027-01-15T09:00"}, with
///     {"timeZone": "America/Sao_Paulo", "repeat": {"every": "WEEK", "interval": 2, "until": "2027-06-30T00:00:00Z"}}
package struct ScheduleForm {
  /// The members that say it.
  static let members: Set<String> = ["scheduleTime", "localTime", "timeZone", "repeat"]

  /// The schedule that the members describe; UTC where they name no time zone.
  package let schedule: MessageSchedule

  /// Reads the members; INVALID_ARGUMENT names the wrong one.
  package init(_ json: JSONValue) throws(MessagingError) {
    schedule = MessageSchedule(
      try Self.time(json),
      zone: try Self.zone(json["timeZone"]),
      recurrence: try Self.recurrence(json["repeat"])
    )
  }

  /// The instant that absolute times in the message count from, in microseconds.
  package var reference: Int64 {
    switch schedule.first {
    case .instant(let instant): instant
    case .local(let local): local.instant(in: schedule.zone)
    }
  }

  private static func time(_ json: JSONValue) throws(MessagingError) -> MessageSchedule.Time {
    switch (json["scheduleTime"], json["localTime"]) {
    case (let time?, nil): return .instant(try instant(time, "scheduleTime"))
    case (nil, let time?):
      guard let local = time.string.flatMap({ LocalTime($0) }) else {
        throw .invalid(
          "localTime",
          "localTime must have the form 2027-01-15T09:00, without a zone."
        )
      }
      return .local(local)
    default: throw .invalid("scheduleTime", "One of scheduleTime and localTime is expected.")
    }
  }

  private static func instant(
    _ json: JSONValue,
    _ field: String
  ) throws(MessagingError) -> Int64 {
    guard let time = json.string.flatMap({ TimestampText.parse($0) }) else {
      throw .invalid(field, "\(field) is like 2027-01-15T08:00:00Z.")
    }
    return time.microseconds
  }

  private static func zone(_ json: JSONValue?) throws(MessagingError) -> TimeZone {
    guard let json else { return .gmt }
    guard let name = json.string, let zone = TimeZone(identifier: name) else {
      throw .invalid("timeZone", "timeZone must be a name such as America/Sao_Paulo.")
    }
    return zone
  }

  private static func recurrence(
    _ json: JSONValue?
  ) throws(MessagingError) -> MessageSchedule.Recurrence? {
    guard let json else { return nil }
    let word = json["every"]?.string?.uppercased()
    guard let unit = MessageSchedule.Recurrence.Unit.allCases.first(where: { $0.name == word })
    else { throw .invalid("repeat.every", "every must be DAY, WEEK or MONTH.") }
    let interval = json["interval"].map { $0.integer ?? 0 } ?? 1
    return try MessageSchedule.Recurrence(
      every: Int(interval),
      unit,
      until: try json["until"].map { json throws(MessagingError) in
        try instant(json, "repeat.until")
      }
    )
  }
}

extension MessageSchedule {
  /// The members that say it, for reports.
  var members: [JSONValue.Member] {
    var members: [JSONValue.Member] =
      switch time {
      case .instant(let instant): [.init("scheduleTime", .string(Self.text(instant)))]
      case .local(let local): [.init("localTime", .string(local.text))]
      }
    members.append(.init("timeZone", .string(zone.identifier)))
    guard let recurrence else { return members }
    var rule: [JSONValue.Member] = [
      .init("every", .string(recurrence.unit.name)),
      .init("interval", .integer(recurrence.interval)),
    ]
    if let until = recurrence.until { rule.append(.init("until", .string(Self.text(until)))) }
    return members + [.init("repeat", .object(rule))]
  }

  private static func text(_ microseconds: Int64) -> String {
    let instant = Timestamp(microseconds: microseconds)
    return TimestampText.format(seconds: instant.seconds, nanos: instant.nanos)
  }
}

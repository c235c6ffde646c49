import KeyValueStore

/// The settings of a project's analytics.
package struct AnalyticsSettings: Sendable, Equatable {
  /// The time zone of days; a change counts for later days.
  package var zone = "UTC"
  /// Days for which events are kept, about 14 months at first; the counts are kept.
  package var retentionDays = 425
  /// The events that people look at first, in order; marking one changes no count.
  package var keyEvents: [String] = []

  /// The settings of a new project.
  package init() {}
}

/// A project as it is kept.
struct ProjectRecord: Sendable, Equatable {
  var number: UInt32
  var settings = AnalyticsSettings()
  /// The first day whose events are whole; earlier ones may have been dropped.
  var keptFrom = EventDay(Int(Int32.min))
  /// The first day whose sessions may not be counted yet: days were sealed before sessions were.
  var sessionsMissingFrom = Self.never

  /// A day after all others.
  static let never = EventDay(Int(Int32.max))

  init(number: UInt32) { self.number = number }

  init(decoding bytes: [UInt8]) throws {
    var reader = try RecordReader(bytes)
    number = 0
    sessionsMissingFrom = EventDay(Int(Int32.min))
    while let field = try reader.next() {
      switch field.tag {
      case 1: number = UInt32(truncatingIfNeeded: try field.number())
      case 2: settings.zone = try field.string()
      case 3: settings.retentionDays = Int(try field.number())
      case 4: keptFrom = EventDay(Int(try field.number()))
      case 5: sessionsMissingFrom = EventDay(Int(try field.number()))
      case 6: settings.keyEvents.append(try field.string())
      default: continue
      }
    }
    guard number > 0 else { throw RecordReader.corrupt("a project without a number") }
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, Int64(number))
    writer.put(2, settings.zone)
    writer.put(3, Int64(settings.retentionDays))
    writer.put(4, Int64(keptFrom.number))
    writer.put(5, Int64(sessionsMissingFrom.number))
    for name in settings.keyEvents { writer.put(6, name) }
    return writer.bytes
  }
}

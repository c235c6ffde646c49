import BaseText
import KeyValueStore

extension EventAnalytics {
  /// The days of which a project has events, in order; blocks.
  package func daysWithEvents(of project: Text) throws -> [EventDay] {
    try view(of: project) { view in
      let prefix = EventKey.numbered(.timeline, view.project)
      let cursor = try view.reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
      var days: [EventDay] = []
      var hasMore = try cursor.next()
      while hasMore {
        let day = try EventKey.requiredNumber(cursor.key, at: 5)
        days.append(EventDay(key: day))
        guard day < .max else { break }
        hasMore = try cursor.seek(EventKey.numbered(.timeline, view.project, day + 1))
      }
      return days
    } ?? []
  }

  /// Hands out some instances' events of a day, and answers where the next ones begin; nil is the end.
  ///
  /// Blocks, for a few milliseconds: a day is read in so many parts.
  ///
  /// - Parameters:
  ///   - instance: The instance to begin with, 0 first.
  ///   - body: Gets an event, and whether its instance was active on the day.
  package func export(
    _ day: EventDay,
    of project: Text,
    from instance: UInt32,
    atMost count: Int,
    _ body: (RecordedEvent, _ isActive: Bool) throws -> Void
  ) throws -> UInt32? {
    try view(of: project) { view in
      var timelines = try TimelineReader(project: view.project, day: day, reader: view.reader)
      var decoder = EventDecoder(project: view.project, reader: view.reader)
      var left = count
      if instance > 0 { try timelines.skip(to: instance) }
      while let (number, runs) = try timelines.next() {
        guard left > 0 else { return number }
        let events = try decoder.events(runs, of: number)
        let isActive = number != 0 && events.contains(where: \.event.isActivity)
        for event in events {
          try body(event, isActive)
          left -= 1
        }
      }
      return nil
    } ?? nil
  }
}

import BaseText
import KeyValueStore

/// The subject of events: an installation, or all installations that a user id was set on.
package enum EventSubject: Sendable, Equatable {
  case instance(String)
  case user(String)
}

extension EventAnalytics {
  /// The events of an instance or a user, the newest first, at most so many.
  ///
  /// Blocks.
  package func timeline(
    of subject: EventSubject,
    project: Text,
    _ range: DayRange,
    limit: Int
  ) throws -> [RecordedEvent] {
    try view(of: project) { view in
      let instances = try view.instances(of: subject)
      var decoder = EventDecoder(project: view.project, reader: view.reader)
      var found: [RecordedEvent] = []
      for day in range.days.reversed() where found.count < limit {
        var ofDay: [RecordedEvent] = []
        for (number, record) in instances
        where (record.firstDay...record.lastDay).contains(day) {
          var timelines = try TimelineReader(project: view.project, day: day, reader: view.reader)
          ofDay += try decoder.events(timelines.runs(at: number), of: number)
        }
        if case .user(let id) = subject { ofDay.removeAll { $0.userID != id } }
        ofDay.sort {
          ($0.event.time, $0.event.sequence) > ($1.event.time, $1.event.sequence)
        }
        found += ofDay
      }
      return Array(found.prefix(limit))
    } ?? []
  }
}

extension AnalyticsView {
  /// The instances of a subject, ascending by their numbers.
  func instances(
    of subject: EventSubject
  ) throws -> [(number: UInt32, record: InstanceRecord)] {
    switch subject {
    case .instance(let id):
      return try InstanceName.all(id).compactMap { try instance($0) }
        .map { (number: $0.number, record: $0) }.sorted { $0.number < $1.number }
    case .user(let id):
      let prefix = EventKey.named(.user, project, id)
      let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
      let ids = EventDecoder(project: project, reader: reader)
      var found: [(UInt32, InstanceRecord)] = []
      while try cursor.next() {
        let number = try EventKey.requiredNumber(cursor.key, at: prefix.count)
        guard let id = try ids.instanceID(number), let record = try instance(id) else { continue }
        found.append((number, record))
      }
      return found
    }
  }

  func instance(_ id: String) throws -> InstanceRecord? {
    try reader.get(EventKey.named(.instance, project, id)).map { try InstanceRecord(decoding: $0) }
  }
}

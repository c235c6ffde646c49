import BaseText
import KeyValueStore

extension ProjectRecords {
  /// A project's events with their counts, words and audiences.
  package static let events = ProjectRecords(
    of: .events,
    shared: [KeyRange(prefix: EventKey.projects)]
  ) { project, reader, take in
    let name = EventKey.project(Text(project))
    guard let record = try reader.get(name) else { return }
    let number = try ProjectRecord(decoding: record).number
    try take(name, record)
    let first = EventKey.Kind.counters.rawValue
    for kind in first...KeyOwner.events.firstBytes.upperBound {
      var prefix = [kind]
      EventKey.append(number, to: &prefix)
      try reader.take(KeyRange(prefix: prefix), take)
    }
  }
}

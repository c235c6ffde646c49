import KeyValueStore

extension ProjectRecords {
  /// A project's triggers with their pending events and dead letters, its topics and the names of its tasks.
  package static let triggers = ProjectRecords(
    of: .triggers,
    shared: [EventKey(.number).range]
  ) { project, reader, take in
    var triggers: Set<Int64> = []
    try reader.take(EventKey(.trigger).text(project).range) { key, value in
      triggers.insert(try StoredTrigger(decoding: value).number)
      try take(key, value)
    }
    try reader.take(EventKey(.topic).text(project).range, take)
    var events: Set<EventSequence> = []
    for trigger in triggers.sorted() {
      for kind in [EventKey.Kind.order, .due, .fired, .task] {
        try reader.take(EventKey(kind).number(trigger).range, take)
      }
      for kind in [EventKey.Kind.pending, .dead] {
        try reader.take(EventKey(kind).number(trigger).range) { key, value in
          events.insert(try key.withUnsafeBytes { try EventKey.sequence(atEndOf: $0) })
          try take(key, value)
        }
      }
    }
    try reader.take(
      EventKey(.deadSince).range,
      where: { key, _ in triggers.contains(try EventKey.number(in: key, at: 10)) },
      take
    )
    for event in events.sorted() {
      try reader.take(KeyRange(prefix: EventKey.event(event)), take)
    }
  }
}

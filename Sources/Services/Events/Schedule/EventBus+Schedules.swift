import KeyValueStore

/// A schedule's state in memory.
struct ScheduleState: Sendable {
  let schedule: Schedule
  /// The next firing in microseconds; nil for never.
  var next: Int64?
}

extension EventBus {
  /// Writes a firing for each schedule whose time has come.
  ///
  /// A schedule that missed several times fires once. The firing and the time up to which the schedule is done are one write,
  /// so no node fires twice.
  func fireSchedules(now: Int64) async throws {
    for (number, trigger) in tap.triggers.triggers {
      guard case .schedule(let declared) = trigger.stored.cause else { continue }
      let state = try await scheduleState(number, declared)
      guard let next = state.next, next <= now else { continue }
      try await fire(trigger, state.schedule, now: now)
      schedules.withLock { $0[number] = nil }
    }
  }

  private func scheduleState(
    _ number: Int64,
    _ declared: ScheduleDeclaration
  ) async throws -> ScheduleState {
    if let known = schedules.withLock({ $0[number] }) { return known }
    let schedule = try Schedule(declared)
    let fired = try await threads.run(on: .intake) { [engine] in
      try engine.get(EventKey(.fired).number(number).bytes, cachedOnly: false)
    }
    guard case .found(let value) = fired else {
      return ScheduleState(schedule: schedule, next: nil)
    }
    let last = try EventKey.decoded(value)
    let state = ScheduleState(
      schedule: schedule,
      next: schedule.next(after: last / 1_000_000).map { $0 * 1_000_000 }
    )
    schedules.withLock { $0[number] = state }
    return state
  }

  private func fire(_ trigger: Trigger, _ schedule: Schedule, now: Int64) async throws {
    let number = trigger.number
    let key = EventKey(.fired).number(number).bytes
    try await write { [tap] group in
      // Gone, or fired by another node.
      guard let value = try group.get(key),
        let due = schedule.next(after: try EventKey.decoded(value) / 1_000_000)
      else { return }
      guard due * 1_000_000 <= now else { return }
      var latest = due
      if case .days = schedule.rule {
        // The latest of those that were missed is the one that is made up.
        var steps = 0
        while steps < 10_000, let next = schedule.next(after: latest), next * 1_000_000 <= now {
          latest = next
          steps += 1
        }
      } else {
        latest = now / 1_000_000
      }
      try group.put(key, EventKey.encoded(latest * 1_000_000))
      var event = StoredEvent(family: nil, project: trigger.stored.project)
      event.subject = trigger.stored.name
      event.time = latest * 1_000_000
      event.triggers = [number]
      let sequence = EventSequence(version: try group.allocateVersion(), ordinal: 0)
      try tap.add(event, sequence, order: trigger.stored.name, in: group)
    }
  }

  /// Fires a schedule at once, beside its times; false where the project has none of that name.
  package func fireNow(_ name: String, codebase: String, project: String) async throws -> Bool {
    let found = tap.triggers.triggers.values.first {
      $0.stored.role == "schedule" && $0.stored.project == project && $0.stored.name == name
        && $0.stored.codebase == codebase
    }
    guard let trigger = found else { return false }
    let now = now
    try await write { [tap] group in
      var event = StoredEvent(family: nil, project: project)
      event.subject = name
      event.time = now
      event.triggers = [trigger.number]
      let sequence = EventSequence(version: try group.allocateVersion(), ordinal: 0)
      try tap.add(event, sequence, order: name, in: group)
    }
    return true
  }

  /// The next times of a schedule in microseconds; empty for one that is unknown or has no further
  /// time.
  ///
  /// Blocks.
  package func nextFirings(of trigger: StoredTrigger, count: Int) throws -> [Int64] {
    guard case .schedule(let declared) = trigger.cause else { return [] }
    let schedule = try Schedule(declared)
    let key = EventKey(.fired).number(trigger.number).bytes
    guard let value = try engine.read({ try $0.get(key) }) else { return [] }
    var times: [Int64] = []
    var last = try EventKey.decoded(value) / 1_000_000
    while times.count < count, let next = schedule.next(after: last) {
      times.append(next * 1_000_000)
      last = next
    }
    return times
  }

  /// The next time of a schedule in microseconds; nil for one that is unknown or never comes.
  package func nextFiring(of trigger: StoredTrigger) -> Int64? {
    schedules.withLock { $0[trigger.number]?.next }
  }
}

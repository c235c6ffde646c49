import BaseText
import KeyValueStore

/// The room that the disk has for events.
package enum SpaceLevel: Sendable {
  /// Enough for all.
  case room
  /// Less than twice the reserve: senders that prove nothing are refused.
  case low
  /// Less than the reserve: all senders are refused.
  case short

  init(available: Int, reserve: Int) {
    self = available < reserve ? .short : available / 2 < reserve ? .low : .room
  }

  /// Returns true if batches of such senders are taken.
  func takes(_ standing: SenderStanding) -> Bool {
    switch self {
    case .room: true
    case .low: standing.isProven
    case .short: false
    }
  }
}

/// A change of the room on the disk, or what was done about it, for the operator.
package enum SpaceNotice: Sendable, Equatable {
  /// A project's day of events.
  package struct Day: Sendable, Equatable {
    /// The project's id.
    package let project: Text
    /// A day in the project's time zone.
    package let day: EventDay
  }

  /// Senders that prove nothing are refused; `next` is the day that would be dropped, where days may be.
  case low(available: Int, next: Day?)
  /// All senders are refused; `next` is the next day to drop, if days may be dropped.
  case short(available: Int, next: Day?)
  /// There is room again.
  case room(available: Int)
  /// The events of a day were dropped.
  case dropped(Day)
}

extension EventAnalytics {
  /// The room that there was when it was last looked at.
  var space: SpaceLevel { upkeep.withLock { $0.space } }

  /// Between two days that are dropped for want of room.
  static let dropPause: Int64 = 10 * 60_000_000
  /// After which the operator is notified again of a disk without room.
  private static let noticePause: Int64 = 3_600_000_000

  /// Checks that the disk keeps its reserve; true where some of a day was dropped.
  ///
  /// If it does not, batches are refused until there is room again. If the operator allows it
  /// (`keptDays`), the oldest events of all projects are dropped, too: one day at a time, since the
  /// disk has its room back only some time after they went.
  func keepReserve() throws -> Bool {
    guard let available = try configuration.availableBytes?() else { return false }
    let level = SpaceLevel(available: available, reserve: configuration.reserveBytes)
    try tell(level, available)
    guard level == .short, let oldest = try oldestDroppableDay() else { return false }
    let now = clock.now()
    let mayDrop = upkeep.withLock { upkeep in
      guard let time = upkeep.droppedTime else { return true }
      guard now - time >= Self.dropPause else { return false }
      upkeep.droppedTime = nil
      return true
    }
    return try mayDrop && drop(oldest.day, of: oldest.log)
  }

  /// Notifies the operator where the level is another one, and every hour while there is no room.
  private func tell(_ level: SpaceLevel, _ available: Int) throws {
    let now = clock.now()
    let isNews = upkeep.withLock { upkeep in
      let isOld = level != .room && now - upkeep.toldSpace >= Self.noticePause
      guard upkeep.space != level || isOld else { return false }
      (upkeep.space, upkeep.toldSpace) = (level, now)
      return true
    }
    guard isNews, let onSpace = configuration.onSpace else { return }
    let next = try level == .room ? nil : oldestDroppableDay()
    let day = next.map { SpaceNotice.Day(project: $0.log.name, day: $0.day) }
    switch level {
    case .room: onSpace(.room(available: available))
    case .low: onSpace(.low(available: available, next: day))
    case .short: onSpace(.short(available: available, next: day))
    }
  }

  /// The oldest day of all projects that the operator lets go; nil where there is none.
  private func oldestDroppableDay() throws -> (log: ProjectLog, day: EventDay)? {
    guard let keptDays = configuration.keptDays else { return nil }
    var oldest: (log: ProjectLog, day: EventDay)?
    for log in logs {
      let firstKept = today(of: log.name).advanced(by: 1 - max(keptDays, 1))
      guard let day = try firstDay(of: log), day < firstKept else { continue }
      if oldest.map({ day < $0.day }) ?? true { oldest = (log, day) }
    }
    return oldest
  }

  /// Drops some of a day of events, the oldest of its project; false where there is none.
  private func drop(_ day: EventDay, of log: ProjectLog) throws -> Bool {
    let end = day.advanced(by: 1)
    guard try dropEvents(of: log, before: end) else { return false }
    if try firstDay(of: log).map({ $0 >= end }) ?? true {
      upkeep.withLock { $0.droppedTime = clock.now() }
      state.withLock { $0.counts.daysDropped += 1 }
      configuration.onSpace?(.dropped(SpaceNotice.Day(project: log.name, day: day)))
      let first = EventKey.numbered(.timeline, log.number)
      try configuration.freeSpace?(
        KeyRange(lower: first, upper: EventKey.numbered(.timeline, log.number, end.key))
      )
    }
    return true
  }

  private func firstDay(of log: ProjectLog) throws -> EventDay? {
    try engine.read { reader in
      let range = KeyRange(prefix: EventKey.numbered(.timeline, log.number))
      let cursor = try reader.cursor(over: range, reversed: false)
      guard try cursor.next() else { return nil }
      return EventDay(key: try EventKey.requiredNumber(cursor.key, at: 5))
    }
  }
}

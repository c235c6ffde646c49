import BaseStatus
import BaseText

extension EventAnalytics {
  /// Sets a project's settings of analytics; throws INVALID_ARGUMENT for impossible ones.
  ///
  /// Earlier events are counted by the settings that were in force. Blocks.
  package func set(_ settings: AnalyticsSettings, of project: Text) throws {
    guard DayCalendar(settings.zone) != nil else {
      throw ServiceError.invalidArgument("There is no time zone \"\(settings.zone.prefix(60))\".")
    }
    guard (2...3_650).contains(settings.retentionDays) else {
      throw ServiceError.invalidArgument("The retention of events must be 2 to 3650 days.")
    }
    try check(keyEvents: settings.keyEvents)
    do {
      let log = try makeLog(of: project)
      try sealAll(of: log)
      try organizing.withLock { _ in
        var record = log.record
        record.settings = settings
        try store(record, of: log)
      }
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  private func check(keyEvents names: [String]) throws(ServiceError) {
    guard names.count <= EventLimits.keyEvents, Set(names).count == names.count else {
      throw .invalidArgument(
        "A project can have at most \(EventLimits.keyEvents) key events, without duplicates."
      )
    }
    for name in names {
      let problem = EventNames.problem(with: name, atMost: EventNames.length, "A key event")
      if let problem { throw .invalidArgument(problem.description) }
    }
  }

  /// Keeps a project's record; under `organizing`.
  func store(_ record: ProjectRecord, of log: ProjectLog) throws {
    let bytes = record.encoded
    try engine.write { group in try group.put(EventKey.project(log.name), bytes) }
    log.set(record)
  }

  /// The log of a project, made where it has none; blocks.
  func makeLog(of project: Text) throws -> ProjectLog {
    if let log = log(of: project) { return log }
    return adopt(project, try engine.write { group in try Self.makeProject(project, in: group) })
  }
}

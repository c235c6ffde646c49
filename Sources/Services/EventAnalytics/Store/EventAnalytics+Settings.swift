import FirestoreModel
import KeyValueStore

extension EventAnalytics {
  /// Sets what a project has to say about its analytics; INVALID_ARGUMENT for what cannot be.
  ///
  /// What came before is counted by the settings that were in force. Blocks.
  package func set(_ settings: AnalyticsSettings, of project: Text) throws {
    guard DayCalendar(settings.zone) != nil else {
      throw FirestoreError.invalidArgument("There is no time zone \"\(settings.zone.prefix(60))\".")
    }
    guard (2...3_650).contains(settings.retentionDays) else {
      throw FirestoreError.invalidArgument("Events are kept for 2 to 3650 days.")
    }
    do {
      let log = try makeLog(of: project)
      try sealAll(of: log)
      var record = ProjectRecord(number: log.number)
      record.settings = settings
      let bytes = record.encoded
      try engine.write { group in try group.put(EventKey.project(log.name), bytes) }
      log.set(settings)
    } catch {
      throw FirestoreError.analytics(error)
    }
  }

  /// The log of a project, made where it has none; blocks.
  func makeLog(of project: Text) throws -> ProjectLog {
    if let log = log(of: project) { return log }
    return adopt(project, try engine.write { group in try Self.makeProject(project, in: group) })
  }
}

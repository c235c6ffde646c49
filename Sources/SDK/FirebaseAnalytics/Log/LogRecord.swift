/// One step of a log's events.
enum LogRecord: Codable, Sendable, Hashable {
  /// All settings from here on.
  case settings(AnalyticsSettings)
  /// The context of the events that follow.
  case context(EventContext)
  case event(LoggedEvent)
  /// The first so many events that wait are a batch from here on.
  case batch(number: Int64, count: Int)
  /// The batch of that number is over: its events are forgotten.
  case finished(number: Int64)
  /// So many of the oldest events outside the batch were given up.
  case dropped(count: Int)
  /// All events and the batch are forgotten.
  case cleared
}

import EventAnalytics
import KeyValueRocksDB
import Logging

extension AnalyticsConfiguration {
  /// The configuration of a server: events leave the disk its reserve, and go only where the operator says so.
  static func served(
    by engine: RocksDBEngine,
    _ settings: EventSettings
  ) -> AnalyticsConfiguration {
    var configuration = AnalyticsConfiguration()
    configuration.availableBytes = { try engine.availableBytes() }
    configuration.freeSpace = { try engine.freeSpace(of: $0) }
    configuration.limits = settings.limits
    configuration.keptDays = settings.keptDays
    let log = Logger(label: "analytics")
    configuration.onSpace = { $0.write(to: log) }
    return configuration
  }
}

extension SpaceNotice {
  /// Notifies the operator.
  fileprivate func write(to log: Logger) {
    switch self {
    case .low(let available, let next):
      log.warning(
        "disk space is low: events of unauthenticated senders are refused",
        metadata: Self.metadata(available, next)
      )
    case .short(let available, let next):
      log.error(
        "disk space is too low for events: all batches are refused",
        metadata: Self.metadata(available, next)
      )
    case .room(let available):
      log.notice(
        "disk space suffices again: events are accepted",
        metadata: Self.metadata(available, nil)
      )
    case .dropped(let day):
      log.warning(
        "a day of events was deleted to free disk space",
        metadata: ["project": "\(day.project.string)", "day": "\(day.day.text)"]
      )
    }
  }

  private static func metadata(_ available: Int, _ next: Day?) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["available_bytes": "\(available)"]
    if let next {
      metadata["next_dropped_project"] = "\(next.project.string)"
      metadata["next_dropped_day"] = "\(next.day.text)"
    } else {
      metadata["dropped_days"] = "none"
    }
    return metadata
  }
}

import EventAnalytics
import ServiceModule

extension ServiceStorage {
  /// The events of all projects; maintenance seals and merges what came in.
  package static func analytics(_ analytics: EventAnalytics) -> ServiceStorage {
    var storage = ServiceStorage("analytics")
    storage.maintenance = { try analytics.maintain() }
    return storage
  }
}

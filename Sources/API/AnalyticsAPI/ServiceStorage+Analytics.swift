import EventAnalytics
import ServiceModule

extension ServiceStorage {
  /// The events of all projects; maintenance seals and merges what came in.
  package static func analytics(_ analytics: EventAnalytics) -> ServiceStorage {
    var storage = ServiceStorage("analytics")
    storage.maintenance = { try analytics.maintain() }
    storage.check = { _, tell in
      let seen = try analytics.verify { try tell(.difference($0)) }
      return [
        StorageCount(seen.events, "event"),
        StorageCount(seen.days, "day of events", plural: "days of events"),
      ]
    }
    storage.transfers = [transfer(analytics)]
    return storage
  }

  /// One line an event, one file a day; imported events are added to the existing ones.
  private static func transfer(_ analytics: EventAnalytics) -> StorageTransfer {
    StorageTransfer("events") { scope, _, item in
      let transfer = EventTransfer(analytics: analytics, project: scope.database.project)
      return StorageCount(try transfer.export(nil, item), "event")
    } import: { scope, next, tell in
      let transfer = EventTransfer(analytics: analytics, project: scope.database.project)
      var refusals: [String] = []
      let count = try transfer.importRows(next: next) { refusals.append($0) }
      for refusal in refusals { try tell(.difference(refusal)) }
      return StorageCount(count, "event")
    }
  }
}

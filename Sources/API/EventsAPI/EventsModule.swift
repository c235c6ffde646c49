import BaseRuntime
import Events
import KeyValueStore
import ServiceModule

extension ServiceModule {
  /// Events: topics, task queues and channels for back ends, and the delivery of all events.
  ///
  /// It is the part of `pubsub.googleapis.com` v1, `cloudtasks.googleapis.com` v2 and `eventarcpublishing.googleapis.com` v1
  /// that the Admin SDKs use.
  package static func events(_ environment: EventsEnvironment) -> ServiceModule {
    var module = ServiceModule("events")
    let bus = environment.bus
    module.hosts = [
      "pubsub.googleapis.com", "cloudtasks.googleapis.com", "eventarcpublishing.googleapis.com",
    ]
    module.routes =
      TopicRoutes(environment: environment).routes + TaskRoutes(environment: environment).routes
      + ChannelRoutes(environment: environment).routes
      + TriggerRoutes(environment: environment).routes
    module.metrics = { bus.metrics }
    module.tasks = [
      ServiceTask("delivery of events") {
        await bus.run()
        try Task.checkCancellation()
      },
      ServiceTask("events' clock") { try await bus.runClock() },
      ServiceTask("events' figures") { [threads = environment.threads] in
        while true {
          try? await threads.run(on: .maintenance) { try bus.countForMetrics() }
          try await Task.sleep(for: .seconds(10))
        }
      },
    ]
    return module
  }
}

extension ServiceStorage {
  /// Triggers and their events: erased and expired data.
  package static func events(_ bus: EventBus) -> ServiceStorage {
    var storage = ServiceStorage("events")
    storage.maintenance = { try bus.performMaintenance() }
    return storage
  }
}

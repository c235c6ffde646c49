import Authentication
import BaseRuntime
import BaseText
import Events
import EventsAPI
import Foundation
import Outbound
import ServiceModule

/// Triggers and the delivery of their events: what the product needs of accounts and the network.
enum EventServices {
  /// The bus of a server, whose events `core.tap` writes.
  ///
  /// Blocks.
  static func bus(_ core: ServerCore) throws -> EventBus {
    let settings = core.settings.triggers
    let poster = EventPoster(allowing: settings.hosts, authorities: settings.authorities) {
      [accounts = core.accounts] project, audience in
      "Bearer " + (try accounts.eventToken(project: Text(project), audience: audience))
    }
    var configuration = EventBus.Configuration(encoding: GoogleEventForm(), posting: poster)
    configuration.clock = core.clock.clock
    configuration.report = { [health = core.taskHealth] in health.report("events", $0) }
    return try EventBus(
      engine: core.primaryEngine,
      shared: core.directory.engine,
      tap: core.tap,
      threads: core.threads,
      configuration: configuration
    )
  }

  /// The bus of a directory at rest, which delivers nothing.
  ///
  /// Blocks.
  static func bus(atRest open: OpenDataDirectory, threads: EngineThreads) throws -> EventBus {
    let environment = EnvironmentReader(ProcessInfo.processInfo.environment)
    let hosts = TriggerSettings(environment, isDevelopment: false).hosts
    let poster = EventPoster(allowing: hosts) { _, _ in "" }
    return try EventBus(
      engine: open.engine,
      tap: EventTap(),
      threads: threads,
      configuration: EventBus.Configuration(encoding: GoogleEventForm(), posting: poster)
    )
  }

  /// The bus as a module.
  static func module(_ bus: EventBus, core: ServerCore) -> ServiceModule {
    .events(EventsEnvironment(bus: bus, access: core.access, threads: core.threads))
  }
}

import Access
import BaseRuntime
import ConfigTemplates
import HTTPTypes
import Logging
import ServiceModule

extension ServiceModule {
  /// Remote Config: templates for administrators, values and news of them for apps.
  ///
  /// It is `firebaseremoteconfig.googleapis.com` v1 and
  /// `firebaseremoteconfigrealtime.googleapis.com` v1. `threads` do what waits for the disk. Routes
  /// for incoming events call `eventsElsewhere` first, since another node may have the events.
  /// Nothing is stored about a sender that `proof` does not confirm as an installation.
  package static func remoteConfig(
    _ templates: ConfigTemplates,
    access: AccessControl,
    threads: EngineThreads,
    keys: ProjectKeys,
    proof: InstallationProof,
    eventsElsewhere: HTTPRoute.Passing? = nil,
    log: Logger
  ) -> ServiceModule {
    var module = ServiceModule("remote config")
    let management = TemplateRoutes(
      templates: templates,
      access: access,
      threads: threads,
      eventsElsewhere: eventsElsewhere
    )
    let clients = ClientRoutes(
      templates: templates,
      threads: threads,
      keys: keys,
      proof: proof,
      eventsElsewhere: eventsElsewhere
    )
    module.hosts = [
      "firebaseremoteconfig.googleapis.com", "firebaseremoteconfigrealtime.googleapis.com",
    ]
    module.routes = management.routes + clients.routes
    module.metrics = { templates.metrics }
    module.onShutdown = { templates.streams.close() }
    module.tasks = [
      ServiceTask("changes with time") {
        try await announceChanges(of: templates, on: threads, log)
      },
      ServiceTask("ends of streams") {
        try await endStreams(of: templates.streams)
      },
    ]
    return module
  }

  /// Looks every second whether a condition has changed by itself: a wait of its own for each change
  /// would have to follow every step of the clock.
  private static func announceChanges(
    of templates: ConfigTemplates,
    on threads: EngineThreads,
    _ log: Logger
  ) async throws {
    while true {
      try await Task.sleep(for: .seconds(1))
      guard templates.isChangeDue else { continue }
      do {
        try await threads.run(on: .maintenance) { try templates.announceChanges() }
      } catch {
        log.error(
          "clients were not notified of a template change at its time",
          metadata: ["error": "\(error)"]
        )
      }
    }
  }

  private static func endStreams(of streams: InvalidationStreams) async throws {
    while true {
      try await Task.sleep(for: .seconds(10))
      streams.sweep(now: .now)
    }
  }
}

import Access
import ConfigTemplates
import FirestoreModel
import HTTPTypes
import KeyValueStore
import Logging
import ServiceModule

extension ServiceModule {
  /// Remote Config: templates for administrators, values and news of them for apps.
  ///
  /// It is `firebaseremoteconfig.googleapis.com` v1 and `firebaseremoteconfigrealtime.googleapis.com` v1.
  /// `threads` do what waits for the disk.
  package static func remoteConfig(
    _ templates: ConfigTemplates,
    access: AccessControl,
    threads: EngineThreads,
    keys: ConfigKeys,
    log: Logger
  ) -> ServiceModule {
    var module = ServiceModule("remote config")
    let management = TemplateRoutes(templates: templates, access: access, threads: threads)
    let clients = ClientRoutes(templates: templates, threads: threads, keys: keys)
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
        log.error("clients were not told of a change with time", metadata: ["error": "\(error)"])
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

/// Which project a client's API key stands for.
package struct ConfigKeys: Sendable {
  /// The project of keys that name none; nil refuses them.
  package let defaultProject: Text?
  /// Whether any key will do, and the path says which project is meant.
  package let takesAnyKey: Bool
  /// Whether there is such a project; blocks.
  package let isProject: @Sendable (Text) throws -> Bool

  /// The rules for keys.
  package init(
    defaultProject: Text?,
    takesAnyKey: Bool,
    isProject: @escaping @Sendable (Text) throws -> Bool
  ) {
    self.defaultProject = defaultProject
    self.takesAnyKey = takesAnyKey
    self.isProject = isProject
  }

  /// The project that a key stands for, and a path names by its id or, as iOS does, by a number.
  ///
  /// Blocks.
  func project(key: String?, path: Text, knows: (Text) -> Bool) throws -> Text {
    guard let key, !key.isEmpty else {
      throw FirestoreError(.permissionDenied, "The request is missing a valid API key.")
    }
    let named = Text(key)
    if takesAnyKey { return !knows(path) && knows(named) ? named : path }
    let isNamed = try knows(named) || isProject(named)
    guard let project = isNamed ? named : defaultProject else {
      throw FirestoreError.invalidArgument("API key not valid. Please pass a valid API key.")
    }
    let isNumber = path.string.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard path == project || isNumber else {
      throw FirestoreError(
        .permissionDenied,
        "The API key is not one of the project \(path.string.prefix(100))."
      )
    }
    return project
  }
}

import FirebaseCore
import FirebaseInstallations
import Foundation
import Locking

/// Logs an app's events: checks them, adds the fields that all events have, and keeps them until
/// the uploader has sent them.
///
/// An event is in the file when a call returns. May be used from any thread.
package final class EventCollector: FirebaseComponent {
  /// The collector's access to the world around it.
  package struct Surroundings: Sendable {
    /// True if the platform signals that the app comes to the front and leaves it.
    ///
    /// If it does not, the app counts as in front while it runs, and a session ends with a long
    /// time without events.
    package var tellsLifecycle: Bool
    /// The device's clock, by which events are dated.
    package var now: @Sendable () -> Date
    /// Waits for that many seconds; throws where its task is cancelled.
    package var sleep: @Sendable (TimeInterval) async throws -> Void
    /// The program's arguments, among which `-FIRDebugEnabled` and its like are looked for.
    package var arguments: [String]

    /// Surroundings as a test has them.
    package init(
      tellsLifecycle: Bool,
      now: @escaping @Sendable () -> Date,
      sleep: @escaping @Sendable (TimeInterval) async throws -> Void,
      arguments: [String] = []
    ) {
      self.tellsLifecycle = tellsLifecycle
      self.now = now
      self.sleep = sleep
      self.arguments = arguments
    }

    /// Those of the program.
    package static var current: Surroundings {
      Surroundings(
        tellsLifecycle: AppLifecycle.isTold,
        now: { Date() },
        sleep: { try await Task.sleep(for: .seconds($0)) },
        arguments: CommandLine.arguments
      )
    }
  }

  /// The state that lasts as long as the process.
  struct Volatile {
    var engagement = EngagementClock()
    var screen = ScreenState()
  }

  /// Events that may wait, and their bytes; beyond that the oldest ones go.
  static let bounds = (count: 10_000, bytes: 8 << 20)
  /// Events that wait before they are sent at once.
  static let urgentCount = 25

  let app: FirebaseApp
  let log: EventLog?
  let surroundings: Surroundings
  let volatile = Lock(Volatile())
  private let installations: Installations
  let uploader: EventUploader?
  private let isEnabledByList: Bool
  /// The observer of ``AppLifecycle``, kept so that its notifications can be ended.
  let lifecycle = Lock<AppLifecycle?>(nil)

  /// The collector of an app, whose file is at `url`.
  package init(
    app: FirebaseApp,
    installations: Installations,
    log url: URL,
    surroundings: Surroundings = .current
  ) {
    self.app = app
    self.installations = installations
    self.surroundings = surroundings
    let list = CollectionSetting.current
    isEnabledByList = list.isEnabled
    let backend = list.isDeactivated ? nil : EventBackend(app.options)
    guard let backend, let files = Self.open(url) else {
      (log, uploader) = (nil, nil)
      return
    }
    log = files.log
    uploader = EventUploader(
      log: files.log,
      lease: files.lease,
      backend: backend,
      instanceID: { try $0.instanceID ?? installations.currentID() },
      token: { try? await installations.authToken().authToken },
      isEnabled: { $0.isEnabled ?? list.isEnabled },
      now: surroundings.now,
      sleep: surroundings.sleep
    )
  }

  private static func open(_ url: URL) -> (log: EventLog, lease: LogFile)? {
    do {
      return (try EventLog(url), try LogFile(url.appendingPathExtension("upload")))
    } catch {
      EventRules.log("The events file can't be opened, so no events are logged: \(error)")
      return nil
    }
  }

  /// The collector of an app, which begins to work with the first call.
  package static func collector(of app: FirebaseApp) -> EventCollector {
    let installations = Installations.installations(app: app)
    let collector = app.component("FirebaseAnalytics") {
      EventCollector(
        app: app,
        installations: installations,
        log: app.stateFile(named: "firebase_analytics")
      )
    }
    collector.startOnce()
    return collector
  }

  /// Sends and listens no more.
  package func appWasDeleted() {
    uploader?.stop()
    lifecycle.withLock { $0 = nil }
  }

  // MARK: Steps

  var micros: Int64 { Int64(surroundings.now().timeIntervalSince1970 * 1_000_000) }

  func isEnabled(_ settings: AnalyticsSettings) -> Bool { settings.isEnabled ?? isEnabledByList }

  /// Does one step on the log, and has the uploader look where events wait; nil where there is no log.
  @discardableResult
  func update<Result: Sendable>(
    _ body: (inout LogEditor, inout Volatile) throws -> Result
  ) -> Result? {
    guard let log else { return nil }
    do {
      let (result, waiting, isUrgent) = try volatile.withLock { volatile in
        try log.update { editor in
          let result = try body(&editor, &volatile)
          let excess = editor.contents.excess(count: Self.bounds.count, bytes: Self.bounds.bytes)
          if excess > 0 { try editor.append(.dropped(count: excess)) }
          let count = editor.contents.waiting.count
          return (result, count, count >= Self.urgentCount || editor.contents.context.isDebug)
        }
      }
      if waiting > 0 { uploader?.wake(urgently: isUrgent) }
      return result
    } catch {
      EventRules.log("The events file can't be written: \(error)")
      return nil
    }
  }

  /// The id by which the server knows where events come from; nil where there is none.
  package var instanceID: String? {
    update { editor, _ in
      editor.contents.context.isAnonymous ? nil : try self.instanceID(editor.contents.settings)
    } ?? nil
  }

  private func instanceID(_ settings: AnalyticsSettings) throws -> String {
    try settings.instanceID ?? installations.currentID()
  }

  /// The number of events that wait for the server.
  package var waitingCount: Int { update { editor, _ in editor.contents.waiting.count } ?? 0 }
}

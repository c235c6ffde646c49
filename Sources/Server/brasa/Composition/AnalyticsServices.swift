import Access
import AnalyticsAPI
import Authentication
import BaseRuntime
import BaseText
import EventAnalytics
import Events
import Foundation
import ServiceModule
import Synchronization

/// Analytics as the server has it.
enum AnalyticsServices {
  /// The module, with the relay of key events, and with the daily export where a directory is set.
  static func module(
    _ analytics: EventAnalytics,
    core: ServerCore,
    proof: InstallationProof,
    bus: EventBus
  ) -> ServiceModule {
    var module = ServiceModule.analytics(
      analytics,
      access: core.access,
      threads: core.threads,
      keys: core.keys,
      proof: proof,
      apps: apps(of: core.accounts, core.settings)
    )
    let relay = KeyEventRelay(analytics, to: bus, threads: core.threads) {
      [health = core.taskHealth] in health.report("key events", $0)
    }
    module.tasks.append(relay.task)
    if let directory = core.settings.events.exportDirectory {
      let export = DailyEventExport(
        analytics: analytics,
        threads: core.threads,
        directory: URL(fileURLWithPath: directory, isDirectory: true)
      ) { [health = core.taskHealth] in health.report("daily export of events", $0) }
      module.tasks.append(ServiceTask("daily export") { try await export.run() })
    }
    return module
  }

  /// The apps that projects have; in development any app is one of them.
  private static func apps(of accounts: Accounts, _ settings: ServeSettings) -> AnalyticsApps {
    if settings.isDevelopment { return AnalyticsApps { _, _ in .registered } }
    let known = KnownApps()
    return AnalyticsApps { app, project in
      let now = MicrosecondClock.system.now()
      if known.has(app, of: project, at: now) { return .registered }
      switch try accounts.project(project).knows(app: app) {
      case true?:
        known.note(app, of: project, at: now)
        return .registered
      case false?: return .unknown
      case nil: return .oneOfAny
      }
    }
  }
}

/// Registered apps that were looked up within the last seconds: each batch asks for its app.
private final class KnownApps: Sendable {
  private struct Name: Hashable {
    let project: Text
    let app: String
  }

  /// Microseconds after which an app is looked up again, as it may be deleted.
  private static let age: Int64 = 10_000_000
  private static let limit = 10_000
  private let times = Mutex<[Name: Int64]>([:])

  func has(_ app: String, of project: Text, at now: Int64) -> Bool {
    times.withLock { times in
      times[Name(project: project, app: app)].map { (0..<Self.age).contains(now - $0) } ?? false
    }
  }

  func note(_ app: String, of project: Text, at now: Int64) {
    times.withLock { times in
      if times.count >= Self.limit { times = [:] }
      times[Name(project: project, app: app)] = now
    }
  }
}

import Access
import AnalyticsAPI
import Authentication
import EventAnalytics
import Foundation
import KeyValueStore
import Logging
import ServiceModule

/// Analytics as the server has it.
enum AnalyticsServices {
  /// The module, with the daily export where a directory is set.
  static func module(
    _ analytics: EventAnalytics,
    access: AccessControl,
    threads: EngineThreads,
    keys: ProjectKeys,
    proof: InstallationProof,
    accounts: Accounts,
    settings: ServeSettings
  ) -> ServiceModule {
    var module = ServiceModule.analytics(
      analytics,
      access: access,
      threads: threads,
      keys: keys,
      proof: proof,
      apps: apps(of: accounts, settings)
    )
    if let directory = settings.events.exportDirectory {
      let export = DailyEventExport(
        analytics: analytics,
        threads: threads,
        directory: URL(fileURLWithPath: directory, isDirectory: true),
        log: Logger(label: "analytics")
      )
      module.tasks.append(ServiceTask("daily export") { try await export.run() })
    }
    return module
  }

  /// The apps that projects have; in development any app is one of them.
  private static func apps(of accounts: Accounts, _ settings: ServeSettings) -> AnalyticsApps {
    if settings.isDevelopment { return AnalyticsApps { _, _ in .registered } }
    return AnalyticsApps { app, project in
      switch try accounts.project(project).knows(app: app) {
      case true?: .registered
      case false?: .unknown
      case nil: .oneOfAny
      }
    }
  }
}

import Access
import AnalyticsAPI
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
    settings: ServeSettings
  ) -> ServiceModule {
    var module = ServiceModule.analytics(
      analytics,
      access: access,
      threads: threads,
      keys: keys
    )
    if let directory = settings.analyticsExport {
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
}

import Access
import EventAnalytics
import FirestoreModel
import HTTPTypes
import KeyValueStore
import ServiceModule

extension ServiceModule {
  /// Analytics: events of apps and servers, and what administrators ask about them.
  ///
  /// The Measurement Protocol is `www.google-analytics.com`; apps' batches and the reports are Brasa's own. `threads` do what
  /// waits for the disk.
  package static func analytics(
    _ analytics: EventAnalytics,
    access: AccessControl,
    threads: EngineThreads,
    keys: ProjectKeys
  ) -> ServiceModule {
    var module = ServiceModule("analytics")
    let intake = IntakeRoutes(analytics: analytics, threads: threads, keys: keys)
    let reports = ReportRoutes(analytics: analytics, access: access, threads: threads)
    module.hosts = ["www.google-analytics.com", "region1.google-analytics.com"]
    module.routes = intake.routes + reports.routes
    module.metrics = { analytics.metrics }
    return module
  }
}

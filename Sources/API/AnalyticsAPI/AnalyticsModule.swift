import Access
import BaseRuntime
import BaseText
import EventAnalytics
import HTTPTypes
import ServiceModule

extension ServiceModule {
  /// Analytics: events of apps and servers, and what administrators ask about them.
  ///
  /// The Measurement Protocol is `www.google-analytics.com`; apps' batches and the reports are Brasa's own. `threads` do what
  /// waits for the disk. `proof` says which installations are the ones that they name, `apps` which apps a project has.
  package static func analytics(
    _ analytics: EventAnalytics,
    access: AccessControl,
    threads: EngineThreads,
    keys: ProjectKeys,
    proof: InstallationProof,
    apps: AnalyticsApps
  ) -> ServiceModule {
    var module = ServiceModule("analytics")
    let intake = IntakeRoutes(
      analytics: analytics,
      access: access,
      threads: threads,
      keys: keys,
      proof: proof,
      apps: apps
    )
    let reports = ReportRoutes(analytics: analytics, access: access, threads: threads)
    module.hosts = ["www.google-analytics.com", "region1.google-analytics.com"]
    module.routes = intake.routes + reports.routes
    module.metrics = { analytics.metrics }
    return module
  }
}

/// The apps that projects have registered.
package struct AnalyticsApps: Sendable {
  /// The standing of an app's id in a project.
  package enum Standing: Sendable {
    /// The project registered it.
    case registered
    /// The project registered no app, so that it may be any.
    case oneOfAny
    /// The project registered others.
    case unknown
  }

  private let find: @Sendable (_ app: String, _ project: Text) throws -> Standing

  /// Apps as a function finds them, which may block.
  package init(_ find: @escaping @Sendable (_ app: String, _ project: Text) throws -> Standing) {
    self.find = find
  }

  func standing(of app: String, in project: Text) throws -> Standing { try find(app, project) }
}

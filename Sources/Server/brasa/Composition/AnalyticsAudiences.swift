import BaseText
import ConfigTemplates
import EventAnalytics
import PushMessaging

/// Provides Remote Config and messaging with the audiences of an installation in analytics.
struct AnalyticsAudiences: ConfigAudiences, MessageAudiences {
  let analytics: EventAnalytics

  func audiences(ofInstallation id: String, project: Text) throws -> Set<String>? {
    try analytics.audiences(ofInstance: id, project: project)
  }

  func exists(_ audience: String, in project: Text) throws -> Bool {
    try analytics.audiences(of: project).contains { $0.name == audience }
  }

  func contains(_ installation: String, _ audience: String, in project: Text) throws -> Bool {
    try analytics.audiences(ofInstance: installation, project: project)?.contains(audience) == true
  }
}

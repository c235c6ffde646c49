import ConfigTemplates
import EventAnalytics
import FirestoreModel

/// Tells Remote Config which audiences of analytics an installation is in.
struct AnalyticsAudiences: ConfigAudiences {
  let analytics: EventAnalytics

  func audiences(ofInstallation id: String, project: Text) throws -> Set<String>? {
    try analytics.audiences(ofInstance: id, project: project)
  }
}

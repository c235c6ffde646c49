import Access
import AnalyticsAPI
import AuditTrail
import Authentication
import ConfigAPI
import ConfigTemplates
import Console
import EventAnalytics
import FirestoreAPI
import IdentityAPI
import MessagingAPI
import ObjectStorage
import PushMessaging
import RulesAPI
import ServiceModule
import StorageAPI

extension OpenDataDirectory {
  /// What every service keeps in the directory: a service that comes adds its line here.
  ///
  /// Of several nodes each has the shared part, and the home node alone the other one.
  func services(
    _ part: StoredPart = .all,
    rules: RulesetStore,
    accounts: Accounts,
    templates: ConfigTemplates,
    analytics: EventAnalytics,
    files: ObjectStorage,
    audit: AuditTrail,
    messages: PushService
  ) throws -> StoredServices {
    let databases = databases
    var services: [ServiceStorage] = [
      .documents(maintenance: { try databases.performMaintenance() }),
      .rules(rules),
      .accounts(accounts),
      .remoteConfig(templates),
    ]
    let home: [ServiceStorage] = [.analytics(analytics), .files(files)]
    services += home
    services.append(.auditTrail(audit))
    services.append(.messages(messages))
    let homeNames = Set(home.map(\.name) + ["messages"])
    switch part {
    case .all: break
    case .shared: services.removeAll { homeNames.contains($0.name) }
    case .home: services.removeAll { !homeNames.contains($0.name) }
    }
    return try StoredServices(services)
  }
}

/// Which services of a cluster's store.
enum StoredPart {
  case all
  /// Those that every node serves.
  case shared
  /// Those that the home node serves.
  case home
}

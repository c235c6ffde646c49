import Access
import AnalyticsAPI
import AuditTrail
import Authentication
import ConfigAPI
import ConfigTemplates
import Console
import EventAnalytics
import Events
import EventsAPI
import FirestoreAPI
import IdentityAPI
import MessagingAPI
import ObjectStorage
import PushMessaging
import RulesAPI
import ServiceModule
import StorageAPI

extension OpenDataDirectory {
  /// Returns all services' parts of the directory: a new service adds its line here.
  ///
  /// If there are several nodes, each has the shared part, and the primary alone the other one.
  func services(
    _ part: StoredPart = .all,
    rules: RulesetStore,
    accounts: Accounts,
    templates: ConfigTemplates,
    analytics: EventAnalytics,
    files: ObjectStorage,
    audit: AuditTrail,
    messages: PushService,
    bus: EventBus
  ) throws -> StoredServices {
    let databases = databases
    let services: [(part: StoredPart, storage: ServiceStorage)] = [
      (.shared, .documents(maintenance: { try databases.performMaintenance() })),
      (.shared, .rules(rules)),
      (.shared, .accounts(accounts)),
      (.shared, .remoteConfig(templates)),
      (.primary, .analytics(analytics)),
      (.primary, .files(files)),
      (.shared, .auditTrail(audit)),
      (.primary, .messages(messages)),
      (.primary, .events(bus)),
    ]
    let chosen = services.filter { part == .all || $0.part == part }
    return try StoredServices(chosen.map(\.storage))
  }
}

/// The part of a cluster's services.
enum StoredPart {
  case all
  /// Those that every node serves.
  case shared
  /// Those that the primary serves.
  case primary
}

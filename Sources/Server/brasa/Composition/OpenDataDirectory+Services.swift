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
  /// With `isClustered` without those that several nodes do not serve, of which other nodes may have what belongs to it.
  func services(
    isClustered: Bool = false,
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
    if !isClustered { services += [.analytics(analytics), .files(files)] }
    services.append(.auditTrail(audit))
    if !isClustered { services.append(.messages(messages)) }
    return try StoredServices(services)
  }
}

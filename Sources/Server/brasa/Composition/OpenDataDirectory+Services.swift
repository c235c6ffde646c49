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
  func services(
    rules: RulesetStore,
    accounts: Accounts,
    templates: ConfigTemplates,
    analytics: EventAnalytics,
    files: ObjectStorage,
    audit: AuditTrail,
    messages: PushService
  ) throws -> StoredServices {
    let databases = databases
    return try StoredServices([
      .documents(maintenance: { try databases.performMaintenance() }),
      .rules(rules),
      .accounts(accounts),
      .remoteConfig(templates),
      .analytics(analytics),
      .files(files),
      .auditTrail(audit),
      .messages(messages),
    ])
  }
}

import Access
import AuditTrail
import Authentication
import BaseRuntime
import BaseStatus
import BaseText
import ConfigTemplates
import DocumentStore
import EventAnalytics
import Events
import FirestoreModel
import FirestoreService
import FunctionHost
import Hosting
import KeyValuePostgres
import Logging
import ObjectStorage
import PushMessaging
import ServiceModule

/// Does what the storage commands ask, on an open store.
struct LocalAdministration: Administration {
  let permit: AdministratorPermit
  let rules: RulesetStore
  let accounts: Accounts
  /// The data of the services; the commands on all of them go through it.
  let services: StoredServices
  let templates: ConfigTemplates
  let files: ObjectStorage
  let audit: AuditTrail
  let events: EventAnalytics
  let messages: PushService
  let bus: EventBus
  let sites: Hosting
  /// The engine of a store in PostgreSQL, whose server has a clock of its own.
  var databaseServer: PostgresEngine?
  /// Nil where functions are off, and on a directory at rest.
  var functions: FunctionHost?
  /// True if the primary of a cluster has the files, messages and events, and this is another node.
  var isAway = false

  /// Opens a directory at rest for one request.
  static func withStore(
    in directory: String,
    _ store: StoreLocation,
    files settings: FileSettings? = nil,
    _ body: (LocalAdministration) throws -> Void
  ) throws {
    let open = try openAtRest(directory, store)
    do {
      let rules = try RulesetStore(engine: open.databases.engine, log: Logger(label: "rules"))
      let accounts = try Accounts(engine: open.engine)
      let events = try EventAnalytics(engine: open.events)
      let templates = try ConfigTemplates(
        engine: open.engine,
        audiences: AnalyticsAudiences(analytics: events),
        goals: AnalyticsGoals(analytics: events)
      )
      events.onErasure { try templates.forget(installation: $0, of: $1) }
      let threads = EngineThreads(count: 2)
      defer { threads.stop() }
      let files = try FileServices(open, threads: threads, settings: settings)
      let audit = AuditTrail(engine: open.engine)
      let messages = PushService(engine: open.engine, threads: threads)
      let bus = try EventServices.bus(atRest: open, threads: threads)
      let services = try open.services(
        rules: rules,
        accounts: accounts,
        templates: templates,
        analytics: events,
        files: files.storage,
        audit: audit,
        messages: messages,
        bus: bus
      )
      let administration = LocalAdministration(
        permit: AccessControl.administratorPermit(atRest: open.databases),
        rules: rules,
        accounts: accounts,
        services: services,
        templates: templates,
        files: files.storage,
        audit: audit,
        events: events,
        messages: messages,
        bus: bus,
        sites: try HostingServices.atRest(open, threads: threads)
      )
      try body(administration)
      // Nothing else runs the request's background work.
      while try services.maintain() {}
    } catch {
      try open.close()
      throw error
    }
    try open.close()
  }

  private static func openAtRest(
    _ directory: String,
    _ store: StoreLocation
  ) throws -> OpenDataDirectory {
    var configuration = StoreConfiguration()
    configuration.maintainsItself = false
    return try OpenDataDirectory(
      path: directory,
      store: store,
      configuration: configuration,
      openTables: DescriptorBudget.raisingLimit().tables
    )
  }

  func perform(
    _ request: AdministrationRequest,
    input: () throws -> [UInt8]?,
    output: (AdministrationReply) throws -> Void
  ) throws {
    if request.isForOneNode { try checkHome() }
    switch request {
    case .verify(let sample): try verify(sample, output)
    case .listTransfers: try listTransfers(output)
    case .listSecrets: try listSecrets(output)
    case .export(let kind, let label): try export(kind, of: label.id, output)
    case .import(let kind, let label): try importItems(kind, into: label.id, input, output)
    case .restore(let request): try restore(request, input, output)
    case .listDatabases: try listDatabases(output)
    case .createDatabase(let label):
      try permit.createDatabase(label.id)
      try output(.finished(summary: "created \(label.id.path)"))
    case .deleteDatabase(let label):
      try permit.deleteDatabase(label.id)
      try output(.finished(summary: "deleted \(label.id.path)"))
    case .clock(let accepting): try clock(accepting: accepting, output)
    case .deleteCollection(let label, let path, let includingDescendants):
      try deleteCollection(path, of: label.id, includingDescendants, output)
    case .deleteDocuments(let label): try deleteDocuments(of: label.id, input, output)
    case .deployRules(let project, let releases, let file):
      try deployRules(file, to: releases, of: Text(project), output)
    case .listRules(let project): try listRules(of: Text(project), output)
    case .showRules(let project, let name): try showRules(name, of: Text(project), output)
    case .explainRules(let label, let explanation):
      try explainRules(explanation, in: label.id, output)
    case .listIndexes(let label): try listIndexes(label.id, output)
    case .applyIndexes(let label, let text, let deletingOthers):
      try applyIndexes(text, to: label.id, deletingOthers: deletingOthers, output)
    case .createKey(let name, let role, let project, let origin):
      try createKey(name, role: role, project: project, origin: origin, output)
    case .listKeys: try listKeys(output)
    case .rotateKeys(let immediately): try rotateKeys(immediately: immediately, output)
    case .users(let project, let request):
      try users(request, project: project, input, output)
    case .apps(let project, let request): try apps(request, project: project, output)
    case .config(let project, let isServer, let request):
      let namespace = isServer ? ConfigNamespace.server : .client
      let id = TemplateID(project: Text(project), namespace: namespace)
      try config(request, id, output)
    case .analytics(let project, let request):
      try analytics(request, of: Text(project), input, output)
    case .messages(let project, let request):
      try messages(request, of: Text(project), output)
    case .triggers(let project, let request):
      try triggers(request, of: project, output)
    case .functions(let project, let request):
      try functions(request, project: project, output)
    case .storage(let request): try storage(request, input, output)
    case .hosting(let project, let request):
      try hosting(request, project: project, input, output)
    case .console(let request): try console(request, output)
    case .revokeKeys(let which): try revokeKeys(which, output)
    case .revokeKeysMade(let maker): try revokeKeys(madeBy: maker, output)
    }
  }

  private func listTransfers(_ output: (AdministrationReply) throws -> Void) throws {
    for name in services.transferNames { try output(.line(name)) }
    try output(.finished(summary: ""))
  }

  private func listSecrets(_ output: (AdministrationReply) throws -> Void) throws {
    for (name, companion) in services.secretTransfers {
      try output(.item(file: name, bytes: Array(companion.utf8)))
    }
    try output(.finished(summary: ""))
  }

  /// Throws where another node has the files, messages and events.
  func checkHome() throws {
    guard isAway else { return }
    throw ServiceError(
      .failedPrecondition,
      """
      This node does not have all files, messages and events. Run the command on the primary of the cluster; \
      brasa nodes shows which node it is.
      """
    )
  }

  /// The same for a kind of data that this node does not have.
  private func checkKnown(_ kind: String) throws {
    let names = services.transferNames + services.secretTransfers.map(\.name)
    if !names.contains(kind) { try checkHome() }
  }

  private func verify(
    _ sample: Int?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let scope = StorageCheckScope(permit: permit, sample: sample)
    let found = try services.verify(scope) { try output(.init($0)) }
    let verdict =
      found.differences == 0 ? "no differences" : found.differences.counting("difference")
    let counts = found.counts.map(\.text).joined(separator: ", ")
    let rest = isAway ? "; files, messages and events are verified on the primary" : ""
    try output(.finished(summary: "\(counts): \(verdict)\(rest)"))
  }

  private func listDatabases(_ output: (AdministrationReply) throws -> Void) throws {
    let listings = try permit.listDatabases()
    let copies = try permit.databaseCopies()
    for listing in listings {
      if let state = copies.first(where: { $0.database == listing.id })?.copy.state {
        try output(.item(file: listing.id.path, bytes: Array(state.utf8)))
      }
      try output(.line(listing.id.path))
    }
    if listings.isEmpty { try output(.line("There is no database yet.")) }
    try output(.finished(summary: listings.count.counting("database")))
  }

  private func deleteCollection(
    _ path: String,
    of id: DatabaseID,
    _ includingDescendants: Bool,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let count = try DocumentAdministration(permit).deleteCollection(
      at: path,
      of: id,
      includingDescendants: includingDescendants
    ) { try output(.progress(done: $0, total: nil, unit: "document")) }
    try output(.finished(summary: "deleted \(count.counting("document")) of \(path)"))
  }

  private func deleteDocuments(
    of id: DatabaseID,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let done = try DocumentAdministration(permit).deleteDocuments(of: id, next: input)
    for refusal in done.refusals { try output(.difference(refusal)) }
    try output(.counted(stored: done.deleted, skipped: 0))
    try output(.finished(summary: "deleted \(done.deleted.counting("document"))"))
  }

  private func export(
    _ kind: String,
    of id: DatabaseID,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    try checkKnown(kind)
    let count = try services.exportItems(
      of: kind,
      scope: StorageScope(permit: permit, database: id),
      tell: { try output(.init($0)) },
      item: { try output(.item(file: $0.file, bytes: $0.bytes)) }
    )
    try output(.finished(summary: "exported \(count.text) of \(id.path)"))
  }

  func importItems(
    _ kind: String,
    into id: DatabaseID,
    by fill: CommitVersion? = nil,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    try checkKnown(kind)
    var scope = StorageScope(permit: permit, database: id)
    scope.fill = fill
    let count = try services.importItems(
      of: kind,
      scope: scope,
      next: input,
      tell: { try output(.init($0)) }
    )
    try output(.counted(stored: count.number, skipped: count.skipped))
    try output(.finished(summary: "imported \(count.text) into \(id.path)"))
  }
}

extension AdministrationReply {
  /// Makes the reply from the report of a service on its work.
  fileprivate init(_ event: StorageEvent) {
    switch event {
    case .progress(let done, let total, let unit):
      self = .progress(done: done, total: total, unit: unit)
    case .difference(let text): self = .difference(text)
    case .omission(let text, let secret): self = .omission(text, secret: secret)
    }
  }
}

extension StorageCount {
  /// The number with what it counts.
  var text: String { number.counting(unit, plural: plural) }
}

import Access
import Authentication
import DocumentStore
import FirestoreModel
import FirestoreWire
import Logging
import Synchronization

/// Does what the storage commands ask, on an open store.
struct LocalAdministration: Administration {
  let permit: AdministratorPermit
  let rules: RulesetStore
  let accounts: Accounts

  /// Opens a directory at rest for one request.
  static func withStore(in directory: String, _ body: (LocalAdministration) throws -> Void) throws {
    var configuration = StoreConfiguration()
    configuration.maintainsItself = false
    let open = try OpenDataDirectory(
      path: directory,
      configuration: configuration,
      openTables: DescriptorBudget.raisingLimit().tables
    )
    do {
      let rules = try RulesetStore(engine: open.databases.engine, log: Logger(label: "rules"))
      let accounts = try Accounts(engine: open.engine)
      let permit = AccessControl.administratorPermit(atRest: open.databases)
      try body(LocalAdministration(permit: permit, rules: rules, accounts: accounts))
      // What the request left to the background has nobody else to do it.
      while try open.databases.performMaintenance() {}
    } catch {
      try open.close()
      throw error
    }
    try open.close()
  }

  func perform(
    _ request: AdministrationRequest,
    input: () throws -> [UInt8]?,
    output: (AdministrationReply) throws -> Void
  ) throws {
    switch request {
    case .verify(let label): try verify(label?.id, output)
    case .export(let label): try export(label.id, output)
    case .import(let label): try importDocuments(into: label.id, input, output)
    case .listDatabases: try listDatabases(output)
    case .createDatabase(let label):
      try permit.createDatabase(label.id)
      try output(.finished(summary: "created \(label.id.path)"))
    case .deleteDatabase(let label):
      try permit.deleteDatabase(label.id)
      try output(.finished(summary: "deleted \(label.id.path)"))
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
    case .revokeKeys(let which): try revokeKeys(which, output)
    }
  }

  private func verify(_ only: DatabaseID?, _ output: (AdministrationReply) throws -> Void) throws {
    var total = VerificationSummary()
    for listing in try permit.listDatabases() where only == nil || listing.id == only {
      let summary = try permit.database(listing.id).verify(
        progress: { try output(.progress(done: $0, total: nil, unit: "document")) },
        report: { try output(.difference("\(listing.id.path): \($0)")) }
      )
      total.documents += summary.documents
      total.indexEntries += summary.indexEntries
      total.differences += summary.differences
    }
    let verdict =
      total.differences == 0 ? "no differences" : total.differences.counting("difference")
    try output(
      .finished(
        summary: "\(total.documents.counting("document")), "
          + "\(total.indexEntries.counting("index entry", plural: "index entries")): \(verdict)"
      )
    )
  }

  private func listDatabases(_ output: (AdministrationReply) throws -> Void) throws {
    let listings = try permit.listDatabases()
    for listing in listings { try output(.line(listing.id.path)) }
    if listings.isEmpty { try output(.line("There is no database yet.")) }
    try output(.finished(summary: listings.count.counting("database")))
  }

  private func export(_ id: DatabaseID, _ output: (AdministrationReply) throws -> Void) throws {
    let database = try permit.database(id)
    let cursor = try database.query(
      Query(scope: .descendants),
      consistency: .at(try database.readTime())
    )
    var count = 0
    while true {
      let chunk = try cursor.next()
      for record in chunk.documents {
        let collection = record.name.path.parent.string
        let message = DocumentResponse(record).encoded()
        try output(.document(collection: collection, message: message))
        count += 1
      }
      try output(.progress(done: count, total: nil, unit: "document"))
      if chunk.isDone { break }
    }
    try output(.finished(summary: "exported \(count.counting("document")) of \(id.path)"))
  }

  /// Documents that one commit of an import writes, and the bytes that end it earlier.
  private static let importBatch = (documents: 256, bytes: 4 << 20)

  private func importDocuments(
    into id: DatabaseID,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let database = try permit.database(id)
    var batch: [Write] = []
    var bytes = 0
    var count = 0
    while let message = try input() {
      let write = try UpdateDocumentRequest(decoding: message).write
      let name = DocumentName(database: id, path: write.name.path)
      batch.append(Write(name: name, operation: write.operation))
      bytes += message.count
      if batch.count >= Self.importBatch.documents || bytes >= Self.importBatch.bytes {
        count += try commit(&batch, to: database)
        bytes = 0
      }
    }
    count += try commit(&batch, to: database)
    try output(.finished(summary: "imported \(count.counting("document")) into \(id.path)"))
  }

  private func commit(_ batch: inout [Write], to database: Database) throws -> Int {
    guard !batch.isEmpty else { return 0 }
    let answer = Answer<CommitOutcome>()
    database.commit(.init(writes: batch)) { answer.set($0) }
    let outcome = try answer.wait()
    batch.removeAll(keepingCapacity: true)
    return outcome.results.count
  }
}

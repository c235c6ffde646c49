import BaseStatus
import DocumentCodec
import DocumentStore
import FirestoreModel
import KeyValueStore
import SecurityRules

/// A caller's right to one database: to everything, or to what the rules say.
///
/// Given out by `AccessControl` alone, and the only source of a `Database`: what reads or writes for a
/// client asks it. Any thread may call.
package struct Permit: Sendable {
  /// The rules to ask; nil where none apply.
  package let gate: RulesGate?
  /// True if the caller's transactions may lock what they read; never under rules, nor for a viewer
  /// of the console.
  package let mayLock: Bool
  private let id: DatabaseID
  private let databases: Databases

  init(_ databases: Databases, _ id: DatabaseID, gate: RulesGate?, mayLock: Bool = true) {
    self.databases = databases
    self.id = id
    self.gate = gate
    self.mayLock = mayLock && gate == nil
  }

  /// Opens the database, which is made on first use where the store's configuration says so; may touch
  /// the disk the first time.
  package func database() throws -> Database { try databases.database(id) }

  /// The permit's database where it is open already; never touches the disk.
  package var openDatabase: Database? { databases.openDatabase(id) }

  /// Throws PERMISSION_DENIED unless no rules apply, for what no rules can allow.
  ///
  /// - Parameter operations: Plural; begins the text of the error.
  package func requireAdministrator(for operations: String) throws(ServiceError) {
    guard gate != nil else { return }
    throw ServiceError(.permissionDenied, "\(operations) require admin authentication.")
  }

  /// Decides on a query by its conditions; false where the rules look at documents too, or take much work.
  ///
  /// Throws PERMISSION_DENIED.
  package func allowsAlone(_ query: NormalizedQuery, isInTransaction: Bool) throws -> Bool {
    guard let gate else { return true }
    do {
      let question = gate.list(query, isInTransaction: isInTransaction)
      try gate.require(question, in: gate.session(NoDocuments(), isBrief: true))
      return true
    } catch is NoDocuments.Needed {
      return false
    } catch is NotInMemory {
      return false
    }
  }

  /// The newest state of a document where memory alone can tell and decide; nil where not.
  ///
  /// Rules that may look at other documents see them in one view with this one; the others decide on
  /// what was read without a view. Throws PERMISSION_DENIED.
  package func getInMemory(_ path: ResourcePath, in database: Database) throws -> DocumentRecord? {
    if let gate, gate.mayReadDocuments(toGet: path) {
      return try database.readInMemory(steps: Self.stepsInMemory) { view in
        try get(path, in: database, view, gate, isBrief: true)
      } ?? nil
    }
    guard case .found(let record) = database.getCached(path) else { return nil }
    guard let gate else { return record }
    do {
      let session = gate.session(NoDocuments(), isBrief: true)
      try gate.require(gate.get(path, record.fields), in: session)
      return record
    } catch is NotInMemory {
      return nil
    }
  }

  /// A document and all that a rule may read.
  private static let stepsInMemory = 1 + RulesLimits.accessCalls

  /// The newest state of a document, decided on as it was read; nil when there is none.
  ///
  /// Throws PERMISSION_DENIED.
  package func get(_ path: ResourcePath, in database: Database) throws -> DocumentRecord? {
    guard let gate else { return try database.get(path) }
    return try database.read(.now) { try get(path, in: database, $0, gate) }
  }

  private func get(
    _ path: ResourcePath,
    in database: Database,
    _ view: ReadView,
    _ gate: RulesGate,
    isBrief: Bool = false
  ) throws -> DocumentRecord? {
    let stored = try database.document(DocumentKey(path, in: database.incarnation), in: view)
    let session = gate.session(ViewDocuments(database, view), isBrief: isBrief)
    try gate.require(gate.get(path, stored?.fields), in: session)
    return stored?.record(name: DocumentName(database: database.id, path: path))
  }

  /// Returns true if the caller, who was allowed to write, may know the whole document that
  /// results: a write that replaces it contains it already.
  package func mayKnowAll(of write: Write) -> Bool {
    guard gate != nil, case .update(_, _?) = write.operation else { return true }
    return false
  }

  /// A document that was just written, with the fields that the caller may know: all where they may
  /// read it, else those that they wrote.
  package func get(
    written write: Write,
    in database: Database,
    at version: CommitVersion
  ) throws -> DocumentRecord? {
    let path = write.name.path
    guard let gate, case .update(_, let mask?) = write.operation else {
      return try database.get(path, at: .at(version))
    }
    return try database.read(.at(version)) { view in
      let key = DocumentKey(path, in: database.incarnation)
      let stored = try database.document(key, in: view)
      let session = gate.session(ViewDocuments(database, view))
      let decision = try gate.decision(on: gate.get(path, stored?.fields), in: session)
      guard let record = stored?.record(name: write.name), !decision.isAllowed
      else { return stored?.record(name: write.name) }
      return DocumentRecord(
        name: record.name,
        fields: record.fields.projected(to: mask),
        createTime: record.createTime,
        updateTime: record.updateTime
      )
    }
  }

  /// Decides on a query with what its view shows to the rules; the query then reads at the same
  /// version.
  ///
  /// Throws PERMISSION_DENIED, and ends the transaction that the reading began.
  package func require(
    _ query: NormalizedQuery,
    _ database: Database,
    _ read: ConsistentRead,
    _ consistency: Consistency
  ) throws {
    guard let gate else { return }
    let question = gate.list(query, isInTransaction: consistency.isTransaction)
    do {
      try read.view { view in
        try gate.require(question, in: gate.session(ViewDocuments(database, view)))
      }
    } catch {
      if let transaction = read.newTransaction { try database.rollback(transaction) }
      throw error
    }
  }

  /// Decides on documents with what their view shows to the rules; nil where no rules apply.
  package func judgeOfReads(_ database: Database, isInTransaction: Bool) -> BatchGetJudge? {
    guard let gate else { return nil }
    return { found, view in
      let session = gate.session(ViewDocuments(database, view), isMultiple: true)
      let questions = found.items.lazy.map { item in
        gate.get(item.path, item.record?.fields, isInTransaction: isInTransaction)
      }
      try gate.require(questions, in: session)
    }
  }

  /// Decides on all writes of a commit; nil where no rules apply.
  package var judgeOfWrites: CommitJudge? {
    guard let gate else { return nil }
    return { preview in
      gate.clock.note(preview.requestTime)
      let documents = CommitDocuments(database: gate.database, preview: preview)
      let session = gate.session(
        documents,
        isMultiple: true,
        isBrief: preview.isInMemory
      )
      let questions = preview.writes.indices.lazy.map { gate.write($0, of: preview) }
      try gate.require(questions, in: session)
    }
  }
}

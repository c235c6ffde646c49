import DocumentStore
import FirestoreModel
import SecurityRules

/// Decides on documents that a pipeline reads, each before the pipeline sees it; where no rules apply everything passes.
package struct RowJudge: Sendable {
  let gate: RulesGate
  let database: Database
  let isInTransaction: Bool

  /// Decides on documents of one view as results of a list; throws PERMISSION_DENIED at the first that may not be read.
  package func requireList(_ documents: [DocumentRecord], _ view: ReadView) throws {
    let session = gate.session(ViewDocuments(database, view), isMultiple: true)
    try gate.require(
      documents.lazy.map { document in
        gate.list(document.name.path, document.fields, isInTransaction: isInTransaction)
      },
      in: session
    )
  }

  /// Decides on a document that was asked for by its name, also one that does not exist.
  package func requireGet(
    _ documents: [(path: ResourcePath, record: DocumentRecord?)],
    _ view: ReadView
  ) throws {
    let session = gate.session(ViewDocuments(database, view), isMultiple: true)
    try gate.require(
      documents.lazy.map { document in
        gate.get(document.path, document.record?.fields, isInTransaction: isInTransaction)
      },
      in: session
    )
  }

  /// Returns true if the rules allow all results of a query, by proof alone; a refusal is not
  /// logged.
  package func proves(_ query: NormalizedQuery, _ view: ReadView) throws -> Bool {
    let question = gate.list(query, isInTransaction: isInTransaction)
    let session = gate.session(ViewDocuments(database, view))
    guard try gate.decision(on: question, in: session).isAllowed else { return false }
    gate.note(allowed: question)
    return true
  }
}

extension Permit {
  /// Decides on what a pipeline reads; nil where no rules apply.
  package func rowJudge(_ database: Database, isInTransaction: Bool) -> RowJudge? {
    gate.map { RowJudge(gate: $0, database: database, isInTransaction: isInTransaction) }
  }
}

extension RulesGate {
  /// Asks to have a document among the results of a list.
  func list(_ path: ResourcePath, _ fields: DocumentFields, isInTransaction: Bool) -> Question {
    let name = RulesPathNames.full(path, in: database)
    return .document(
      RulesRequest(
        method: .list,
        path: name,
        auth: auth,
        time: clock.now(),
        resource: StoredFields.resource(name, fields),
        isInTransaction: isInTransaction
      )
    )
  }
}

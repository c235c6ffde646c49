import BaseStatus
import DocumentStore
import FirestoreModel
import SecurityRules

/// A decision for a listener, with everything that it depends on.
///
/// It must be made again when one of the documents has changed, when other rules are deployed, or
/// when the caller's credentials are no longer valid. If it used the time, it must be made again
/// with every change to deliver.
package struct AccessDecision: Sendable {
  /// The error for the client; nil where it is allowed.
  package let refusal: ServiceError?
  /// The documents that the rules read beside the one that was asked about, as they were seen.
  package let dependencies: [ReadDependency]
  /// True if the rules looked at `request.time`.
  package let usesTime: Bool
  /// The rules that decided; nil where none apply.
  package let ruleset: ReleasedRuleset?
  /// When the caller's token ends, in seconds since 1970; nil is never.
  package let tokenExpiry: Int64?
}

extension AccessControl {
  /// Decides whether a caller may see a document (nil: that there is none) as it is at that time.
  ///
  /// Reads the store only where the rules look at other documents. Throws where the store fails.
  package func decide(
    _ caller: Caller,
    get path: ResourcePath,
    _ fields: DocumentFields?,
    in database: Database,
    at time: ReadTime
  ) throws -> AccessDecision {
    try decide(caller, in: database, at: time) { $0.get(path, fields) }
  }

  /// Decides if a caller may see any results of a query at that time.
  ///
  /// Reads the store only where the rules look at documents. Throws where the store fails.
  package func decide(
    _ caller: Caller,
    list query: NormalizedQuery,
    in database: Database,
    at time: ReadTime
  ) throws -> AccessDecision {
    try decide(caller, in: database, at: time) { $0.list(query) }
  }

  /// The same as it is in a view of memory; the view's calls throw where the disk would have to be read.
  package func decide(
    _ caller: Caller,
    get path: ResourcePath,
    _ fields: DocumentFields?,
    in database: Database,
    _ view: ReadView
  ) throws -> AccessDecision {
    try decide(caller, in: database, { $0.get(path, fields) }) { try $0(view) }
  }

  /// Decides on a query at a version from memory alone; nil where the disk would have to be read.
  ///
  /// For threads that must not block.
  package func decideInMemory(
    _ caller: Caller,
    list query: NormalizedQuery,
    in database: Database,
    at version: CommitVersion
  ) throws -> AccessDecision? {
    do {
      return try decide(caller, in: database, { $0.list(query) }) { body in
        let steps = 1 + RulesLimits.accessCalls
        guard let decision = try database.readInMemory(at: version, steps: steps, body)
        else { throw UnknownToMemory() }
        return decision
      }
    } catch is UnknownToMemory {
      return nil
    }
  }

  /// Memory alone cannot tell.
  private struct UnknownToMemory: Error {}

  private func decide(
    _ caller: Caller,
    in database: Database,
    at time: ReadTime,
    _ question: (RulesGate) -> RulesGate.Question
  ) throws -> AccessDecision {
    try decide(caller, in: database, question) { try database.read(time, $0) }
  }

  private func decide(
    _ caller: Caller,
    in database: Database,
    _ question: (RulesGate) -> RulesGate.Question,
    reading: ((ReadView) throws -> AccessDecision) throws -> AccessDecision
  ) throws -> AccessDecision {
    let gate: RulesGate?
    do throws(ServiceError) {
      gate = try permit(caller, database.id).gate
    } catch {
      return AccessDecision(caller, refusal: error)
    }
    guard let gate else { return AccessDecision(caller, refusal: nil) }
    let question = question(gate)
    do {
      return try AccessDecision(gate, question, gate.session(NoDocuments())) { [] }
    } catch is NoDocuments.Needed {
      return try reading { view in
        let documents = ViewDocuments(database, view)
        return try AccessDecision(gate, question, gate.session(documents)) {
          documents.dependencies
        }
      }
    }
  }
}

extension AccessDecision {
  /// A decision that no rules took.
  fileprivate init(_ caller: Caller, refusal: ServiceError?) {
    self.init(
      refusal: refusal,
      dependencies: [],
      usesTime: false,
      ruleset: nil,
      tokenExpiry: caller.tokenExpiry
    )
  }

  /// The rules' decision.
  fileprivate init(
    _ gate: RulesGate,
    _ question: RulesGate.Question,
    _ session: RulesSession,
    _ dependencies: () -> [ReadDependency]
  ) throws {
    let decision = try gate.decision(on: question, in: session)
    if decision.isAllowed {
      gate.note(allowed: question)
    } else {
      gate.note(denialOf: question, decision, in: session)
    }
    self.init(
      refusal: decision.isAllowed ? nil : AccessControl.denied,
      dependencies: dependencies(),
      usesTime: decision.usesTime,
      ruleset: gate.ruleset,
      tokenExpiry: gate.caller.tokenExpiry
    )
  }
}

extension Caller {
  /// When a signed token ends; development's unsigned ones do not.
  package var tokenExpiry: Int64? {
    if case .user(let user) = self, user.isSigned { user.expiry } else { nil }
  }
}

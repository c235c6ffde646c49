import Access
import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel
import Realtime

/// The choke point's decisions on one stream's caller.
final class CallerAuthority: ListenAuthority {
  private let caller: Caller
  private let access: AccessControl
  /// The account for the data that waits for the stream's client.
  let account: LedgerAccount?
  private let hasValidCredentials: @Sendable () -> Bool

  /// The caller of a stream that was opened in that context.
  init(_ caller: Caller, _ context: CallContext, access: AccessControl) {
    self.caller = caller
    self.access = access
    account = context.account
    hasValidCredentials = access.validity(of: caller, context)
  }

  func database(_ id: DatabaseID) throws -> Database {
    try access.databaseForListening(caller, id)
  }

  func decide(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision {
    if caller.administers(database.id.project) { return .unconditional }
    do {
      switch subject {
      case .query(let query):
        let decision = try access.decide(caller, list: query, in: database, at: .at(version))
        return try ListenDecision([decision], dependsOnResults: false)
      case .documents(let paths):
        let decisions = try paths.map { path in
          let fields = try database.get(path, at: .at(version))?.fields
          return try access.decide(caller, get: path, fields, in: database, at: .at(version))
        }
        return try ListenDecision(decisions, dependsOnResults: true)
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }

  func decideInMemory(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision? {
    if caller.administers(database.id.project) { return .unconditional }
    do {
      switch subject {
      case .query(let query):
        return try access.decideInMemory(caller, list: query, in: database, at: version)
          .map { try ListenDecision([$0], dependsOnResults: false) }
      case .documents(let paths):
        return try database.readInMemory(at: version, steps: Self.stepsInMemory) { view in
          let decisions = try paths.map { path in
            let key = DocumentKey(path, in: database.incarnation)
            let fields = try database.document(key, in: view)?.fields
            return try access.decide(caller, get: path, fields, in: database, view)
          }
          return try ListenDecision(decisions, dependsOnResults: true)
        }
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }

  /// Enough for some documents and what rules read beside them.
  private static let stepsInMemory = 100

  func checkCredentials() throws(ServiceError) {
    guard hasValidCredentials() else { throw AccessControl.invalidCredentials }
  }
}

extension ListenDecision {
  /// The choke point's decisions taken together; throws the first refusal.
  ///
  /// Without rules too it may change: rules may come.
  fileprivate init(_ decisions: [AccessDecision], dependsOnResults: Bool) throws {
    for decision in decisions {
      if let refusal = decision.refusal { throw refusal }
    }
    self.init(
      dependsOnRules: true,
      documents: Array(Set(decisions.flatMap(\.dependencies).map(\.path))),
      dependsOnResults: dependsOnResults && decisions.contains { $0.ruleset != nil },
      dependsOnTime: decisions.contains(where: \.usesTime)
    )
  }
}

import DocumentStore
import FirestoreModel
import Realtime

/// What the choke point says of one stream's caller.
final class CallerAuthority: ListenAuthority {
  private let caller: Caller
  private let service: FirestoreService

  init(_ caller: Caller, service: FirestoreService) {
    self.caller = caller
    self.service = service
  }

  func decide(
    _ subject: TargetRequest.Subject,
    in database: Database
  ) throws(FirestoreError) -> ListenDecision {
    switch subject {
    case .query(let query): try service.access.authorize(caller, .list(database.id, query))
    case .documents(let paths):
      let names = paths.map { DocumentName(database: database.id, path: $0) }
      try service.access.authorize(caller, .get(names))
    }
    return .unconditional
  }

  func checkCredentials() throws(FirestoreError) {}
}

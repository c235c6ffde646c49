import DocumentStore
import FirestoreWire

// BeginTransaction and Rollback.

extension FirestoreService {
  func beginTransaction(
    _ request: BeginTransactionRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    let permit = try permit(call, request.database)
    let database = try database(of: permit, call)
    let options = try permit.options(request.options)
    try onEngine(call, respond) {
      let id = try database.beginTransaction(options, holder: permit.holder)
      return BeginTransactionResponse(transaction: id.bytes).encoded()
    }
  }

  func rollback(
    _ request: RollbackRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    let permit = try permit(call, request.database)
    let database = try database(of: permit, call)
    try onEngine(call, respond) {
      try database.rollback(TransactionID(request.transaction))
      return EmptyResponse().encoded()
    }
  }
}

import Access
import BaseStatus
import DocumentStore
import FirestoreWire

// RunQuery, and the beginning of every reading.

extension FirestoreService {
  func runQuery(
    _ request: RunQueryRequest,
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    let permit = try permit(call, request.parent.database)
    let query = try request.query.normalized()
    let consistency = try permit.consistency(request.consistency)
    let isProven = try permit.allowsAlone(query, isInTransaction: consistency.isTransaction)
    let database = try database(of: permit, call)
    beginRead(database, consistency, call, respond) { [self] read, respond in
      let answer: @Sendable () -> any ResponseStream = {
        QueryStream(
          database.query(query, read: read),
          explain: request.explain,
          mask: request.query.projection,
          call: call,
          service: self,
          onFailure: {
            if let transaction = read.newTransaction { try? database.rollback(transaction) }
          }
        )
      }
      if isProven { return respond(.success(answer())) }
      try onEngine(call, respond) {
        try permit.require(query, database, read, consistency)
        return answer()
      }
    }
  }

  /// Starts a read; continues at once, or when a retried transaction holds the locks for which its
  /// last attempt was refused.
  ///
  /// The transaction that the request began ends with it if it fails: the caller may not know of it.
  func beginRead<Answer>(
    _ database: Database,
    _ consistency: Consistency,
    _ call: Call,
    _ respond: @escaping @Sendable (Result<Answer, ServiceError>) -> Void,
    _ body:
      @escaping @Sendable (
        ConsistentRead,
        _ respond: @escaping @Sendable (Result<Answer, ServiceError>) -> Void
      ) throws -> Void
  ) {
    let begun: @Sendable (Result<ConsistentRead, any Error>) -> Void = { [self] result in
      let answer: @Sendable (Result<Answer, ServiceError>) -> Void = { answer in
        if case .failure = answer, let transaction = (try? result.get())?.newTransaction {
          try? database.rollback(transaction)
        }
        respond(answer)
      }
      do {
        try body(try result.get(), answer)
      } catch {
        answer(.failure(reported(error, call.context)))
      }
    }
    guard consistency.readsToBegin, !call.mayBlock else {
      return database.beginRead(consistency, check: call.check, completion: begun)
    }
    startOnEngine(call.context, respond) {
      database.beginRead(consistency, check: call.check, completion: begun)
    }
  }
}

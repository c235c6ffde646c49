import Access
import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire

// GetDocument and BatchGetDocuments.

extension FirestoreService {
  func getDocument(
    _ request: GetDocumentRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    let permit = try permit(call, request.name.database)
    let database = try database(of: permit, call)
    let mask = request.mask
    switch try permit.consistency(request.consistency) {
    case .latest:
      if let record = try permit.getInMemory(request.name.path, in: database) {
        return respond(.success(DocumentResponse(record, mask: mask).encoded()))
      }
      try onEngine(call, respond) {
        guard let record = try permit.get(request.name.path, in: database) else {
          throw Self.notFound(request.name)
        }
        return DocumentResponse(record, mask: mask).encoded()
      }
    case let consistency:
      try read([request.name], of: database, permit, consistency, call, respond) { found in
        guard let record = found.items.first?.record else { throw Self.notFound(request.name) }
        return DocumentResponse(record, mask: mask).encoded()
      }
    }
  }

  func batchGetDocuments(
    _ request: BatchGetDocumentsRequest,
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    let permit = try permit(call, request.database)
    let database = try database(of: permit, call)
    let consistency = try permit.consistency(request.consistency)
    let lease = try call.context.lease(0, for: .response)
    try read(request.names, of: database, permit, consistency, call, lease: lease, respond) {
      found in
      BatchGetStream(found, in: request.database, mask: request.mask, lease: lease)
    }
  }

  /// Reads documents on an engine thread, waiting for their locks without a thread; what was read counts on the
  /// lease.
  private func read<Answer>(
    _ names: [DocumentName],
    of database: Database,
    _ permit: Permit,
    _ consistency: Consistency,
    _ call: Call,
    lease: ByteLease? = nil,
    _ respond: @escaping @Sendable (Result<Answer, ServiceError>) -> Void,
    _ answer: @escaping @Sendable (BatchGetResult) throws -> Answer
  ) throws {
    let finish: @Sendable (Result<BatchGetResult, any Error>) -> Void = { [self] result in
      do {
        respond(.success(try answer(try result.get())))
      } catch {
        respond(.failure(reported(error, call.context)))
      }
    }
    let failed: @Sendable (Result<Void, ServiceError>) -> Void = { result in
      if case .failure(let error) = result { finish(.failure(error)) }
    }
    try onEngine(call, failed) {
      database.batchGet(
        names.map(\.path),
        consistency: consistency,
        judge: permit.judgeOfReads(database, isInTransaction: consistency.isTransaction),
        check: call.check,
        reserve: lease.map(Self.growth),
        completion: finish
      )
    }
  }

  /// Takes so many bytes more on a lease, or throws.
  private static func growth(of lease: ByteLease) -> @Sendable (Int) throws -> Void {
    { bytes in
      guard lease.resize(to: lease.bytes + bytes) else { throw ByteLedger.exhausted }
    }
  }

  private static func notFound(_ name: DocumentName) -> ServiceError {
    ServiceError(.notFound, "Document \"\(name.string)\" not found.")
  }
}

import Access
import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire

// Commit, BatchWrite and the three writes of single documents.

extension FirestoreService {
  func commit(
    _ request: CommitRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    try commit(request, call, respond) { outcome in
      CommitResponse(results: outcome.results, commitTime: outcome.version).encoded()
    }
  }

  /// Commits for a caller who may, be it a call or a batch of a write stream.
  func commit<Answer>(
    _ request: CommitRequest,
    idempotencyKey: IdempotencyKey? = nil,
    _ call: Call,
    _ respond: @escaping @Sendable (Result<Answer, ServiceError>) -> Void,
    _ answer: @escaping @Sendable (CommitOutcome) -> Answer
  ) throws {
    let permit = try permit(call, request.database)
    let database = try database(of: permit, call)
    note(request.writes, call)
    let transaction = request.transaction.map(TransactionID.init)
    let commit = CommitProposal(
      writes: request.writes,
      transaction: transaction,
      judge: permit.judgeOfWrites,
      idempotencyKey: idempotencyKey,
      author: call.author
    )
    try submit(commit, to: database, call, respond, answer)
  }

  /// Records in the audit trail an administrator's writes and their documents.
  private func note(_ writes: [Write], _ call: Call) {
    guard let actor = call.context.actor, actor.administrator != nil else { return }
    var subjects = CallSubjects()
    for write in writes { subjects.append("\(write.verb) \(write.name.path.string)") }
    actor.note(subjects: subjects)
  }

  func batchWrite(
    _ request: BatchWriteRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    let permit = try permit(call, request.database)
    try permit.requireAdministrator(for: "Batch writes")
    let database = try database(of: permit, call)
    note(request.writes, call)
    let lease = try call.context.lease(
      CommitProposal(writes: request.writes).approximateBytes,
      for: .commit
    )
    try onEngine(call, onlyFailure(respond)) { [self] in
      database.batchWrite(request.writes, author: call.author) { result in
        defer { withExtendedLifetime(lease) {} }
        respond(
          result.map { outcomes in
            let results = outcomes.map { outcome in
              outcome.mapError { self.reported($0, call.context) }
            }
            return BatchWriteResponse(outcomes: results).encoded()
          }
          .mapError { self.reported($0, call.context) }
        )
      }
    }
  }

  func createDocument(
    _ bytes: [UInt8],
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    var random = SystemRandomNumberGenerator()
    let request = try CreateDocumentRequest(decoding: bytes, using: &random)
    try write(request.write, mask: request.mask, call, respond)
  }

  func updateDocument(
    _ request: UpdateDocumentRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    try write(request.write, mask: request.mask, call, respond)
  }

  func deleteDocument(
    _ request: DeleteDocumentRequest,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    let permit = try permit(call, request.write.name.database)
    let database = try database(of: permit, call)
    let commit = CommitProposal(
      writes: [request.write],
      judge: permit.judgeOfWrites,
      author: call.author
    )
    try submit(commit, to: database, call, respond) { _ in
      EmptyResponse().encoded()
    }
  }

  /// Writes one document and responds with its new state, as far as the caller may know.
  private func write(
    _ write: Write,
    mask: [FieldPath]?,
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    let permit = try permit(call, write.name.database)
    let database = try database(of: permit, call)
    let isWhole = permit.mayKnowAll(of: write)
    let submitted = CommitProposal(
      writes: [write],
      judge: permit.judgeOfWrites,
      wantsDocuments: isWhole,
      author: call.author
    )
    if isWhole {
      return try submit(submitted, to: database, call, respond) { outcome in
        guard let stored = outcome.documents.first ?? nil else {
          preconditionFailure("a document that was written does not exist")
        }
        return DocumentResponse(stored.record(name: write.name), mask: mask).encoded()
      }
    }
    let finish: @Sendable (Result<CommitOutcome, ServiceError>) -> Void = { [self] result in
      switch result {
      case .failure(let error): respond(.failure(error))
      case .success(let outcome):
        do {
          try onEngine(call, respond) {
            let record = try permit.get(written: write, in: database, at: outcome.version)
            guard let record else {
              throw ServiceError(.internalError, "The written document was not found.")
            }
            return DocumentResponse(record, mask: mask).encoded()
          }
        } catch {
          respond(.failure(reported(error, call.context)))
        }
      }
    }
    try submit(submitted, to: database, call, finish) { $0 }
  }

  /// Prepares a commit here or on an engine thread; the store answers when it is durable.
  ///
  /// If the reason for allowing it has changed in the meantime, it is decided and prepared again,
  /// the last time inside the writer's group, where nothing changes.
  private func submit<Answer>(
    _ commit: CommitProposal,
    to database: Database,
    attempt: Int = 1,
    _ call: Call,
    _ respond: @escaping @Sendable (Result<Answer, ServiceError>) -> Void,
    _ answer: @escaping @Sendable (CommitOutcome) -> Answer
  ) throws {
    // Kept until the response: no other bound is on what waits for the writer.
    let lease = try call.context.lease(commit.approximateBytes, for: .commit)
    let completion: @Sendable (Result<CommitOutcome, any Error>) -> Void = { [self] result in
      defer { withExtendedLifetime(lease) {} }
      if case .failure(is StaleReadSet) = result, attempt < Self.attempts {
        do {
          try submit(commit, to: database, attempt: attempt + 1, call, respond, answer)
        } catch {
          respond(.failure(reported(error, call.context)))
        }
        return
      }
      respond(result.map(answer).mapError { reported($0, call.context) })
    }
    if attempt == 1, database.commitInMemory(commit, completion: completion) { return }
    var commit = commit
    commit.isJudgedInGroup = attempt == Self.attempts
    try onEngine(call, onlyFailure(respond)) { [commit] in
      database.commit(commit, completion: completion)
    }
  }

  /// The number of times that a commit is decided on.
  private static let attempts = 4

  /// For work that answers by itself unless it throws.
  func onlyFailure<Answer>(
    _ respond: @escaping @Sendable (Result<Answer, ServiceError>) -> Void
  ) -> @Sendable (Result<Void, ServiceError>) -> Void {
    { result in
      if case .failure(let error) = result { respond(.failure(error)) }
    }
  }
}

extension CommitProposal {
  /// The approximate memory of the commit on its way into a group: its writes, and their results.
  fileprivate var approximateBytes: Int {
    writes.reduce(256) { bytes, write in
      guard case .update(let fields, _) = write.operation else { return bytes + 256 }
      return bytes + 512 + 2 * fields.bytes.count
    }
  }
}

extension Write {
  /// The write in a word.
  fileprivate var verb: String {
    switch operation {
    case .update: "write"
    case .delete: "delete"
    case .verify: "verify"
    case .transform: "transform"
    }
  }
}

import BaseStatus
import FirestoreModel
import KeyValueStore

extension Database {
  /// Commits writes, all or none, and completes when they are durable.
  ///
  /// Fails with `ServiceError`, or with `StaleReadSet` when the decision behind the request must be
  /// taken again; a transaction survives only the latter. The completion runs once, on the writer's
  /// thread, the caller's or the store's.
  package func commit(
    _ request: CommitProposal,
    completion: @escaping @Sendable (Result<CommitOutcome, any Error>) -> Void
  ) {
    do {
      try WriteLimits.checkCommit(request.writes, database: id)
      guard let id = request.transaction else {
        commitPlainly(request, completion: completion)
        return
      }
      let transaction = try transactionToCommit(id, request)
      commit(request, in: transaction, completion: completion)
    } catch {
      completion(.failure(ServiceError.storage(error)))
    }
  }

  /// The same if memory has all the data to prepare the commit, which is little, and no wait is
  /// needed; otherwise false, without effect.
  ///
  /// For threads that must not block.
  package func commitInMemory(
    _ request: CommitProposal,
    completion: @escaping @Sendable (Result<CommitOutcome, any Error>) -> Void
  ) -> Bool {
    guard request.transaction == nil, request.readSet.isEmpty, !request.isJudgedInGroup,
      request.isSmall, request.idempotencyKey == nil, locks.isIdle, odds.commits.shouldTry()
    else { return false }
    let isAnswered = answeredInMemory(request, completion: completion)
    odds.commits.note(success: isAnswered)
    return isAnswered
  }

  private func answeredInMemory(
    _ request: CommitProposal,
    completion: @escaping @Sendable (Result<CommitOutcome, any Error>) -> Void
  ) -> Bool {
    do {
      try WriteLimits.checkCommit(request.writes, database: id)
      guard !isRetired else { throw ServiceError.unknownDatabase(id) }
      let prepared =
        if let judge = request.judge {
          try judgedInMemory(request, judge)
        } else {
          PreparedCommit(plan: try plan(request, inMemory: true))
        }
      submit(request, reads: nil, prepared, completion: completion)
    } catch let error where Self.isForTheDisk(error) {
      return false
    } catch let denial as CommitJudgement.Denial {
      // Several documents may have been read at different times; a snapshot decides.
      if denial.isOfSeveralDocuments || Self.isForTheDisk(denial.reason) { return false }
      completion(.failure(ServiceError.storage(denial.reason)))
    } catch {
      completion(.failure(ServiceError.storage(error)))
    }
    return true
  }

  /// Commits each write on its own, in no order, and completes when all have their responses.
  ///
  /// `readSets`, where given, has one set a write; a write that goes stale answers `StaleReadSet`.
  package func batchWrite(
    _ writes: [Write],
    readSets: [[ReadDependency]] = [],
    requestTime: Timestamp? = nil,
    author: CommitAuthor = .system,
    completion: @escaping @Sendable (Result<[Result<WriteResult, any Error>], any Error>) -> Void
  ) {
    do {
      try WriteLimits.checkBatch(writes, database: id)
    } catch {
      completion(.failure(ServiceError.storage(error)))
      return
    }
    let answers = AnswerCollector(count: writes.count) { completion(.success($0)) }
    for (index, write) in writes.enumerated() {
      let request = CommitProposal(
        writes: [write],
        readSet: index < readSets.count ? readSets[index] : [],
        requestTime: requestTime,
        author: author
      )
      commit(request) { result in
        answers.set(
          result.flatMap { outcome in
            outcome.results.first.map(Result.success)
              ?? .failure(ServiceError(.internalError, "A write has no result."))
          },
          at: index
        )
      }
    }
  }

  /// Without a transaction: waits only where pessimistic transactions hold the documents.
  private func commitPlainly(
    _ request: CommitProposal,
    completion: @escaping @Sendable (Result<CommitOutcome, any Error>) -> Void
  ) {
    guard !locks.isIdle else {
      submit(request, reads: nil, completion: completion)
      return
    }
    if let denial = denial(of: request) { return completion(.failure(denial)) }
    let owner = locks.makeOwner()
    locks.write(writtenKeys(request), by: owner) { [self] result in
      switch result {
      case .failure(let refusal):
        locks.release(owner)
        completion(.failure(refusal))
      case .success:
        submit(request, reads: nil) { result in
          self.locks.release(owner)
          completion(result)
        }
      }
    }
  }

  private func commit(
    _ request: CommitProposal,
    in transaction: Transaction,
    completion: @escaping @Sendable (Result<CommitOutcome, any Error>) -> Void
  ) {
    let reads = transaction.reads
    guard transaction.isPessimistic || !locks.isIdle else {
      submit(request, reads: reads) { [self] result in
        finish(transaction, result, completion)
      }
      return
    }
    if let denial = denial(of: request) {
      return finish(transaction, .failure(denial), completion)
    }
    locks.write(writtenKeys(request), by: transaction.owner) { [self] result in
      switch result {
      case .failure(let refusal): finish(transaction, .failure(refusal), completion)
      case .success:
        submit(request, reads: reads) { result in
          self.finish(transaction, result, completion)
        }
      }
    }
  }

  private func finish(
    _ transaction: Transaction,
    _ result: Result<CommitOutcome, any Error>,
    _ completion: @escaping @Sendable (Result<CommitOutcome, any Error>) -> Void
  ) {
    switch result {
    case .success: transactions.end(transaction, .committed)
    case .failure(is StaleReadSet): transaction.reopen(now: configuration.clock.now())
    case .failure(let error) where ServiceError.storage(error).code == .unavailable:
      transactions.end(transaction, .failed)
    case .failure: transactions.end(transaction, .refused)
    }
    completion(result)
  }

  /// Returns the reason why the commit is not allowed as things are; nil if it may wait for its
  /// documents.
  ///
  /// This is checked before a commit takes locks. So a caller who may not write neither learns from
  /// the wait that others are writing to a document, nor keeps anyone from it. When it has the
  /// locks the commit is decided again, and an error here comes up then.
  private func denial(of request: CommitProposal) -> ServiceError? {
    guard let judge = request.judge, !request.isJudgedInGroup else { return nil }
    do {
      if try !isKept(request) { _ = try judged(request, judge) }
    } catch let denial as CommitJudgement.Denial {
      return isKeptMeanwhile(request) ? nil : ServiceError.storage(denial.reason)
    } catch {}
    return nil
  }

  /// The transaction, now committing; throws what speaks against its commit.
  private func transactionToCommit(
    _ id: TransactionID,
    _ request: CommitProposal
  ) throws(ServiceError) -> Transaction {
    let transaction = try transactions.find(id)
    if transaction.isReadOnly, !request.writes.isEmpty {
      transactions.end(transaction, .refused)
      throw .readOnlyTransaction
    }
    guard transaction.beginCommit() else { throw .transactionOver }
    return transaction
  }

  /// Prepares the commit on this thread and hands it to the writer.
  private func submit(
    _ request: CommitProposal,
    reads: Transaction.Reads?,
    completion: @escaping @Sendable (Result<CommitOutcome, any Error>) -> Void
  ) {
    var request = request
    var prepared = PreparedCommit()
    do {
      // A commit that was applied before is not judged again: what it wrote may forbid it now.
      if try isKept(request) { request.isJudgedInGroup = true }
      prepared = try prepare(request)
    } catch  where isKeptMeanwhile(request) {
      request.isJudgedInGroup = true
    } catch let denial as CommitJudgement.Denial {
      completion(.failure(ServiceError.storage(denial.reason)))
      return
    } catch {
      // A write that the newest state refuses is refused, unless the premises of the commit may
      // have changed: those are checked first, and only the group can check them.
      guard reads != nil || !request.readSet.isEmpty else {
        completion(.failure(ServiceError.storage(error)))
        return
      }
    }
    submit(request, reads: reads, prepared, completion: completion)
  }

  private func submit(
    _ request: CommitProposal,
    reads: Transaction.Reads?,
    _ prepared: PreparedCommit,
    completion: @escaping @Sendable (Result<CommitOutcome, any Error>) -> Void
  ) {
    var request = request
    if let time = prepared.requestTime { request.requestTime = time }
    writer.submit(
      PendingCommit(
        database: self,
        request: request,
        reads: reads,
        prepared: prepared,
        completion: completion
      )
    )
  }

  /// Returns true if the commit was applied before, as far as can be seen outside the group.
  private func isKept(_ request: CommitProposal) throws -> Bool {
    guard let key = request.idempotencyKey else { return false }
    return try readNewest(AnswerKey.bytes(key, in: incarnation)) != nil
  }

  /// Returns true if the same commit, sent twice, was applied while it was being refused.
  private func isKeptMeanwhile(_ request: CommitProposal) -> Bool {
    (try? isKept(request)) ?? false
  }

  /// Plans the commit, and decides on it where it has a judge.
  private func prepare(_ request: CommitProposal) throws -> PreparedCommit {
    do {
      return try plannedAndJudged(request)
    } catch {
      configuration.noteDamage((error as? CommitJudgement.Denial)?.reason ?? error)
      throw error
    }
  }

  private func plannedAndJudged(_ request: CommitProposal) throws -> PreparedCommit {
    guard !isRetired else { throw ServiceError.unknownDatabase(id) }
    guard let judge = request.judge else {
      return PreparedCommit(plan: try plan(request, inMemory: false))
    }
    return request.isJudgedInGroup ? PreparedCommit() : try judged(request, judge)
  }

  /// Plans the commit; throws `NotInMemory` where it may not look further and would have to.
  private func plan(_ request: CommitProposal, inMemory: Bool) throws -> CommitPlan {
    let basis = writer.recentWrites.landed
    var plan: CommitPlan
    if request.isBulk, let range = orderedRange(of: request.writes) {
      plan = try engine.read { view in
        let documents = try OrderedReads(range, in: view)
        return try self.plan(request) { key in
          try documents.covers(key) ? documents.value(of: key) : view.get(key)
        }
      }
    } else {
      plan = try self.plan(request, inMemory: inMemory) {
        try self.readNewest($0, inMemory: inMemory)
      }
    }
    plan.basis = basis
    return plan
  }

  private func plan(
    _ request: CommitProposal,
    inMemory: Bool = false,
    _ read: @escaping ([UInt8]) throws -> [UInt8]?
  ) throws -> CommitPlan {
    var planner = CommitPlanner(
      incarnation: incarnation,
      indexes: indexes.current,
      requestTime: { try request.requestTime ?? self.requestTime(inMemory: inMemory) },
      read: read
    )
    planner.historyFloor = historyFloor
    return try planner.plan(request.writes)
  }

  /// The number of writes from which reading them in order pays, rather than a get for each.
  private static let fewestOfRange = 32

  /// The range from the first document to the last one; nil where the writes are few, or not in the order of their names.
  private func orderedRange(of writes: [Write]) -> KeyRange? {
    guard writes.count >= Self.fewestOfRange, let first = writes.first, let last = writes.last,
      zip(writes, writes.dropFirst()).allSatisfy({ $0.name.path < $1.name.path })
    else { return nil }
    return KeyRange(
      lower: DocumentKey(first.name.path, in: incarnation).bytes,
      upper: DocumentKey(last.name.path, in: incarnation).bytes + [0]
    )
  }

  private func requestTime(inMemory: Bool) throws -> Timestamp {
    guard inMemory else { return try requestTime() }
    guard let time = try engine.readInMemory(steps: 0, { try $0.readTime() }) else {
      throw NotInMemory()
    }
    return CommitVersion(microseconds: time).timestamp.truncatedToMilliseconds
  }

  /// Prepares a commit that has to be allowed.
  ///
  /// The judge may see several documents at different moments. That does no harm if it allows the
  /// commit, since the group checks that all of them are unchanged; a denial is decided again, on
  /// one snapshot.
  private func judged(_ request: CommitProposal, _ judge: CommitJudge) throws -> PreparedCommit {
    let time = try request.requestTime ?? requestTime()
    let basis = writer.recentWrites.landed
    do {
      let permission = try judgement(at: time) { try self.readNewest($0) }
        .decide(request.writes, judge)
      return PreparedCommit(permission, requestTime: time, basis: basis)
    } catch let denial as CommitJudgement.Denial where denial.isOfSeveralDocuments {
      return try read(.now) { view in
        let permission = try judgement(at: time) { try view.reader.get($0) }
          .decide(request.writes, judge)
        return PreparedCommit(permission, requestTime: time, basis: basis)
      }
    }
  }

  /// The same from memory; throws `NotInMemory`, or a denial for that reason, where that is not enough.
  private func judgedInMemory(
    _ request: CommitProposal,
    _ judge: CommitJudge
  ) throws -> PreparedCommit {
    let time = try request.requestTime ?? requestTime(inMemory: true)
    let basis = writer.recentWrites.landed
    var judgement = judgement(at: time) { try self.readNewest($0, inMemory: true) }
    judgement.isInMemory = true
    let permission = try judgement.decide(request.writes, judge)
    return PreparedCommit(permission, requestTime: time, basis: basis)
  }

  private func judgement(
    at time: Timestamp,
    _ read: @escaping ([UInt8]) throws -> [UInt8]?
  ) -> CommitJudgement {
    CommitJudgement(
      incarnation: incarnation,
      indexes: indexes.current,
      requestTime: time,
      read: read
    )
  }

  private func readNewest(_ key: [UInt8], inMemory: Bool = false) throws -> [UInt8]? {
    switch try engine.get(key, cachedOnly: inMemory) {
    case .found(let value): return value
    case .missing: return nil
    case .incomplete: throw NotInMemory()
    }
  }

  private func writtenKeys(_ request: CommitProposal) -> [DocumentKey] {
    request.writes.compactMap { write in
      if case .verify = write.operation { return nil }
      return DocumentKey(write.name.path, in: incarnation)
    }
  }
}

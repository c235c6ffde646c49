import BaseStatus
import FirestoreModel

/// The state of a batch of documents at one version.
package struct BatchGetResult: Sendable {
  /// A document that was asked for; the record is nil when it was missing.
  package struct Item: Sendable {
    /// The requested path, in the database of the call.
    package let path: ResourcePath
    /// The document at the read time.
    package let record: DocumentRecord?
  }

  /// In the order of the request.
  package let items: [Item]
  /// The version at which all documents were read.
  package let readTime: CommitVersion
  /// The transaction that the request began; nil without one.
  package let newTransaction: TransactionID?
}

/// Decides if read documents may be returned; throws the error for the client.
package typealias BatchGetJudge = @Sendable (BatchGetResult, ReadView) throws -> Void

extension Database {
  /// Begins a transaction; with a holder it counts against the holder's share.
  package func beginTransaction(
    _ options: TransactionKind,
    holder: TransactionHolder? = nil
  ) throws -> TransactionID {
    try begin(options, holder).id
  }

  /// Ends a transaction without a commit.
  ///
  /// One that ended before is no error, unless it committed.
  package func rollback(_ id: TransactionID) throws {
    try transactions.rollback(id)
  }

  /// Prepares reading with a consistency; queries take it from here.
  ///
  /// Reads with it fail with the error that `check` throws, within some thousand steps.
  package func beginRead(
    _ consistency: Consistency,
    check: WorkCheck? = nil
  ) throws -> ConsistentRead {
    let (version, transaction): (CommitVersion?, Transaction?) =
      switch consistency {
      case .latest: (nil, nil)
      case .at(let version): (version, nil)
      case .transaction(let id): (nil, try transactions.find(id))
      case .newTransaction(let options, let holder): (nil, try begin(options, holder))
      }
    return ConsistentRead(
      self,
      version: version,
      transaction: transaction,
      isNew: consistency.beginsTransaction,
      check: check
    )
  }

  /// The same, after waiting for what a refused attempt of the transaction had read.
  ///
  /// Queries find their documents too late to wait for them; a retry knows them. It completes on the
  /// store's thread if it had to wait, otherwise on the caller's. A lock that cannot be had does not
  /// fail the read, as in `batchGet`.
  package func beginRead(
    _ consistency: Consistency,
    check: WorkCheck? = nil,
    completion: @escaping @Sendable (Result<ConsistentRead, any Error>) -> Void
  ) {
    do {
      let read = try beginRead(consistency, check: check)
      guard let transaction = read.transaction, transaction.version == nil,
        !transaction.contested.isEmpty
      else { return completion(.success(read)) }
      try transaction.beginCall(self)
      locks.read(transaction.contested, by: transaction.owner, insists: true) { [self] locked in
        transaction.endCall(now: configuration.clock.now())
        switch locked.forgivingContention {
        case .success:
          if !transaction.isOpen { locks.release(transaction.owner) }
          completion(.success(read))
        case .failure(let error):
          transactions.end(transaction, .rolledBack)
          completion(.failure(error))
        }
      }
    } catch {
      completion(.failure(ServiceError.storage(error)))
    }
  }

  /// Reads documents at one version.
  ///
  /// `judge` decides, with the same view, whether they may be handed out; a throw ends the transaction
  /// that the call began.
  /// In a pessimistic transaction it may have to wait for others and then completes on the store's
  /// thread, otherwise on the caller's.
  ///
  /// - Parameters:
  ///   - check: Asked before each document.
  ///   - reserve: Asked with the bytes of each document before the next one is read; what it throws ends the
  ///     read.
  package func batchGet(
    _ paths: [ResourcePath],
    consistency: Consistency = .latest,
    judge: BatchGetJudge? = nil,
    check: WorkCheck? = nil,
    reserve: (@Sendable (_ bytes: Int) throws -> Void)? = nil,
    completion: @escaping @Sendable (Result<BatchGetResult, any Error>) -> Void
  ) {
    do {
      let transaction: Transaction?
      switch consistency {
      case .latest, .at: transaction = nil
      case .transaction(let id): transaction = try transactions.find(id)
      case .newTransaction(let options, let holder): transaction = try begin(options, holder)
      }
      let read = ConsistentRead(
        self,
        version: consistency.version,
        transaction: transaction,
        isNew: consistency.beginsTransaction,
        check: check
      )
      let steps = BatchGetSteps(check: check, reserve: reserve)
      guard let transaction, transaction.isPessimistic else {
        let answer = Result { try batchGet(paths, with: read, judge, steps) }
        if answer.isFailure, let transaction, read.newTransaction != nil {
          // No caller receives it.
          transactions.end(transaction, .rolledBack)
        }
        completion(answer)
        return
      }
      batchGet(paths, with: read, waitingIn: transaction, judge, steps, completion)
    } catch {
      completion(.failure(ServiceError.storage(error)))
    }
  }

  private func begin(
    _ options: TransactionKind,
    _ holder: TransactionHolder?
  ) throws -> Transaction {
    guard !isRetired else { throw ServiceError.unknownDatabase(id) }
    if case .readOnly(let version?) = options {
      // Refuses a version that cannot be read before anything rests on it.
      try read(.at(version)) { _ in }
    }
    return try transactions.begin(options, holder: holder)
  }

  /// Takes the documents' locks first, so that the version is fixed after the wait.
  ///
  /// A lock that cannot be had, for a deadlock or after the time-out, does not fail the read: locks
  /// only schedule. The commit's validation decides, and that is where every client tries again.
  private func batchGet(
    _ paths: [ResourcePath],
    with read: ConsistentRead,
    waitingIn transaction: Transaction,
    _ judge: BatchGetJudge?,
    _ steps: BatchGetSteps,
    _ completion: @escaping @Sendable (Result<BatchGetResult, any Error>) -> Void
  ) {
    do {
      try transaction.beginCall(self)
    } catch {
      completion(.failure(error))
      return
    }
    let keys = paths.map { DocumentKey($0, in: incarnation) }
    locks.read(keys, by: transaction.owner, insists: transaction.isRetry) { [self] locked in
      let result = locked.forgivingContention
      let answer = result.mapError { $0 as any Error }.flatMap { _ in
        Result { try batchGet(paths, with: read, judge, steps) }
      }
      transaction.endCall(now: configuration.clock.now())
      if result.isFailure || (answer.isFailure && read.newTransaction != nil) {
        transactions.end(transaction, .rolledBack)
      } else if !transaction.isOpen {
        // It was ended by another call after this one had taken its locks.
        locks.release(transaction.owner)
      }
      completion(answer)
    }
  }

  private func batchGet(
    _ paths: [ResourcePath],
    with read: ConsistentRead,
    _ judge: BatchGetJudge?,
    _ steps: BatchGetSteps
  ) throws -> BatchGetResult {
    do {
      return try read.view { view in
        var items: [BatchGetResult.Item] = []
        items.reserveCapacity(paths.count)
        for path in paths {
          try steps.check?()
          let stored = try document(DocumentKey(path, in: incarnation), in: view)
          let name = DocumentName(database: id, path: path)
          try steps.reserve?(256 + (stored?.fields.bytes.count ?? 0))
          items.append(BatchGetResult.Item(path: path, record: stored?.record(name: name)))
        }
        let result = BatchGetResult(
          items: items,
          readTime: view.version,
          newTransaction: read.newTransaction
        )
        try judge?(result, view)
        // Not before: a commit must not tell whether something that was denied has changed.
        for item in items {
          try read.record(.document(item.path, item.record?.updateTime ?? .zero))
        }
        return result
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }
}

/// The checks made while documents are read one after the other.
private struct BatchGetSteps: Sendable {
  let check: WorkCheck?
  let reserve: (@Sendable (_ bytes: Int) throws -> Void)?
}

extension Consistency {
  /// The version that it names.
  fileprivate var version: CommitVersion? {
    if case .at(let version) = self { return version }
    return nil
  }

  fileprivate var beginsTransaction: Bool {
    if case .newTransaction = self { return true }
    return false
  }
}

extension Result {
  fileprivate var isFailure: Bool {
    if case .failure = self { return true }
    return false
  }
}

extension Result where Success == Void, Failure == ServiceError {
  /// Success instead of ABORTED for contention.
  fileprivate var forgivingContention: Self {
    if case .failure(let error) = self, error.isContention { return .success(()) }
    return self
  }
}

import FirestoreModel

@testable import DocumentStore

// The completion calls as async ones, for tests only.
extension Database {
  func commit(_ request: CommitProposal) async throws -> CommitOutcome {
    try await withCheckedThrowingContinuation { continuation in
      commit(request) { continuation.resume(with: $0) }
    }
  }

  @discardableResult
  func commit(
    _ writes: Write...,
    in transaction: TransactionID? = nil
  ) async throws
    -> CommitOutcome
  {
    try await commit(CommitProposal(writes: writes, transaction: transaction))
  }

  func batchWrite(_ writes: [Write]) async throws -> [Result<WriteResult, any Error>] {
    try await withCheckedThrowingContinuation { continuation in
      batchWrite(writes) { continuation.resume(with: $0) }
    }
  }

  func batchGet(
    _ paths: [ResourcePath],
    _ consistency: Consistency = .latest
  ) async throws -> BatchGetResult {
    try await withCheckedThrowingContinuation { continuation in
      batchGet(paths, consistency: consistency) { continuation.resume(with: $0) }
    }
  }

  /// A read that has waited for what a refused attempt of its transaction read.
  func reading(_ consistency: Consistency) async throws -> ConsistentRead {
    try await withCheckedThrowingContinuation { continuation in
      beginRead(consistency) { continuation.resume(with: $0) }
    }
  }

  /// One document's fields as part of a transaction.
  func read(_ path: ResourcePath, in transaction: TransactionID) async throws -> MapValue? {
    try await batchGet([path], .transaction(transaction)).items.first?.record?.fields.decoded()
  }

  func fields(_ path: ResourcePath, at time: ReadTime = .now) throws -> MapValue? {
    try get(path, at: time)?.fields.decoded()
  }
}

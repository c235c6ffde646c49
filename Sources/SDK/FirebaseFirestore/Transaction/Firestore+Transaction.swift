import BaseStatus
import FirebaseCore
import FirestoreClient
import FirestoreSync
import Foundation

// Running transactions.

extension Firestore {
  private static let blockQueue = DispatchQueue(
    label: "FirebaseFirestore.transactions",
    attributes: .concurrent
  )

  /// Runs a block until its changes could be committed; it is called on a thread of its own,
  /// perhaps several times.
  ///
  /// An error that the block leaves in the pointer ends the transaction. It fails offline.
  public func runTransaction(
    _ updateBlock: @escaping (Transaction, NSErrorPointer) -> Any?,
    completion: @escaping (Any?, (any Error)?) -> Void
  ) {
    runTransaction(with: nil, block: updateBlock, completion: completion)
  }

  /// Runs a block until what it did could be committed, in the way that the options say.
  public func runTransaction(
    with options: TransactionOptions?,
    block: @escaping (Transaction, NSErrorPointer) -> Any?,
    completion: @escaping (Any?, (any Error)?) -> Void
  ) {
    let block = Transferred(value: block)
    let attempts = (options ?? TransactionOptions()).maxAttempts
    let callback = AppCallback<Result<Transferred<Any?>, any Error>> { result in
      switch result {
      case .success(let result): completion(result.value, nil)
      case .failure(let error): completion(nil, error)
      }
    }
    let (client, queue) = (client, callbackQueue)
    Task {
      let result: Result<Transferred<Any?>, any Error>
      do {
        result = .success(try await run(block, attempts, client))
      } catch { result = .failure(error) }
      queue.async { callback.call(result) }
    }
  }

  /// Runs a block until its changes could be committed; it is called on a thread of its own,
  /// perhaps several times.
  public nonisolated(nonsending) func runTransaction(
    _ updateBlock: @escaping (Transaction, NSErrorPointer) -> Any?
  ) async throws -> sending Any? {
    let block = Transferred(value: updateBlock)
    let result = try await run(block, TransactionOptions().maxAttempts, client)
    return result.value
  }

  private typealias Block = Transferred<(Transaction, NSErrorPointer) -> Any?>

  @concurrent
  private func run(
    _ block: Block,
    _ attempts: Int,
    _ client: SyncClient
  ) async throws -> Transferred<Any?> {
    var backoff = Backoff()
    var attempt = 1
    while true {
      let delay = backoff.next()
      if delay > .zero { try await Task.sleep(for: delay * Double.random(in: 0.5...1.5)) }
      do {
        let transaction = Transaction(self, client)
        let result = try await Self.call(block, transaction)
        try await transaction.commit()
        return result
      } catch {
        guard attempt < attempts, !client.isTerminated, Self.isWorthAnotherAttempt(error) else {
          throw FirestoreErrorCode.app(error)
        }
        attempt += 1
      }
    }
  }

  /// Calls the block on a thread that it may block.
  private static func call(
    _ block: Block,
    _ transaction: Transaction
  ) async throws -> Transferred<Any?> {
    try await withCheckedThrowingContinuation { continuation in
      blockQueue.async {
        #if canImport(ObjectiveC)
        var error: NSError?
        let result = withUnsafeMutablePointer(to: &error) { pointer in
          block.value(transaction, AutoreleasingUnsafeMutablePointer(pointer))
        }
        #else
        var error: NSError?
        let result = withUnsafeMutablePointer(to: &error) { block.value(transaction, $0) }
        #endif
        if let error {
          continuation.resume(throwing: error)
        } else {
          continuation.resume(returning: Transferred(value: result))
        }
      }
    }
  }

  /// Returns true if the error may not occur again at the next attempt.
  private static func isWorthAnotherAttempt(_ error: any Error) -> Bool {
    let code: StatusCode?
    switch error {
    case let failure as FirestoreFailure: code = failure.code
    default:
      let error = error as NSError
      code = error.domain == FirestoreErrorDomain ? StatusCode(rawValue: error.code) : nil
    }
    return switch code {
    case .aborted?, .alreadyExists?, .failedPrecondition?, .cancelled?, .unknown?,
      .deadlineExceeded?, .resourceExhausted?, .internalError?, .unavailable?, .unauthenticated?:
      true
    default: false
    }
  }
}

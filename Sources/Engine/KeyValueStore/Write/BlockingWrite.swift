import BaseRuntime
import Dispatch

extension KeyValueEngine {
  /// Runs `body` as a write of a group and returns when the group is durable; a throw of the body undoes
  /// what it wrote.
  ///
  /// The body runs on the engine's writing thread, where it sees what earlier writes of the group wrote.
  /// After a failed write or sync every later write throws `KeyValueError.stopped`. A body or completion
  /// of another write may not call this: it throws `KeyValueError.misuse` there.
  ///
  /// - Parameters:
  ///   - mayLead: `QueuedWrite.mayLead`.
  ///   - settled: Receives the outcome on the writing thread, in the order of the writes
  ///     and before any later body: the place where state in memory follows the store.
  package func write<R>(
    _ priority: WritePriority = .interactive,
    mayLead: Bool = false,
    _ body: (any KeyValueGroup) throws -> R,
    settled: (Result<R, any Error>) -> Void = { _ in }
  ) throws -> R {
    BlockingCheck.assertMayBlock()
    guard !isWritingThread else {
      throw KeyValueError(.misuse, "a write waits for another inside a group")
    }
    return try withoutActuallyEscaping(body) { body in
      try withoutActuallyEscaping(settled) { settled in
        let call = BlockingWrite(body, settled)
        submit(
          QueuedWrite(priority, mayLead: mayLead) { group in
            try call.run(in: group)
          } completion: { outcome in
            call.settle(outcome)
          }
        )
        Handover.current?.deliver()
        return try call.wait()
      }
    }
  }
}

/// A write that its caller waits for.
///
/// `@unchecked Sendable`: until `done` is signalled only the queue's thread touches the mutable
/// state, and only the waiting caller afterwards.
private final class BlockingWrite<R>: @unchecked Sendable {
  private var body: ((any KeyValueGroup) throws -> R)?
  private var settled: ((Result<R, any Error>) -> Void)?
  private var result: Result<R, any Error>?
  private let done = DispatchSemaphore(value: 0)

  init(
    _ body: @escaping (any KeyValueGroup) throws -> R,
    _ settled: @escaping (Result<R, any Error>) -> Void
  ) {
    self.body = body
    self.settled = settled
  }

  func run(in group: any KeyValueGroup) throws {
    guard let value = try body?(group) else { preconditionFailure("a write runs once") }
    result = .success(value)
  }

  func settle(_ outcome: Result<Void, any Error>) {
    if case .failure(let error) = outcome { result = .failure(error) }
    if let result { settled?(result) }
    // The caller's closures end with its call.
    (body, settled) = (nil, nil)
    done.signal()
  }

  func wait() throws -> R {
    done.wait()
    guard let result else { preconditionFailure("a write that went well has a result") }
    return try result.get()
  }
}

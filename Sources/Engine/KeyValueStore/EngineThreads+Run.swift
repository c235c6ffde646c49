import BaseRuntime

extension EngineThreads {
  /// Runs a job and returns what it does; throws `KeyValueError.overloaded` when it does not fit.
  package func run<Answer: Sendable>(
    on lane: Lane = .reads,
    caller: String = "",
    _ job: @escaping @Sendable () throws -> Answer
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      let accepted = submit(to: lane, caller: caller) {
        continuation.resume(with: Result { try job() })
      }
      if !accepted { continuation.resume(throwing: KeyValueError.noThread) }
    }
  }
}

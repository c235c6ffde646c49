import FirebaseCore

extension Auth {
  /// Does asynchronous work and calls back with its result on the queue of callbacks.
  func deliver<Value: Sendable>(
    to completion: ((Value?, (any Error)?) -> Void)?,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    AppCallback { (value: Value?, error) in completion?(value, error) }
      .deliver(on: callbackQueue, work)
  }

  /// Does asynchronous work and calls back when it is done on the queue of callbacks.
  func deliver(
    to completion: (((any Error)?) -> Void)?,
    _ work: @escaping @Sendable () async throws -> Void
  ) {
    deliver(to: completion.map { completion in { (_: Void?, error) in completion(error) } }, work)
  }
}

import Foundation

/// A callback of the app's.
///
/// Unchecked: apps' callbacks are not marked `@Sendable`. This one was handed over with the call, is called once on
/// the queue of callbacks, and the app must expect it there.
private struct Callback<Value>: @unchecked Sendable {
  let call: (Value?, (any Error)?) -> Void
}

// The forms with a callback of what is asynchronous.

extension Messaging {
  private func deliver<Value: Sendable>(
    to callback: Callback<Value>,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    Task {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      callbackQueue.async {
        switch result {
        case .success(let value): callback.call(value, nil)
        case .failure(let error): callback.call(nil, error)
        }
      }
    }
  }

  /// The token that back ends send to, made where there is none.
  public func token(completion: @escaping (String?, (any Error)?) -> Void) {
    deliver(to: Callback(call: completion)) { try await self.token() }
  }

  /// Has the server forget the token.
  public func deleteToken(completion: @escaping ((any Error)?) -> Void) {
    deliver(to: Callback<Void> { completion($1) }) { try await self.deleteToken() }
  }

  /// Has the server forget the token, and forgets topics and messages.
  public func deleteData(completion: @escaping ((any Error)?) -> Void) {
    deliver(to: Callback<Void> { completion($1) }) { try await self.deleteData() }
  }

  /// The token for a sender.
  public func retrieveFCMToken(
    forSenderID senderID: String,
    completion: @escaping (String?, (any Error)?) -> Void
  ) {
    deliver(to: Callback(call: completion)) {
      try await self.retrieveFCMToken(forSenderID: senderID)
    }
  }

  /// Has the server forget the token for a sender.
  public func deleteFCMToken(
    forSenderID senderID: String,
    completion: @escaping ((any Error)?) -> Void
  ) {
    deliver(to: Callback<Void> { completion($1) }) {
      try await self.deleteFCMToken(forSenderID: senderID)
    }
  }

  /// Subscribes to a topic.
  public func subscribe(toTopic topic: String, completion: (((any Error)?) -> Void)?) {
    deliver(to: Callback<Void> { completion?($1) }) { try await self.subscribe(toTopic: topic) }
  }

  /// Subscribes to a topic no more.
  public func unsubscribe(fromTopic topic: String, completion: (((any Error)?) -> Void)?) {
    deliver(to: Callback<Void> { completion?($1) }) {
      try await self.unsubscribe(fromTopic: topic)
    }
  }
}

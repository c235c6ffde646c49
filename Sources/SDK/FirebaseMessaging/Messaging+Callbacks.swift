import FirebaseCore
import Foundation

// The asynchronous methods with a callback.

extension Messaging {
  func deliver(
    to completion: (((any Error)?) -> Void)?,
    _ work: @escaping @Sendable () async throws -> Void
  ) {
    AppCallback { (_: Void?, error) in completion?(error) }.deliver(on: callbackQueue, work)
  }

  /// The token that back ends send to, made where there is none.
  public func token(completion: @escaping (String?, (any Error)?) -> Void) {
    AppCallback(completion).deliver(on: callbackQueue) { try await self.token() }
  }

  /// Has the server forget the token.
  public func deleteToken(completion: @escaping ((any Error)?) -> Void) {
    deliver(to: completion) { try await self.deleteToken() }
  }

  /// Has the server forget the token, and forgets topics and messages.
  public func deleteData(completion: @escaping ((any Error)?) -> Void) {
    deliver(to: completion) { try await self.deleteData() }
  }

  /// The token for a sender.
  public func retrieveFCMToken(
    forSenderID senderID: String,
    completion: @escaping (String?, (any Error)?) -> Void
  ) {
    AppCallback(completion).deliver(on: callbackQueue) {
      try await self.retrieveFCMToken(forSenderID: senderID)
    }
  }

  /// Has the server forget the token for a sender.
  public func deleteFCMToken(
    forSenderID senderID: String,
    completion: @escaping ((any Error)?) -> Void
  ) {
    deliver(to: completion) {
      try await self.deleteFCMToken(forSenderID: senderID)
    }
  }

  /// Subscribes to a topic.
  public func subscribe(toTopic topic: String, completion: (((any Error)?) -> Void)? = nil) {
    deliver(to: completion) { try await self.subscribe(toTopic: topic) }
  }

  /// Subscribes to a topic no more.
  public func unsubscribe(fromTopic topic: String, completion: (((any Error)?) -> Void)? = nil) {
    deliver(to: completion) {
      try await self.unsubscribe(fromTopic: topic)
    }
  }
}

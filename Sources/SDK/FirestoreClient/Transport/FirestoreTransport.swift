import BaseText
import FirestoreModel
import FirestoreSync

/// The credentials of a call's caller.
package struct CallCredentials: Sendable, Hashable {
  /// The ID token; nil if no user is signed in.
  package var token: String?

  /// Credentials with a token, or without a user.
  package init(token: String?) { self.token = token }
}

/// The transport to a server.
///
/// The events of a stream come in order and end with `closed`, which comes once, unless the stream
/// is closed here first. A stream may be used before the server has responded.
package protocol FirestoreTransport: Sendable {
  /// Opens a Listen call; returns at once, and calls `receive` on any thread, one event at a time.
  func openWatch(
    _ credentials: CallCredentials,
    _ receive: @escaping @Sendable (WatchStreamEvent) -> Void
  ) -> any WatchStream

  /// Opens a Write call; returns at once, and calls `receive` on any thread, one event at a time.
  func openWrite(
    _ credentials: CallCredentials,
    _ receive: @escaping @Sendable (WriteStreamEvent) -> Void
  ) -> any WriteStream

  /// The documents as they are now, one result a name, missing ones with the time of the read.
  func documents(
    _ names: [DocumentName],
    _ credentials: CallCredentials
  ) async throws -> [CachedDocument]

  /// Applies writes as one commit.
  func commit(
    _ writes: [Write],
    _ credentials: CallCredentials
  ) async throws -> (version: CommitVersion, results: [WriteResult])

  /// A query's results as they are now, in its order.
  func results(
    _ query: Query,
    _ credentials: CallCredentials
  ) async throws -> [CachedDocument]

  /// Aggregations over a query's results, by their aliases.
  func aggregate(
    _ aggregations: [Aggregation],
    over query: Query,
    _ credentials: CallCredentials
  ) async throws -> [Text: Value]

  /// Closes every connection; requests in flight fail.
  func shutDown()
}

/// An event on a watch stream.
package enum WatchStreamEvent: Sendable {
  case changed([WatchChange])
  case closed(FirestoreFailure?)
}

/// An event on a write stream.
package enum WriteStreamEvent: Sendable {
  /// The answer to the first message.
  case shaken(token: [UInt8])
  /// The answer to the oldest batch that has none.
  case acknowledged(token: [UInt8], version: CommitVersion, results: [WriteResult])
  case closed(FirestoreFailure?)
}

/// A Listen call.
package protocol WatchStream: Sendable {
  /// Adds a target to the call, resumed from its token where it has one.
  func listen(_ data: TargetData)
  /// Removes a target from the call; the server confirms it as a change of the target.
  func unlisten(_ id: TargetID)
  /// Ends the call without `closed`; events that were on their way may still come.
  func close()
}

/// A Write call.
package protocol WriteStream: Sendable {
  /// Sends the first message, without which the server takes no batch.
  func shakeHands()
  /// Sends a batch; under the same label it is applied once, however often it is sent.
  func send(_ writes: [Write], token: [UInt8], label: String?)
  /// Ends the call without `closed`; events that were on their way may still come.
  func close()
}

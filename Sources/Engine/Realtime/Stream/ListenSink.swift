import BaseStatus

/// The destination of a stream's events: towards the client.
///
/// Only the hub's thread calls, so the order is the hub's; a call may neither block nor call back.
package protocol ListenSink: AnyObject, Sendable {
  /// Queues events in order. False asks to wait for `ListenStream.resume()`: the client reads more
  /// slowly than it is sent to.
  func send(_ events: [ListenEvent]) -> Bool
  /// Stops and starts taking the client's requests.
  func setReading(_ isReading: Bool)
  /// Ends the stream after the messages already sent; nil is OK.
  func finish(_ error: ServiceError?)
}

/// One message to a listening client.
package enum ListenEvent: Sendable {
  /// The target was accepted: the one response to its request.
  case added(Int32)
  /// The target is gone: because the client asked, or for a cause.
  case removed(Int32, cause: ServiceError?)
  /// The client must forget the target's documents; all of them follow.
  case reset(Int32)
  /// A document is in some targets, and no longer in others.
  case changed(SharedDocument, targets: [Int32], removed: [Int32])
  /// A document, which still exists, is no longer in targets.
  case left(SharedDocument, removed: [Int32], ConsistencyPoint)
  /// A document does not exist and is no longer in targets.
  case deleted(SharedDocument, removed: [Int32], ConsistencyPoint)
  /// The number of documents that the target has after the events sent before; with names, all of
  /// theirs are among them.
  case filter(Int32, count: Int, names: BloomFilter?)
  /// The target has caught up.
  case current(Int32, ConsistencyPoint)
  /// A token for some targets, while there can be none for all.
  case progressed([Int32], ConsistencyPoint)
  /// All current targets of the stream are consistent; with a token only if all are that the client
  /// knows.
  case consistent(ConsistencyPoint)
}

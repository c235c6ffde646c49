import BaseRuntime
import DocumentStore

/// Bounds and intervals of listening.
package struct RealtimeConfiguration: Sendable {
  /// Microseconds since some moment, never stepping back.
  package var clock: MicrosecondClock
  /// The approximate bytes of queued changes for a client that reads too slowly; beyond that its
  /// targets restart when it reads again.
  package var backlogBytes = 4 << 20
  /// The number of targets that one stream may have.
  package var targetsPerStream = 10_000
  /// The number of targets that read their initial content at the same time.
  package var concurrentReads = 8
  /// About how many bytes of documents a target is sent at once while it opens.
  package var partBytes = 256 << 10
  /// The approximate number of entries and documents that one job of a reading looks at.
  package var sliceSteps = QueryCursor.longSlice
  /// After this many microseconds without a message a client receives the time.
  package var heartbeat: Int64 = 30_000_000
  /// The microseconds for which the hub's version counts as the store's newest when a stream opens;
  /// with none a token of another node on the store is never ahead of it.
  package var freshness: Int64 = 10_000_000
  /// Microseconds between looks at credentials, heartbeats and the like.
  package var tick: Int64 = 1_000_000
  /// After so many microseconds decisions that looked at the time are made again.
  package var timedDecision: Int64 = 10_000_000
  /// The microseconds for which decisions are made again before others have their turn.
  package var decisionTime: Int64 = 10_000
  /// True if the hub has a thread of its own; tests call `ListenHub.step()` instead.
  package var runsItself = true

  /// The defaults, with a clock for waiting and idling.
  package init(clock: MicrosecondClock) { self.clock = clock }

  var readSlice: ReadSlice { ReadSlice(steps: sliceSteps, bytes: partBytes) }
}

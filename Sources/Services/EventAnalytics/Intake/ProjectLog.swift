import BaseText
import Synchronization

/// A project's intake: the segment that batches go to.
///
/// Its position moves on the engine's writing thread alone, so that a segment that was closed there gets no batch
/// any more.
final class ProjectLog: Sendable {
  /// The position of the next batch.
  struct Position: Sendable {
    var segment: UInt32
    var sequence: UInt32 = 0
    var events = 0
    /// When the first batch of the segment came.
    var opened: Int64?
  }

  private struct State {
    var position: Position
    var record: ProjectRecord
    /// True if a segment was sealed since the last merge found nothing to do.
    var mayMerge = true
    /// True if days that are over may have several parts; checked once in a while, since imports
    /// fill such days segment by segment.
    var mayMergeClosed = true
    /// When old events were looked for, in microseconds.
    var lookedForOld: Int64 = 0
    /// Segments that get no batch any more, of which the last ones may not have landed.
    var closing: [UInt32] = []
    /// Segments of which every batch has landed and that are not sealed yet, the oldest first.
    var closed: [UInt32]
  }

  let name: Text
  let number: UInt32
  private let state: Mutex<State>

  init(name: Text, record: ProjectRecord, segment: UInt32, closed: [UInt32]) {
    self.name = name
    number = record.number
    state = Mutex(
      State(
        position: Position(segment: segment),
        record: record,
        closed: closed
      )
    )
  }

  var settings: AnalyticsSettings { record.settings }

  /// The stored record of the project; changed under `organizing` alone.
  var record: ProjectRecord { state.withLock { $0.record } }

  func set(_ record: ProjectRecord) { state.withLock { $0.record = record } }

  var mayMerge: Bool {
    get { state.withLock { $0.mayMerge } }
    set { state.withLock { $0.mayMerge = newValue } }
  }

  var mayMergeClosed: Bool {
    get { state.withLock { $0.mayMergeClosed } }
    set { state.withLock { $0.mayMergeClosed = newValue } }
  }

  /// Returns true if the last look for old events is that long ago; the caller then looks now.
  func takeLookForOld(at now: Int64, every pause: Int64) -> Bool {
    state.withLock { state in
      guard now - state.lookedForOld >= pause else { return false }
      state.lookedForOld = now
      return true
    }
  }

  /// The key of a batch of so many events; on the writing thread.
  func take(events: Int, now: Int64) -> [UInt8] {
    state.withLock { state in
      let key = EventKey.numbered(
        .intake,
        number,
        state.position.segment,
        state.position.sequence
      )
      state.position.sequence += 1
      state.position.events += events
      state.position.opened = state.position.opened ?? now
      return key
    }
  }

  /// Begins another segment, unless there is nothing in the open one; on the writing thread.
  ///
  /// Returns the segments that can be sealed once the writes up to here are durable. Until then a
  /// view may lack some of their batches, and a segment sealed without them is not counted.
  func closeSegment() -> [UInt32] {
    state.withLock { state in
      if state.position.sequence > 0 {
        state.closing.append(state.position.segment)
        state.position = Position(segment: state.position.segment + 1)
      }
      return state.closing
    }
  }

  /// Has segments sealed that have landed.
  func noteLanded(_ segments: [UInt32]) {
    state.withLock { state in
      let landed = segments.filter(state.closing.contains)
      state.closing.removeAll(where: landed.contains)
      state.closed = (state.closed + landed).sorted()
    }
  }

  /// Returns true if the open segment has so many events, or is from before a time, or one before
  /// it waits to have landed.
  func isDue(events: Int, openedBefore time: Int64) -> Bool {
    state.withLock { state in
      guard state.closing.isEmpty else { return true }
      guard let opened = state.position.opened else { return false }
      return state.position.events >= events || opened <= time
    }
  }

  /// True if batches are in segments that cannot be sealed yet.
  var hasOpenBatches: Bool {
    state.withLock { $0.position.sequence > 0 || !$0.closing.isEmpty }
  }

  /// The oldest segment that waits to be sealed.
  var nextClosed: UInt32? { state.withLock { $0.closed.first } }

  func forgetClosed(_ segment: UInt32) {
    state.withLock { state in state.closed.removeAll { $0 == segment } }
  }

  /// Events of the open segment, and closed segments.
  var waiting: (events: Int, segments: Int) {
    state.withLock { ($0.position.events, $0.closing.count + $0.closed.count) }
  }
}

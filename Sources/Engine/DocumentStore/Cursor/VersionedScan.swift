import BaseText
import KeyValueStore

/// The keys of one range as they were at the view's version: live records written at or before it,
/// merged with the history of what was overwritten or removed since.
package final class VersionedScan: PositionStream {
  private let view: ReadView
  private let format: VersionedFormat
  private let reversed: Bool
  private let live: any KeyValueCursor
  private let history: (any KeyValueCursor)?
  private let livePrefix: [UInt8]
  private let historyPrefix: [UInt8]
  private var seekKey: [UInt8] = []
  private var body: [UInt8] = []
  private var state = State.initial

  /// The record under the current candidate, and so the cursor that has to leave it.
  private enum State {
    /// Before the first move.
    case initial
    /// On a live record; history (if any) is at or beyond it.
    case onLive
    /// On a history record.
    case onHistory
    case finished
  }
  private var liveValid = false
  private var historyValid = false

  /// Scans keys that begin with `prefix` and continue with a position of `range`.
  package init(
    _ view: ReadView,
    format: VersionedFormat,
    prefix: [UInt8],
    range: PositionRange,
    reversed: Bool
  ) throws {
    self.view = view
    self.format = format
    self.reversed = reversed
    livePrefix = prefix
    historyPrefix = format.historyPrefix(ofLive: prefix)
    live = try view.reader.cursor(over: range.keys(below: prefix), reversed: reversed)
    view.statistics.seeks += 1
    history =
      view.isCurrent
      ? nil
      : try view.reader.cursor(over: range.keys(below: historyPrefix), reversed: reversed)
  }

  /// The key's bytes behind the prefix, of a live record or of a history record without its version.
  package var position: UnsafeRawBufferPointer {
    state == .onHistory
      ? historyPosition : UnsafeRawBufferPointer(rebasing: live.key.dropFirst(livePrefix.count))
  }

  /// The value of the record that was visible at the view's version.
  package var payload: UnsafeRawBufferPointer {
    if state == .onHistory, let history { return history.value }
    return format.payload(ofLive: live.value)
  }

  /// Moves to the next key that was visible at the view's version; false at the end of the range.
  package func next() throws -> Bool {
    guard history != nil else {
      guard try live.next() else { return false }
      try countRead()
      return true
    }
    switch state {
    case .initial:
      liveValid = try moveLive()
      historyValid = try moveHistory()
    case .onLive: liveValid = try moveLive()
    case .onHistory: try leaveHistoryBody()
    case .finished: return false
    }
    return try settle()
  }

  /// Moves to the first visible key at or beyond the target in the scan's direction; never backwards.
  package func seek(_ target: UnsafeRawBufferPointer) throws -> Bool {
    view.statistics.seeks += 1
    guard let history else {
      setSeekKey(livePrefix, target)
      guard try live.seek(seekKey) else { return false }
      try countRead()
      return true
    }
    guard state != .finished else { return false }
    if state == .initial || (liveValid && isBefore(livePosition, target)) {
      setSeekKey(livePrefix, target)
      liveValid = try live.seek(seekKey)
      if liveValid { try countRead() }
    }
    if state == .initial || (historyValid && isBefore(historyPosition, target)) {
      setSeekKey(historyPrefix, target)
      // Backwards, the records of the target itself lie above its bare body.
      if reversed { seekKey.append(contentsOf: repeatElement(0xFF, count: format.historySuffix)) }
      historyValid = try history.seek(seekKey)
      if historyValid { try countRead() }
    }
    return try settle()
  }

  private var livePosition: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: live.key.dropFirst(livePrefix.count))
  }

  private var historyPosition: UnsafeRawBufferPointer {
    guard let key = history?.key else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(
      rebasing: key.dropFirst(historyPrefix.count).dropLast(format.historySuffix)
    )
  }

  /// Stops at the next body that has a visible record, starting with those under the cursors.
  private func settle() throws -> Bool {
    while liveValid || historyValid {
      switch order() {
      case .ascending:
        if isLiveVisible { return land(.onLive) }
        liveValid = try moveLive()
      case .equal:
        if isLiveVisible {
          try leaveHistoryBody()
          return land(.onLive)
        }
        liveValid = try moveLive()
      case .descending:
        if isHistoryVisible { return land(.onHistory) }
        historyValid = try moveHistory()
      }
    }
    state = .finished
    return false
  }

  /// The order of the live cursor relative to the history cursor, in the scan's direction.
  private func order() -> Ordering {
    guard liveValid else { return .descending }
    guard historyValid else { return .ascending }
    let result = compareBytes(livePosition, historyPosition)
    return reversed ? result.reversed : result
  }

  private func isBefore(
    _ position: UnsafeRawBufferPointer,
    _ target: UnsafeRawBufferPointer
  ) -> Bool {
    compareBytes(position, target) == (reversed ? .descending : .ascending)
  }

  private func land(_ state: State) -> Bool {
    self.state = state
    return true
  }

  private var isLiveVisible: Bool {
    format.version(ofLive: live.value) <= view.version.microseconds
  }

  private var isHistoryVisible: Bool {
    guard let history else { return false }
    return format.isVisible(
      at: view.version.microseconds,
      historyKey: history.key,
      value: history.value
    )
  }

  private func moveLive() throws -> Bool {
    guard try live.next() else { return false }
    try countRead()
    return true
  }

  private func moveHistory() throws -> Bool {
    guard let history, try history.next() else { return false }
    try countRead()
    return true
  }

  /// Passes every record of the body under the history cursor: at most one of them is visible.
  private func leaveHistoryBody() throws {
    body.removeAll(keepingCapacity: true)
    body.append(contentsOf: historyPosition)
    repeat {
      historyValid = try moveHistory()
    } while historyValid && body.withUnsafeBytes { compareBytes($0, historyPosition) == .equal }
  }

  private func setSeekKey(_ prefix: [UInt8], _ target: UnsafeRawBufferPointer) {
    seekKey.removeAll(keepingCapacity: true)
    seekKey.append(contentsOf: prefix)
    seekKey.append(contentsOf: target)
  }

  @inline(__always)
  private func countRead() throws {
    try view.step()
    switch format {
    case .indexEntry: view.statistics.indexEntriesScanned += 1
    case .document: view.statistics.documentsScanned += 1
    }
  }
}

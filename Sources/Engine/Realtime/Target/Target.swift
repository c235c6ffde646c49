/// One target of one stream; only the hub's thread touches it.
///
/// opening -> current: it has read what it begins with, the client was told CURRENT
/// opening, current -> lost: the client read too slowly, what it holds is no longer known
/// lost -> opening: the client reads again, it begins with a reset
final class Target {
  /// The progress of the target.
  enum Phase {
    case opening(Opening)
    case current
    case lost
  }

  let id: Int32
  let stream: StreamState
  var view: View
  let once: Bool
  var phase: Phase
  /// The decision on which the admission depends; nil if nothing may change it.
  var decision: ListenDecision?
  /// True if the decision must be made again before the stream continues.
  var isDoubted = false
  /// Its index among the view's targets.
  var slot = 0

  var isCurrent: Bool { if case .current = phase { true } else { false } }

  /// True if it has not begun to read.
  var isWaiting: Bool {
    guard case .opening(let opening) = phase, case .waiting = opening.stage else { return false }
    return true
  }

  init(id: Int32, of stream: StreamState, view: View, once: Bool, opening: Opening) {
    self.id = id
    self.stream = stream
    self.view = view
    self.once = once
    phase = .opening(opening)
  }
}

/// The change to one document for one target.
struct DocumentChange {
  let document: SharedDocument
  let was: Bool
  let `is`: Bool
}

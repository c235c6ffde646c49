import DocumentStore
import FirestoreModel

/// One client's stream and its targets; only the hub's thread touches it.
///
/// Messages leave in `flush`: the document changes of all targets up to the hub's version, then that
/// version as consistency point. While the client reads too slowly changes wait in `backlog`, one a
/// document and target.
final class StreamState {
  /// Whether the stream's database is there.
  enum Phase {
    /// It is looked up; requests wait.
    case resolving([StreamInput])
    case ready(Database)
  }

  let id: StreamID
  let databaseID: DatabaseID
  let sink: any ListenSink
  let authority: any ListenAuthority
  var phase = Phase.resolving([])
  var targets: [Int32: Target] = [:]

  /// Messages about targets that come before this flush's changes.
  var announcements: [ListenEvent] = []
  /// Changes of this batch.
  var changes: [(change: DocumentChange, target: Target)] = []
  /// Messages that come after this flush's changes and before the consistency point.
  var completions: [ListenEvent] = []
  /// Targets that end behind this flush's consistency point.
  var endings: [Int32] = []
  /// Whether the flush ends with a consistency point.
  var isChanged = false
  /// Whether the hub has it in its list for the next flush.
  var isTouched = false
  /// Whether the client must catch up before more is sent.
  var isPaused = false
  var backlog: [Int32: ChangeBuffer] = [:]
  var backlogSize = 0
  /// Microseconds of the hub's clock when the client last heard of the time.
  var lastPoint: Int64

  init(
    id: StreamID,
    database: DatabaseID,
    sink: any ListenSink,
    authority: any ListenAuthority,
    now: Int64
  ) {
    self.id = id
    databaseID = database
    self.sink = sink
    self.authority = authority
    lastPoint = now
  }

  var database: Database? {
    if case .ready(let database) = phase { database } else { nil }
  }

  /// The messages of what this flush's changes come to: one a document.
  func takeChangeEvents(_ point: ConsistencyPoint) -> [ListenEvent] {
    guard !changes.isEmpty else { return [] }
    if changes.count > 1 {
      changes.sort { $0.change.document.ordinal < $1.change.document.ordinal }
    }
    var events: [ListenEvent] = []
    var start = 0
    while start < changes.count {
      let document = changes[start].change.document
      var members: [Int32] = []
      var removed: [Int32] = []
      var end = start
      while end < changes.count, changes[end].change.document === document {
        let (change, target) = changes[end]
        if change.is { members.append(target.id) } else { removed.append(target.id) }
        end += 1
      }
      events.append(.document(document, members, removed, point))
      start = end
    }
    changes.removeAll(keepingCapacity: changes.count <= 16)
    return events
  }
}

extension ListenEvent {
  /// What is to be said of a document that is in some targets and no longer in others.
  static func document(
    _ document: SharedDocument,
    _ members: [Int32],
    _ removed: [Int32],
    _ point: ConsistencyPoint
  ) -> ListenEvent {
    if document.record == nil { return .deleted(document, removed: removed, point) }
    return members.isEmpty
      ? .left(document, removed: removed, point)
      : .changed(document, targets: members, removed: removed)
  }
}

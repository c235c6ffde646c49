import BaseRuntime
import DocumentStore
import FirestoreModel

/// One client's stream and its targets; only the hub's thread touches it.
///
/// Messages leave in `flush`: the document changes of all targets up to the hub's version, then that
/// version as consistency point. While the stream is held changes wait in `backlog`, one a document
/// and target.
final class StreamState {
  /// The state of the stream's database: looked up, or ready.
  enum Phase {
    /// It is looked up; requests wait.
    case resolving
    case ready(Database)
  }

  let id: StreamID
  let databaseID: DatabaseID
  let sink: any ListenSink
  let authority: any ListenAuthority
  let gate: RequestGate
  var phase = Phase.resolving
  /// The requests that came before the database was there.
  ///
  /// Also holds the requests that come while a decision on the admission of a target is pending.
  var waitingRequests = Queue<StreamInput>()
  /// The number of waiting requests that the gate has let go already: they were answered once
  /// before.
  var answeredAhead = 0
  /// True if an engine thread decides on the admission of a target: later requests wait.
  var isAdmitting = false
  var targets: [Int32: Target] = [:]

  /// Targets that the client knows of and holds in part.
  private var unfinished: Set<Int32> = []
  private var knownAudience: TokenAudience?

  /// Messages about targets that come before this flush's changes.
  var announcements: [ListenEvent] = []
  /// Changes of this batch.
  var changes: [(change: DocumentChange, target: Target)] = []
  /// Messages that come after this flush's changes and before the consistency point.
  var completions: [ListenEvent] = []
  /// Targets that end behind this flush's consistency point.
  var endings: [Int32] = []
  /// True if the flush ends with a consistency point.
  var isChanged = false
  /// True if the hub has it in its list for the next flush.
  var isTouched = false
  /// True if the client must catch up before more is sent.
  var isPaused = false
  /// The number of its targets that wait for a window that is read again: the changes for them
  /// belong before everything later.
  var awaitedWindows = 0
  /// Targets with an unknown right to be listened to.
  var doubted: [Target] = []
  /// The number of its targets with a decision pending on engine threads.
  var pendingTargets = 0
  /// True if these decisions come before those for other streams, because changes wait.
  var isHurried = false
  var backlog: [Int32: ChangeBuffer] = [:]
  var backlogSize = 0
  /// The account that pending data for the client counts against; nil if it counts nowhere.
  private let account: LedgerAccount?
  private let backlogLease: ByteLease?
  /// Microseconds of the hub's clock when the client last received the time.
  var lastPoint: Int64

  init(
    id: StreamID,
    database: DatabaseID,
    sink: any ListenSink,
    authority: any ListenAuthority,
    gate: RequestGate,
    account: LedgerAccount? = nil,
    now: Int64
  ) {
    self.id = id
    databaseID = database
    self.sink = sink
    self.authority = authority
    self.gate = gate
    self.account = account
    backlogLease = account.flatMap { ByteLease($0, for: .listener) }
    lastPoint = now
  }

  /// True if changes wait: the client reads too slowly, a window is read, or a decision on sending
  /// them is pending.
  var isHeld: Bool {
    isPaused || awaitedWindows > 0 || !doubted.isEmpty || pendingTargets > 0
  }

  /// Counts the backlog; false, and nothing more counted, where the client's share of the process's memory is used up.
  func countBacklog() -> Bool { backlogLease?.resize(to: backlogSize) ?? true }

  /// The same for what waits for the end of an opening.
  func count(_ opening: Opening) -> Bool {
    if opening.lease == nil { opening.lease = account.flatMap { ByteLease($0, for: .listener) } }
    return opening.lease?.resize(to: opening.waitingBytes) ?? true
  }

  var database: Database? {
    if case .ready(let database) = phase { database } else { nil }
  }

  // MARK: Whom a token serves

  /// The client has received a target and not all of it, after this.
  func noteUnfinished(_ target: Target) {
    unfinished.insert(target.id)
    knownAudience = nil
  }

  /// A target is current from now on, or gone.
  func noteFinished(_ target: Target) {
    unfinished.remove(target.id)
    knownAudience = nil
  }

  /// Returns the targets that the token of the next consistency point serves.
  ///
  /// The token serves no target while one is unfinished: clients keep the token for that one as
  /// well, and would come back with it as if they had all of the target.
  func audience() -> TokenAudience {
    guard unfinished.isEmpty else { return .nobody }
    if let knownAudience { return knownAudience }
    let audience = TokenAudience(targets.values)
    knownAudience = audience
    return audience
  }

  /// The targets that are current while others are unfinished, for a token of their own.
  ///
  /// Without one they would resume from an earlier time than the client's state of them. None where
  /// they are more than a token names.
  func finishedTargets() -> [Target] {
    guard !unfinished.isEmpty, targets.count <= ResumeToken.greatestMarkCount else { return [] }
    return targets.values.filter(\.isCurrent).sorted { $0.id < $1.id }
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
  /// Returns the event for a document that is in some targets and no longer in others.
  static func document(
    _ document: SharedDocument,
    _ members: [Int32],
    _ removed: [Int32],
    _ point: ConsistencyPoint
  ) -> ListenEvent {
    if !document.exists { return .deleted(document, removed: removed, point) }
    return members.isEmpty
      ? .left(document, removed: removed, point)
      : .changed(document, targets: members, removed: removed)
  }
}

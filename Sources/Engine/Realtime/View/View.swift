import DocumentStore
import FirestoreModel

/// The view that any number of targets share: one query or list of documents of one database.
///
/// Without a limit it keeps no documents: a change carries the old and the new document. Only the
/// hub's thread touches it.
final class View {
  /// The way in which a view of a limited query knows its results.
  enum Content {
    /// Every change is reported by itself.
    case unlimited
    /// The window is being read, for the first time or again; changes wait.
    case reading(WindowReading)
    case window(Window)
  }

  let id: ViewID
  let database: Database
  let subject: ViewSubject
  /// Made once: equal views are looked for among very many.
  fileprivate let subjectHash: Int
  /// Distinguishes resume tokens of the view's targets from others.
  private(set) lazy var mark = SubjectMark(subject, in: database.id)
  private(set) var targets: [Target] = []
  var content: Content
  /// Its index among the matcher's views that meet every change.
  var slot = 0
  /// The last batch change that was judged, so that it is judged once.
  var lastJudged: UInt64 = 0
  /// The changes of the batch, for a window; empty between batches.
  var batch: [ResourcePath: BatchChange] = [:]
  /// The entries that clients saw before the batch; only set while `batch` is not empty.
  var visibleBefore: [WindowEntry] = []
  /// Openings that wait for the window, so that they receive every change since they read.
  var waitingOpenings: [OpeningID] = []

  init(id: ViewID, _ subject: ViewSubject, in database: Database) {
    self.id = id
    self.subject = subject
    subjectHash = subject.hashValue
    self.database = database
    content = subject.isLimited ? .reading(WindowReading()) : .unlimited
  }

  /// True while the window is being read.
  var isReading: Bool { if case .reading = content { true } else { false } }

  func add(_ target: Target) {
    target.slot = targets.count
    targets.append(target)
  }

  func remove(_ target: Target) {
    let last = targets.removeLast()
    if last !== target {
      targets[target.slot] = last
      last.slot = target.slot
    }
  }

  /// Notifies all targets of the new state of a document.
  func tell(_ document: SharedDocument, was: Bool, is isResult: Bool, to hub: HubCore) {
    let change = DocumentChange(document: document, was: was, is: isResult)
    for target in targets { hub.note(change, for: target) }
  }

  /// Judges a change that may concern the view.
  func take(_ change: BatchChange, at version: CommitVersion, hub: HubCore) {
    switch content {
    case .unlimited:
      let was = change.old.map(matches) ?? false
      let isResult = change.new.map(matches) ?? false
      if was || isResult { tell(change.document, was: was, is: isResult, to: hub) }
    case .reading(let reading): reading.changes.append((version, change))
    case .window(var window):
      guard case .query(let query) = subject else { return }
      if batch.isEmpty {
        visibleBefore = Array(window.visible)
        hub.noteWindow(self)
      }
      batch[change.path] = change
      content = .unlimited
      apply(change, of: query, to: &window)
      content = .window(window)
    }
  }

  func apply(_ change: BatchChange, of query: NormalizedQuery, to window: inout Window) {
    let old = change.old.flatMap { query.matches($0) ? WindowEntry($0, in: query) : nil }
    let new = change.new.flatMap { query.matches($0) ? WindowEntry($0, in: query) : nil }
    window.apply(old: old, new: new)
  }

  private func matches(_ record: DocumentRecord) -> Bool {
    switch subject {
    case .query(let query): query.matches(record)
    case .documents: true
    }
  }
}

/// The key under which equal views are found.
struct ViewKey: Hashable {
  let view: View

  static func == (left: ViewKey, right: ViewKey) -> Bool {
    left.view.subjectHash == right.view.subjectHash && left.view.subject == right.view.subject
  }

  func hash(into hasher: inout Hasher) { hasher.combine(view.subjectHash) }
}

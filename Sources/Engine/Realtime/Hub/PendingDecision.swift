import DocumentStore
import FirestoreModel

/// A decision that is being made on an engine thread, while its stream waits.
///
/// It is made for the version at which it was begun. Later changes are noted: if the decision
/// depends on any of them, it is made again.
final class PendingDecision {
  /// The request or target that waits for the decision.
  enum Purpose {
    /// A request for a target.
    case admission(TargetRequest)
    /// A target that may have lost the right.
    case target(Target)
  }

  let id: DecisionID
  let stream: StreamState
  let subject: ViewSubject
  let database: Database
  let purpose: Purpose
  /// Documents that have changed since the decision was begun.
  private var changed: Set<ResourcePath> = []
  /// True if it must be made again in any case.
  private(set) var isVoid = false

  /// So many changes are noted; where there are more, the decision is made again.
  private static let changeLimit = 1_000

  init(
    id: DecisionID,
    of stream: StreamState,
    _ subject: ViewSubject,
    in database: Database,
    for purpose: Purpose
  ) {
    self.id = id
    self.stream = stream
    self.subject = subject
    self.database = database
    self.purpose = purpose
  }

  /// It is begun, for the version of this moment.
  func begin() {
    changed = []
    isVoid = false
  }

  /// A document has changed.
  func note(_ path: ResourcePath) {
    guard !isVoid else { return }
    changed.insert(path)
    if changed.count > Self.changeLimit { invalidate() }
  }

  /// The rules have changed, or more than is noted.
  func invalidate() {
    isVoid = true
    changed = []
  }

  /// Returns true if a decision, as it was made, still holds.
  func holds(_ decision: ListenDecision) -> Bool {
    guard !isVoid else { return false }
    if changed.isEmpty { return true }
    guard changed.isDisjoint(with: decision.documents) else { return false }
    guard decision.dependsOnResults, case .documents(let paths) = subject else { return true }
    return changed.isDisjoint(with: paths)
  }
}

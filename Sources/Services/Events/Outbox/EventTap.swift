import BaseText
import DocumentStore
import FirestoreModel
import KeyValueStore
import Synchronization

/// The point where products' writes become events: it knows the triggers and writes an event for each match in the write's
/// own group.
///
/// It is there before the store is open, and knows no triggers until an `EventBus` loads them.
package final class EventTap: CommitFollower {
  private let index = Mutex(TriggerIndex())
  /// False while there is no trigger at all, which is most servers' state.
  private let hasTriggers = Atomic(false)
  /// The triggers that got events in groups that have not landed yet.
  private let touched = Mutex<Set<Int64>>([])
  private let landed = Mutex<(@Sendable (Set<Int64>) -> Void)?>(nil)

  /// A tap without triggers.
  package init() {}

  var triggers: TriggerIndex { index.withLock { $0 } }

  func replace(_ new: TriggerIndex) {
    index.withLock { $0 = new }
    hasTriggers.store(!new.isEmpty, ordering: .releasing)
  }

  func onLanding(_ act: @escaping @Sendable (Set<Int64>) -> Void) { landed.withLock { $0 = act } }

  /// Returns true if a trigger waits for documents of the database.
  package func follows(_ database: DatabaseID) -> Bool {
    guard hasTriggers.load(ordering: .acquiring) else { return false }
    return index.withLock { $0.watches(database) }
  }

  /// Writes an event for each changed document that a trigger waits for.
  package func commitApplied(
    _ commit: PublishedCommit,
    by author: CommitAuthor,
    in group: any KeyValueGroup
  ) throws {
    let index = triggers
    for (ordinal, change) in commit.changes.enumerated() {
      let kind: EventSource.Change =
        change.old == nil ? .created : change.new == nil ? .deleted : .updated
      let matched = index.triggers(of: commit.database, change.path, kind)
      if matched.isEmpty { continue }
      var event = StoredEvent(family: .documents, project: commit.database.project.string)
      event.change = kind
      event.scope = commit.database.database.string
      event.subject = change.path.string
      event.old = change.old?.value
      event.new = change.new?.value
      event.author = author
      event.time = commit.version.microseconds
      event.triggers = matched.map(\.number)
      let sequence = EventSequence(
        version: commit.version.microseconds,
        ordinal: UInt32(ordinal)
      )
      let order = "\(event.scope)/\(event.subject)"
      try add(event, sequence, order: order, in: group)
    }
  }

  /// Reports that a group with events is durable.
  package func groupLanded() {
    let numbers = touched.withLock { touched in
      defer { touched = [] }
      return touched
    }
    guard !numbers.isEmpty else { return }
    landed.withLock { $0 }?(numbers)
  }

  /// Returns true if any trigger of the project waits for events of the family.
  ///
  /// For services that have to read something to tell of a change.
  package func follows(_ family: EventSource.Family, project: String, scope: String = "") -> Bool {
    guard hasTriggers.load(ordering: .acquiring) else { return false }
    return !triggers.triggers(of: family, project: project, scope: scope).isEmpty
  }

  /// Writes an event of another product than documents in the group of its cause; does nothing where no trigger waits.
  ///
  /// The caller's write calls `groupLanded()` when it is durable.
  ///
  /// - Parameter order: The key whose events follow one another; nil for no order.
  /// - Returns: The event's place; nil where no trigger waits for it.
  @discardableResult
  package func record(
    _ event: StoredEvent,
    order: String?,
    in group: any KeyValueGroup,
    matching: (Trigger) -> Bool = { _ in true }
  ) throws -> EventSequence? {
    guard hasTriggers.load(ordering: .acquiring), let family = event.family else { return nil }
    let matched = triggers.triggers(
      of: family,
      project: event.project,
      scope: event.scope,
      event.change
    )
    .filter(matching)
    guard !matched.isEmpty else { return nil }
    var event = event
    event.triggers = matched.map(\.number)
    let sequence = EventSequence(version: try group.allocateVersion(), ordinal: 0)
    if event.time == 0 { event.time = sequence.version }
    try add(event, sequence, order: order, in: group)
    return sequence
  }

  func add(
    _ event: StoredEvent,
    _ sequence: EventSequence,
    order: String?,
    due: Int64 = 0,
    in group: any KeyValueGroup
  ) throws {
    try EventBook(group).add(event, sequence, order: order, due: due)
    touched.withLock { $0.formUnion(event.triggers) }
  }
}

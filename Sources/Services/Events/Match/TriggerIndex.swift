import BaseText
import FirestoreModel

/// All triggers of a store, by what they wait for; a value that never changes.
struct TriggerIndex: Sendable {
  private struct Place: Hashable, Sendable {
    let family: EventSource.Family
    let project: String
    let scope: String
  }

  /// By number, damaged ones left out.
  let triggers: [Int64: Trigger]
  private var documents: [DatabaseID: PathAutomaton] = [:]
  private var others: [Place: [Trigger]] = [:]

  init(_ all: [Trigger] = []) {
    triggers = Dictionary(all.map { ($0.number, $0) }) { first, _ in first }
    for trigger in all {
      guard let source = trigger.source else { continue }
      let project = trigger.stored.project
      if source.family == .documents, let pattern = PathPattern(source.pattern) {
        let id = DatabaseID(project: Text(project), database: Text(source.scope))
        documents[id, default: PathAutomaton()].insert(pattern, for: trigger)
      } else if source.family == .objects {
        // Names of buckets are unique on the server; triggers of other projects do not reach into one.
        others[Place(family: .objects, project: project, scope: source.scope), default: []]
          .append(trigger)
      } else {
        others[Place(family: source.family, project: project, scope: source.scope), default: []]
          .append(trigger)
      }
    }
  }

  var isEmpty: Bool { triggers.isEmpty }

  func watches(_ database: DatabaseID) -> Bool { documents[database] != nil }

  /// The triggers of a document's change.
  func triggers(
    of database: DatabaseID,
    _ path: ResourcePath,
    _ change: EventSource.Change
  ) -> [Trigger] {
    guard let automaton = documents[database] else { return [] }
    return automaton.triggers(for: path).filter {
      $0.source?.change == nil || $0.source?.change == change
    }
  }

  /// The triggers of another family's event; a change of nil is any.
  func triggers(
    of family: EventSource.Family,
    project: String,
    scope: String = "",
    _ change: EventSource.Change? = nil
  ) -> [Trigger] {
    let found = others[Place(family: family, project: project, scope: scope)] ?? []
    guard let change else { return found }
    return found.filter { $0.source?.change == change }
  }
}

import FirebaseFirestore
import Observation

/// Colours: a live list, and a picker with a name.
@MainActor @Observable
package final class ColorsViewModel {
  package let list: LiveCollection<ColorEntry>
  package var draft = ColorEntry.empty

  package init(_ database: Firestore) {
    list = LiveCollection(database.collection("colors")) {
      ($0.name, $0.id ?? "") < ($1.name, $1.id ?? "")
    }
  }

  package func add() {
    list.add(draft)
    draft = .empty
  }
}

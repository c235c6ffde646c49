import FirebaseFirestore
import Observation

/// GeoPoints: the offices as a list and as pins on a map.
@MainActor @Observable
package final class OfficesViewModel {
  package let list: LiveCollection<Office>
  /// The id of the office that the map is about; nil shows them all.
  package private(set) var chosen: String?

  package init(_ database: Firestore) {
    list = LiveCollection(database.collection("locations")) {
      ($0.name, $0.id ?? "") < ($1.name, $1.id ?? "")
    }
  }

  package var offices: [Office] { list.elements ?? [] }

  /// The frame of the map.
  package var frame: MapFrame {
    if let office = offices.first(where: { $0.id == chosen && chosen != nil }) {
      return MapFrame(center: office.location, span: MapFrame.closeSpan)
    }
    return MapFrame(fitting: offices.map(\.location))
  }

  /// Moves the map to one office, or back to all.
  package func choose(_ id: String?) {
    chosen = id
  }
}

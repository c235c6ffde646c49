#if canImport(SwiftUI) && canImport(MapKit)
import CodableGuideCore
import FirebaseFirestore
import MapKit
import SwiftUI

/// The offices on a map; a tap on a row moves the map there.
struct OfficesView: View {
  let model: OfficesViewModel

  var body: some View {
    Form {
      Section {
        OfficeMap(offices: model.offices, chosen: model.chosen).frame(height: 300)
      }
      Section {
        ListStateView(list: model.list)
        ForEach(model.offices, id: \.id) { office in
          Button(office.name) { model.choose(office.id) }
        }
        Button("Show all") { model.choose(nil) }
      }
    }
  }
}

/// MapKit's map with a marker an office, which keeps the names apart.
struct OfficeMap: View {
  let offices: [Office]
  /// The id of the office that the map shows closely; nil shows all.
  let chosen: String?
  @State private var position = MapCameraPosition.automatic

  var body: some View {
    Map(position: $position) {
      ForEach(offices, id: \.id) { office in
        Marker(office.name, coordinate: CLLocationCoordinate2D(office.location))
      }
    }
    .onChange(of: chosen, initial: true) { show() }
    .accessibilityLabel("A map of the offices")
  }

  private func show() {
    guard let office = offices.first(where: { $0.id != nil && $0.id == chosen }) else {
      position = .automatic
      return
    }
    position = .region(
      MKCoordinateRegion(
        center: CLLocationCoordinate2D(office.location),
        span: MKCoordinateSpan(
          latitudeDelta: MapFrame.closeSpan,
          longitudeDelta: MapFrame.closeSpan
        )
      )
    )
  }
}

extension CLLocationCoordinate2D {
  fileprivate init(_ point: GeoPoint) {
    self.init(latitude: point.latitude, longitude: point.longitude)
  }
}
#endif

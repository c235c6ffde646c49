import CodableGuideCore
import FirebaseFirestore
import Foundation

/// What `locations.mustache` reads: a map of 390 by 300, and the rows below it.
@MainActor
struct LocationsModel {
  struct Line {
    let at: String
    let label: String
  }

  struct Pin {
    let id: String
    let x: String
    let y: String
    let label: String?
    /// Beside the pin, on the side where there is room.
    let labelAt: Int
    let anchor: String
  }

  struct Row {
    let id: String
    let name: String
    let coordinates: String
    let isChosen: Bool
  }

  let menu: MenuModel
  let heading: PageFrame.Heading
  let state: ListState
  let mapLabel: String
  let meridians: [Line]
  let parallels: [Line]
  let pins: [Pin]
  let rows: [Row]

  init(_ model: OfficesViewModel, _ frame: PageFrame) {
    (menu, heading) = (frame.menu, frame.heading)
    state = ListState(model.list)
    let map = model.frame
    let visible = model.offices.filter { map.position(of: $0.location) != nil }
    mapLabel = "A map with \(visible.map(\.name).joined(separator: ", "))"
    meridians = map.meridians.map {
      Line(at: Self.number($0.position * 390), label: Self.degrees($0.degrees, "E", "W"))
    }
    parallels = map.parallels.map {
      Line(at: Self.number($0.position * 300), label: Self.degrees($0.degrees, "N", "S"))
    }
    pins = Self.pins(visible, on: map)
    rows = model.offices.map {
      Row(
        id: $0.id ?? "",
        name: $0.name,
        coordinates: Self.coordinates(of: $0.location),
        isChosen: $0.id == model.chosen
      )
    }
  }

  /// The pins; a name that would cover another one is left to the rows.
  private static func pins(_ offices: [Office], on map: MapFrame) -> [Pin] {
    var named: [MapFrame.Position] = []
    return offices.compactMap { office in
      guard let place = map.position(of: office.location) else { return nil }
      let isFree = named.allSatisfy { abs($0.x - place.x) > 0.2 || abs($0.y - place.y) > 0.05 }
      if isFree { named.append(place) }
      return Pin(
        id: office.id ?? "",
        x: number(place.x * 390),
        y: number(place.y * 300),
        label: isFree ? office.name : nil,
        labelAt: place.x < 0.75 ? 11 : -11,
        anchor: place.x < 0.75 ? "start" : "end"
      )
    }
  }

  private static func coordinates(of point: GeoPoint) -> String {
    String(format: "%.4f, %.4f", point.latitude, point.longitude)
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private static func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
    let text = String(format: "%g°", abs(value))
    return value == 0 ? text : "\(text) \(value > 0 ? positive : negative)"
  }
}

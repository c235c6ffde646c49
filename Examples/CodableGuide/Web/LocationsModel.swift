import CodableGuideCore
import FirebaseFirestore
import Foundation

/// The values of `locations.mustache`: a map of 390 by 300, and the rows below it.
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
    /// The name, on a side of the pin where there is room; nil where there is none.
    let label: Label?
  }

  /// A pin's name, placed from the pin's tip.
  struct Label {
    let text: String
    let x: Int
    let y: Int
    let anchor: String

    init(_ text: String, _ side: MapLabels.Side) {
      self.text = text
      (x, y, anchor) =
        switch side {
        case .right: (11, -11, "start")
        case .left: (-11, -11, "end")
        case .above: (0, -29, "middle")
        case .below: (0, 13, "middle")
        }
    }
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

  /// The pins; a name that would cover something else is left to the rows.
  private static func pins(_ offices: [Office], on map: MapFrame) -> [Pin] {
    let places = offices.compactMap { office in
      map.position(of: office.location).map { (office, x: $0.x * 390, y: $0.y * 300) }
    }
    var labels = MapLabels(width: 390, height: 300, obstacles: degreeBoxes(of: map))
    for place in places { labels.addPin(x: place.x, y: place.y) }
    return places.map { office, x, y in
      Pin(
        id: office.id ?? "",
        x: number(x),
        y: number(y),
        label: labels.place(office.name, x: x, y: y).map { Label(office.name, $0) }
      )
    }
  }

  /// The room of the degrees at the lower and the left edge.
  private static func degreeBoxes(of map: MapFrame) -> [MapLabels.Box] {
    map.meridians.map { .init(x: $0.position * 390 + 3, y: 284, width: 40, height: 14) }
      + map.parallels.map { .init(x: 4, y: $0.position * 300 - 14, width: 40, height: 14) }
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

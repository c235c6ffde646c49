import FirebaseFirestore
import Foundation

/// The part of the world that a small map shows, in Mercator's projection.
///
/// There are no tiles: a map is its grid of degrees and the pins. Positions are fractions of the
/// map's width and height, from its upper left corner.
package struct MapFrame: Equatable, Sendable {
  package struct Position: Equatable, Sendable {
    package let x: Double
    package let y: Double
  }

  /// A line of the grid: where it is and how many degrees.
  package struct Line: Equatable, Sendable {
    package let position: Double
    package let degrees: Double
  }

  /// The map's width through its height.
  package static let aspect = 1.3
  /// The span that a map shows around a single office.
  package static let closeSpan = 0.005

  /// The middle, as fractions of the whole world's map.
  private let middle: Position
  /// The degrees of longitude across the width.
  package let span: Double

  package init(center: GeoPoint, span: Double) {
    middle = Self.world(latitude: center.latitude, longitude: center.longitude)
    self.span = min(max(span, 0.001), 360)
  }

  /// A map that shows all of these points with some room around them; the world where there are none.
  package init(fitting points: [GeoPoint]) {
    let places = points.map { Self.world(latitude: $0.latitude, longitude: $0.longitude) }
    let (xs, ys) = (places.map(\.x), places.map(\.y))
    guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max()
    else {
      middle = Position(x: 0.5, y: 0.5)
      span = 360
      return
    }
    middle = Position(x: (left + right) / 2, y: (top + bottom) / 2)
    let width = max(right - left, (bottom - top) * Self.aspect) * 1.4
    span = min(max(width * 360, Self.closeSpan), 360)
  }

  /// Returns the position of a point; nil outside of the map.
  package func position(of point: GeoPoint) -> Position? {
    let place = Self.world(latitude: point.latitude, longitude: point.longitude)
    let position = Position(x: across(place.x), y: down(place.y))
    let range = 0.0...1.0
    return range.contains(position.x) && range.contains(position.y) ? position : nil
  }

  /// The lines from north to south.
  package var meridians: [Line] {
    lines(within: -180...180) { across(Self.world(latitude: 0, longitude: $0).x) }
  }

  /// The lines from west to east.
  package var parallels: [Line] {
    lines(within: -80...80) { down(Self.world(latitude: $0, longitude: 0).y) }
  }

  /// The degrees between two lines: about four of them fit into the width.
  package var step: Double {
    let steps = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60]
    return steps.last { $0 <= span / 3 } ?? steps[0]
  }

  private func lines(
    within range: ClosedRange<Double>,
    at place: (Double) -> Double
  ) -> [Line] {
    let center = range.upperBound == 180 ? longitude : latitude
    let first = ((center - span) / step).rounded(.up)
    let count = Int((2 * span / step).rounded(.up)) + 1
    return (0..<count).compactMap { index in
      let degrees = (first + Double(index)) * step
      let line = Line(position: place(degrees), degrees: degrees)
      return range.contains(degrees) && (0...1).contains(line.position) ? line : nil
    }
  }

  private var longitude: Double { (middle.x - 0.5) * 360 }
  private var latitude: Double { atan(sinh((0.5 - middle.y) * 2 * .pi)) * 180 / .pi }
  private func across(_ x: Double) -> Double { (x - middle.x) * 360 / span + 0.5 }
  private func down(_ y: Double) -> Double { (y - middle.y) * 360 / span * Self.aspect + 0.5 }

  private static func world(latitude: Double, longitude: Double) -> Position {
    let bounded = min(max(latitude, -85), 85) * .pi / 180
    return Position(
      x: longitude / 360 + 0.5,
      y: 0.5 - log(tan(.pi / 4 + bounded / 2)) / (2 * .pi)
    )
  }
}

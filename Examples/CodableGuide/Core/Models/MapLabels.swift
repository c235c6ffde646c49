/// Places the names of pins on a map so that none covers another name, a pin or a degree.
///
/// Lengths are points of the map. A name's width is estimated from its letters; a name for which there is no room on any
/// side is left out.
package struct MapLabels: Sendable {
  /// The side of a pin that its name is on.
  package enum Side: CaseIterable, Sendable {
    case right, left, above, below
  }

  package struct Box: Equatable, Sendable {
    package let x: Double
    package let y: Double
    package let width: Double
    package let height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    package func overlaps(_ other: Box) -> Bool {
      x < other.x + other.width && other.x < x + width && y < other.y + other.height
        && other.y < y + height
    }

    fileprivate func contains(_ other: Box) -> Bool {
      x <= other.x && y <= other.y && other.x + other.width <= x + width
        && other.y + other.height <= y + height
    }
  }

  private let map: Box
  private var taken: [Box]

  /// - Parameter obstacles: Boxes that names must not cover, besides pins and other names.
  package init(width: Double, height: Double, obstacles: [Box] = []) {
    map = Box(x: 0, y: 0, width: width, height: height)
    taken = obstacles
  }

  /// Keeps the room of a pin, whose tip is at a point; to be called for all pins before any name.
  package mutating func addPin(x: Double, y: Double) {
    taken.append(Box(x: x - 8, y: y - 24, width: 16, height: 24))
  }

  /// Takes the first free side of a pin for its name; nil where there is none.
  package mutating func place(_ name: String, x: Double, y: Double) -> Side? {
    for side in Side.allCases {
      let box = Self.box(of: name, side, x: x, y: y)
      guard map.contains(box), !taken.contains(where: box.overlaps) else { continue }
      taken.append(box)
      return side
    }
    return nil
  }

  /// The room of a name in bold letters of 12 points.
  package static func box(of name: String, _ side: Side, x: Double, y: Double) -> Box {
    let width = 7.5 * Double(name.count)
    return switch side {
    case .right: Box(x: x + 10, y: y - 22, width: width, height: 15)
    case .left: Box(x: x - 10 - width, y: y - 22, width: width, height: 15)
    case .above: Box(x: x - width / 2, y: y - 40, width: width, height: 15)
    case .below: Box(x: x - width / 2, y: y + 2, width: width, height: 15)
    }
  }
}

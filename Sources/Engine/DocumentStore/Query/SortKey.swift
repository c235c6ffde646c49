import FirestoreModel
import KeyValueStore

/// A document's position in a query's order: its order values and its name, each encoded in its
/// order's direction.
///
/// So bytes compare as the query sorts, for any plan that found the document.
package struct SortKey: Sendable, Hashable {
  /// All components, one after another.
  package var bytes: [UInt8] = []
  /// The ends of the components.
  package var ends: [Int] = []

  /// A key without components.
  package init() {}

  /// A key of components that are already in their directions.
  package init(_ components: [[UInt8]]) {
    for component in components { component.withUnsafeBytes { append($0) } }
  }

  /// Appends one component, already in its direction.
  package mutating func append(_ component: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: component)
    ends.append(bytes.count)
  }

  /// Removes all components and keeps the capacity.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// The components' bytes.
  package var components: [ArraySlice<UInt8>] {
    var start = 0
    return ends.map { end in
      defer { start = end }
      return bytes[start..<end]
    }
  }
}

/// A position between the keys of a query's order: before or after all keys that begin with some
/// components.
package struct SortBound: Sendable, Hashable {
  /// The leading components; an empty key is before or after all keys.
  package var key: SortKey
  /// True for the position behind the keys that begin with `key`, false for the one before them.
  package var isAfter: Bool

  /// Before, or after, the keys that begin with these components.
  package init(_ key: SortKey, isAfter: Bool) {
    self.key = key
    self.isAfter = isAfter
  }

  /// Makes the bound that a query's cursor means.
  package init(_ cursor: Cursor, orders: [Order], space: NameSpace) {
    var key = SortKey()
    var isAfter = !cursor.before
    for (value, order) in zip(cursor.values, orders) {
      if order.field.isDocumentName {
        guard case .reference(let name) = value else { break }
        let part = Self.name(name.path, order.direction, space, isAfter: isAfter)
        if let bytes = part.bytes { bytes.withUnsafeBytes { key.append($0) } }
        isAfter = part.isAfter
      } else {
        var bytes: [UInt8] = []
        OrderedEncoding.append(value, to: &bytes, direction: order.direction)
        bytes.withUnsafeBytes { key.append($0) }
      }
    }
    self.init(key, isAfter: isAfter)
  }

  private static func name(
    _ path: ResourcePath,
    _ direction: Order.Direction,
    _ space: NameSpace,
    isAfter: Bool
  ) -> (bytes: [UInt8]?, isAfter: Bool) {
    if let exact = space.name(of: path) {
      return (direction == .ascending ? exact : exact.map { ~$0 }, isAfter)
    }
    // A document elsewhere: a position between the scope's names, on the same side either way.
    switch (space.bound(path, after: isAfter), direction) {
    case (.beforeAll, .ascending), (.afterAll, .descending): return (nil, false)
    case (.afterAll, .ascending), (.beforeAll, .descending): return (nil, true)
    case (.at(let bytes), .ascending): return (bytes, false)
    case (.at(let bytes), .descending): return (bytes.map { ~$0 }, true)
    }
  }
}

extension DisjunctPlan {
  /// The positions, as they are written, whose documents lie between two bounds.
  func positions(from lower: SortBound?, to upper: SortBound?) -> PositionRange {
    var range = PositionRange.all
    if let lower {
      switch side(lower) {
      case .beforeStream: break
      case .afterStream: return .none
      case .at(let point): range = range.intersection(PositionRange(lower: point))
      }
    }
    if let upper {
      switch side(upper) {
      case .beforeStream: return .none
      case .afterStream: break
      case .at(let point): range = range.intersection(PositionRange(upper: point))
      }
    }
    return isReversed ? range.inverted : range
  }

  private enum Side {
    case beforeStream
    case afterStream
    /// Just before this position and greater ones, in the query's order.
    case at([UInt8])
  }

  /// Returns the side of this disjunct's positions, which omit their constants, on which a bound
  /// lies.
  private func side(_ bound: SortBound) -> Side {
    var reduced: [UInt8] = []
    var isAfter = bound.isAfter
    var endsWithName = false
    for (part, component) in zip(bound.key.components, components) {
      guard case .constant(let constant) = component else {
        reduced.append(contentsOf: part)
        endsWithName = component == .name
        continue
      }
      if part.elementsEqual(constant) { continue }
      // A byte that can follow either: a decimal's bytes begin with those of the number below it.
      isAfter = (constant + [0x02]).precedes(Array(part) + [0x02])
      break
    }
    if reduced.isEmpty { return isAfter ? .afterStream : .beforeStream }
    guard endsWithName else {
      let range = PositionRange.behindValue
      return .at(reduced + (isAfter ? range.upper ?? [] : range.lower))
    }
    guard isAfter else { return .at(reduced) }
    return KeyRange.successor(ofPrefix: reduced).map { .at($0) } ?? .afterStream
  }
}

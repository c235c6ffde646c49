// Identity of stored values: same type, same bits. Swift's `==` on doubles would take -0.0 for 0.0
// and tell a NaN from itself.

extension Value: Hashable {
  /// Identity of type and bits: 1 is not 1.0, 0.0 is not -0.0, a NaN equals itself.
  package static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.timestamp(let left), .timestamp(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.bytes(let left), .bytes(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    case (.geoPoint(let left), .geoPoint(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.map(let left), .map(let right)): left == right
    case (.bson(let left), .bson(let right)): left == right
    case (.vector(let left), .vector(let right)):
      left.elementsEqual(right) { $0.bitPattern == $1.bitPattern }
    default: false
    }
  }

  /// Hashes in accordance with identity: values of other bits are other values.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(typeOrder)
    switch self {
    case .null: break
    case .boolean(let flag): hasher.combine(flag)
    case .integer(let number): hasher.combine(number)
    case .double(let number): hasher.combine(number.bitPattern)
    case .timestamp(let instant): hasher.combine(instant)
    case .string(let text): hasher.combine(text)
    case .bytes(let bytes): hasher.combine(bytes)
    case .reference(let name): hasher.combine(name)
    case .geoPoint(let point): hasher.combine(point)
    case .array(let elements): hasher.combine(elements)
    case .map(let map): hasher.combine(map)
    case .bson(let value): hasher.combine(value)
    case .vector(let numbers): for number in numbers { hasher.combine(number.bitPattern) }
    }
  }
}

extension GeoPoint: Hashable {
  /// Identity of bits: 0.0 is not -0.0.
  package static func == (left: GeoPoint, right: GeoPoint) -> Bool {
    left.latitude.bitPattern == right.latitude.bitPattern
      && left.longitude.bitPattern == right.longitude.bitPattern
  }

  /// Hashes the bits of both coordinates.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(latitude.bitPattern)
    hasher.combine(longitude.bitPattern)
  }
}

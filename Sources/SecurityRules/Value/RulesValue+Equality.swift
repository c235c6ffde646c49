import FirestoreModel

extension RulesValue {
  /// The `==` of the language: never an error, false across types, numeric between numbers.
  func isEqual(to other: RulesValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .float(let right)): Double(left) == right
    case (.float(let left), .integer(let right)): left == Double(right)
    default: isIdentical(to: other)
    }
  }

  /// Equality inside lists and maps: `1` and `1.0` differ.
  func isIdentical(to other: RulesValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.bytes(let left), .bytes(let right)): left == right
    case (.timestamp(let left), .timestamp(let right)): left == right
    case (.duration(let left), .duration(let right)): left == right
    case (.latlng(let left), .latlng(let right)):
      left.latitude == right.latitude && left.longitude == right.longitude
    case (.path(let left), .path(let right)): left.segments == right.segments
    case (.vector(let left), .vector(let right)): left == right
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
    case (.set(let left), .set(let right)):
      left.elements.count == right.elements.count && left.elements.allSatisfy(right.contains)
    case (.map(let left), .map(let right)): Self.areIdentical(left, right)
    default: false
    }
  }

  private static func areIdentical(_ left: RulesMap, _ right: RulesMap) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left.sorted, right.sorted).allSatisfy { first, second in
      first.key == second.key && first.value.isIdentical(to: second.value)
    }
  }

  /// Feeds a hash under which numbers of both types collide where `==` takes them for equal.
  func hashNumerically(into hasher: inout Hasher) {
    switch self {
    case .integer(let number): hasher.combine(Double(number))
    case .float(let number): hasher.combine(number)
    case .boolean(let flag): hasher.combine(flag)
    case .string(let text): hasher.combine(text)
    case .bytes(let bytes): hasher.combine(bytes)
    case .timestamp(let instant): hasher.combine(instant)
    case .duration(let duration): hasher.combine(duration)
    case .path(let path): hasher.combine(path.segments)
    case .list(let elements):
      hasher.combine(elements.count)
      for element in elements { element.hashNumerically(into: &hasher) }
    case .set(let set): hasher.combine(set.elements.count)
    case .map(let map): hasher.combine(map.keys)
    case .vector(let numbers): hasher.combine(numbers)
    case .latlng(let point): hasher.combine(point.latitude)
    case .null, .mapDiff, .constraint: hasher.combine(0)
    }
  }
}

/// A value under the equality of containers, for lookups in long lists.
struct IdentityKey: Hashable, Sendable {
  let value: RulesValue

  static func == (left: IdentityKey, right: IdentityKey) -> Bool {
    left.value.isIdentical(to: right.value)
  }

  func hash(into hasher: inout Hasher) { value.hashNumerically(into: &hasher) }
}

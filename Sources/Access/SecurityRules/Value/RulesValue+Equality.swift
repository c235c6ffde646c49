import FirestoreModel

extension RulesValue {
  /// The `==` of the language, of values that no client makes large.
  func isEqual(to other: RulesValue) -> Bool {
    var comparison = RulesComparison(stepsLeft: .max)
    return comparison.isEqual(self, other)
  }

  /// Equality inside lists and maps, of values that no client makes large.
  func isIdentical(to other: RulesValue) -> Bool {
    var comparison = RulesComparison(stepsLeft: .max)
    return comparison.isIdentical(self, other)
  }

  /// Feeds a hash under which values that sets take for the same collide, and hardly others: clients
  /// choose the values.
  func hashNumerically(into hasher: inout Hasher) {
    switch self {
    case .integer(let number): hasher.combine(number)
    case .float(let number): Self.hash(number, into: &hasher)
    case .boolean(let flag): hasher.combine(flag)
    case .string(let text): hasher.combine(text)
    case .bytes(let bytes): hasher.combine(bytes)
    case .timestamp(let instant): hasher.combine(instant)
    case .duration(let duration): hasher.combine(duration)
    case .path(let path): hasher.combine(path.segments)
    case .list(let elements):
      hasher.combine(elements.count)
      for element in elements { element.hashNumerically(into: &hasher) }
    case .set(let set): hasher.combine(set.unorderedHash)
    case .map(let map):
      for (key, value) in map.sorted {
        hasher.combine(key)
        value.hashNumerically(into: &hasher)
      }
    case .vector(let numbers): for number in numbers { Self.hash(number, into: &hasher) }
    case .latlng(let point):
      hasher.combine(point.latitude)
      hasher.combine(point.longitude)
    case .bson(.decimal(let number)): hasher.combine(number.reduced)
    case .bson(let value): hasher.combine(value)
    case .null, .mapDiff, .constraint: hasher.combine(0)
    }
  }

  /// Whole numbers hash like integers, and all NaN bit patterns alike.
  private static func hash(_ number: Double, into hasher: inout Hasher) {
    if let whole = Int64(exactly: number) {
      hasher.combine(whole)
    } else {
      hasher.combine(number.isNaN ? Double.nan.bitPattern : number.bitPattern)
    }
  }

  /// True if the value is equal to itself inside a list: NaN is not, nor is a query's promise.
  fileprivate var isReflexive: Bool {
    switch self {
    case .constraint: false
    case .float(let number): !number.isNaN
    case .vector(let numbers): !numbers.contains(where: \.isNaN)
    case .list(let elements): elements.allSatisfy { $0.isReflexive || $0.isConstraint }
    case .map(let map): map.sorted.allSatisfy { $0.value.isReflexive || $0.value.isConstraint }
    default: true
    }
  }

  var isConstraint: Bool { if case .constraint = self { true } else { false } }
}

/// Values under the equality of containers, for lookups in long lists.
struct IdentitySet {
  private struct Key: Hashable {
    let value: RulesValue

    static func == (left: Key, right: Key) -> Bool { left.value.isIdentical(to: right.value) }

    func hash(into hasher: inout Hasher) { value.hashNumerically(into: &hasher) }
  }

  private let keys: Set<Key>

  /// Leaves out values that are equal to nothing: they would only be compared with their like.
  init(_ values: [RulesValue]) {
    keys = Set(values.lazy.filter(\.isReflexive).map(Key.init))
  }

  func contains(_ value: RulesValue) -> Bool {
    !value.isConstraint && keys.contains(Key(value: value))
  }
}

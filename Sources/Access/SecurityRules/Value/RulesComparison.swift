import FirestoreModel

/// Compares values and counts the steps; once they are used up nothing is equal any more.
///
/// The language has three equalities. `==` takes numbers of both types for equal, but not what lists and
/// maps hold. Sets and `diff()` compare as a whole by number, and take NaN for equal to itself.
struct RulesComparison {
  /// Negative once the comparison was given up.
  private(set) var stepsLeft: Int

  init(stepsLeft: Int) { self.stepsLeft = stepsLeft }

  /// The `==` of the language: never an error, false across types.
  mutating func isEqual(_ left: RulesValue, _ right: RulesValue) -> Bool {
    switch (left, right) {
    case (.integer(let first), .float(let second)): return Double(first) == second
    case (.float(let first), .integer(let second)): return first == Double(second)
    case (.path(let first), .path(let second)) where first.isUnbound || second.isUnbound:
      return false
    default: return isIdentical(left, right)
    }
  }

  /// Equality inside lists and maps: `1` and `1.0` differ.
  mutating func isIdentical(_ left: RulesValue, _ right: RulesValue) -> Bool {
    switch (left, right) {
    case (.float(let first), .float(let second)): return first == second
    case (.vector(let first), .vector(let second)):
      stepsLeft -= first.count / 4
      return first == second
    default: return isSame(left, right, isNumeric: false)
    }
  }

  /// Equality in sets and between the maps of `diff()`: by number all the way down.
  mutating func isSame(_ left: RulesValue, _ right: RulesValue) -> Bool {
    isSame(left, right, isNumeric: true)
  }

  private mutating func isSame(
    _ left: RulesValue,
    _ right: RulesValue,
    isNumeric: Bool
  ) -> Bool {
    stepsLeft -= 1
    guard stepsLeft >= 0 else { return false }
    switch (left, right) {
    case (.null, .null): return true
    case (.boolean(let first), .boolean(let second)): return first == second
    case (.integer(let first), .integer(let second)): return first == second
    case (.float(let first), .float(let second)): return Self.isSame(first, second)
    case (.integer(let first), .float(let second)), (.float(let second), .integer(let first)):
      return isNumeric && Int64(exactly: second) == first
    case (.string(let first), .string(let second)):
      stepsLeft -= min(first.byteCount, second.byteCount) / 16
      return first == second
    case (.bytes(let first), .bytes(let second)):
      stepsLeft -= min(first.count, second.count) / 16
      return first == second
    case (.timestamp(let first), .timestamp(let second)): return first == second
    case (.duration(let first), .duration(let second)): return first == second
    case (.latlng(let first), .latlng(let second)):
      return first.latitude == second.latitude && first.longitude == second.longitude
    case (.bson(let first), .bson(let second)):
      stepsLeft -= min(first.byteSize, second.byteSize) / 16
      return Value.bson(first).isEqual(to: .bson(second))
    case (.path(let first), .path(let second)):
      stepsLeft -= min(first.segments.count, second.segments.count)
      return first.segments == second.segments
    case (.vector(let first), .vector(let second)):
      stepsLeft -= min(first.count, second.count) / 4
      return first.count == second.count && zip(first, second).allSatisfy(Self.isSame)
    default: return isSameComposite(left, right, isNumeric)
    }
  }

  private mutating func isSameComposite(
    _ left: RulesValue,
    _ right: RulesValue,
    _ isNumeric: Bool
  ) -> Bool {
    switch (left, right) {
    case (.list(let first), .list(let second)):
      return first.count == second.count
        && zip(first, second).allSatisfy { isPart($0, $1, isNumeric) }
    case (.map(let first), .map(let second)): return isSame(first, second, isNumeric)
    case (.set(let first), .set(let second)):
      guard first.elements.count == second.elements.count else { return false }
      var walk = RulesWalk(stepsLeft: stepsLeft)
      walk.add(first.elements)
      stepsLeft -= walk.steps * RulesSet.elementSteps
      return stepsLeft >= 0 && first.elements.allSatisfy(second.contains)
    case (.mapDiff(let first), .mapDiff(let second)):
      return isNumeric && first.added == second.added && first.removed == second.removed
        && first.changed == second.changed && first.unchanged == second.unchanged
    case (.constraint(let first), .constraint(let second)): return first.tests == second.tests
    default: return false
    }
  }

  private mutating func isPart(_ left: RulesValue, _ right: RulesValue, _ isNumeric: Bool) -> Bool {
    isNumeric ? isSame(left, right) : isIdentical(left, right)
  }

  private mutating func isSame(_ left: RulesMap, _ right: RulesMap, _ isNumeric: Bool) -> Bool {
    stepsLeft -= left.walkSteps + right.walkSteps
    guard stepsLeft >= 0, left.count == right.count else { return false }
    for (first, second) in zip(left.sorted, right.sorted) {
      stepsLeft -= 2 + first.key.byteCount / 16
      guard stepsLeft >= 0, first.key == second.key, isPart(first.value, second.value, isNumeric)
      else { return false }
    }
    return true
  }

  /// NaN is the same as itself, and so are both zeros.
  private static func isSame(_ left: Double, _ right: Double) -> Bool {
    left == right || left.isNaN && right.isNaN
  }
}

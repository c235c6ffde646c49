import FirestoreModel

/// One disjunct of a query's filter, sorted by what an index can do with its conditions.
package struct DisjunctConditions: Sendable {
  /// A value that a field, or an element of it, must equal.
  package struct Equality: Sendable, Hashable {
    /// The field that must have the value, or an array with it.
    package let field: FieldPath
    /// Ascending.
    package let encoded: [UInt8]
    /// The part of the value that its encoding does not say.
    package let tag: ValueTag
  }

  /// The equalities by field path, each field once.
  package private(set) var equalities: [Equality] = []
  /// `array-contains`, distinct.
  package private(set) var elements: [Equality] = []
  /// Fields under inequalities, by path.
  package private(set) var ranges: [FieldPath: [PositionRange]] = [:]
  /// The ranges of the scope's names that conditions on `__name__` allow; nil without such a
  /// condition.
  package private(set) var names: [PositionRange]?
  /// The one document that `__name__ ==` asks for.
  package private(set) var exactName: [UInt8]?
  /// No document can satisfy all conditions.
  package private(set) var isUnsatisfiable = false

  private let space: NameSpace

  /// Sorts a normalised query's conditions.
  package init(_ conditions: [Condition], in space: NameSpace) {
    self.space = space
    for condition in conditions {
      if condition.field.isDocumentName {
        addName(condition.test)
      } else {
        add(condition)
      }
    }
    equalities.sort { $0.field < $1.field }
    for equality in equalities {
      guard let allowed = ranges.removeValue(forKey: equality.field) else { continue }
      let inside = equality.encoded.withUnsafeBytes { allowed.contain($0) }
      if !inside && !equality.tag.isTruncated { isUnsatisfiable = true }
    }
    if ranges.values.contains(where: \.isEmpty) { isUnsatisfiable = true }
    if let names, names.isEmpty { isUnsatisfiable = true }
  }

  private mutating func add(_ condition: Condition) {
    let field = condition.field
    switch condition.test {
    case .equal(let value): addEquality(field, value)
    case .isNull: addEquality(field, .null)
    case .isNaN: addEquality(field, .double(.nan))
    case .arrayContains(let value): addElement(field, value)
    case .lessThan(let value): restrict(field, ValueRanges.lessThan(value))
    case .lessThanOrEqual(let value): restrict(field, ValueRanges.atMost(value))
    case .greaterThan(let value): restrict(field, ValueRanges.greaterThan(value))
    case .greaterThanOrEqual(let value): restrict(field, ValueRanges.atLeast(value))
    case .notEqual(let value): restrict(field, ValueRanges.excluding([value]))
    case .notIn(let values): restrict(field, ValueRanges.excluding(values))
    case .isNotNull: restrict(field, ValueRanges.excluding([]))
    case .isNotNaN: restrict(field, ValueRanges.excluding([.double(.nan)]))
    }
  }

  private mutating func addEquality(_ field: FieldPath, _ value: Value) {
    var encoded: [UInt8] = []
    let tag = OrderedEncoding.append(value, to: &encoded)
    if let known = equalities.first(where: { $0.field == field }) {
      if known.encoded != encoded { isUnsatisfiable = true }
      return
    }
    equalities.append(Equality(field: field, encoded: encoded, tag: tag))
  }

  private mutating func addElement(_ field: FieldPath, _ value: Value) {
    var encoded: [UInt8] = []
    let tag = OrderedEncoding.append(value, to: &encoded)
    let element = Equality(field: field, encoded: encoded, tag: tag)
    if !elements.contains(element) { elements.append(element) }
  }

  private mutating func restrict(_ field: FieldPath, _ allowed: [PositionRange]) {
    ranges[field] = ranges[field]?.intersection(allowed) ?? allowed
  }
}

extension DisjunctConditions {
  /// The fields that a document must have to satisfy the conditions.
  var fields: Set<FieldPath> {
    Set((equalities + elements).map(\.field)).union(ranges.keys)
  }
}

// Conditions on `__name__`.
extension DisjunctConditions {
  private mutating func addName(_ test: Condition.Test) {
    switch test {
    case .equal(let value): addExactName(value)
    case .lessThan(let value): restrictNames(to: value, after: false)
    case .lessThanOrEqual(let value): restrictNames(to: value, after: true)
    case .greaterThan(let value): restrictNames(from: value, after: true)
    case .greaterThanOrEqual(let value): restrictNames(from: value, after: false)
    case .notEqual(let value): excludeName(value)
    case .notIn(let values): for value in values { excludeName(value) }
    case .isNotNull, .isNotNaN: break
    case .isNull, .isNaN, .arrayContains: isUnsatisfiable = true
    }
  }

  private mutating func addExactName(_ value: Value) {
    guard let path = value.referencedPath, let name = space.name(of: path),
      exactName == nil || exactName == name
    else {
      isUnsatisfiable = true
      return
    }
    exactName = name
    restrictNames([PositionRange(prefix: name)])
  }

  private mutating func restrictNames(from value: Value, after: Bool) {
    restrictNames([value.referencedPath.map { space.bound($0, after: after).rangeFrom } ?? .none])
  }

  private mutating func restrictNames(to value: Value, after: Bool) {
    restrictNames([value.referencedPath.map { space.bound($0, after: after).rangeTo } ?? .none])
  }

  private mutating func excludeName(_ value: Value) {
    guard let path = value.referencedPath else { return }
    restrictNames([
      space.bound(path, after: false).rangeTo, space.bound(path, after: true).rangeFrom,
    ])
  }

  private mutating func restrictNames(_ allowed: [PositionRange]) {
    let nonEmpty = allowed.filter { !$0.isEmpty }
    names = (names ?? [.all]).intersection(nonEmpty)
  }
}

extension Value {
  /// The path that a reference names; nil for other values.
  fileprivate var referencedPath: ResourcePath? {
    if case .reference(let name) = self { return name.path }
    return nil
  }
}

import FirestoreModel

/// A lookup that finds the documents of one of a query's alternatives by an index: a range of its
/// entries holds all that match, and perhaps others.
struct IndexLookup {
  /// The order of the entries relative to the query's.
  enum Walk {
    case unordered
    case forward
    case backward
  }

  let index: FieldIndex
  let range: IndexRange
  let walk: Walk
  /// The degree to which an index narrows the search, by which indexes are compared.
  fileprivate let score: Int

  /// The best lookup for an alternative; nil where no index narrows it.
  static func best(
    _ query: NormalizedQuery,
    _ conditions: [Condition],
    among indexes: [FieldIndex]
  ) -> IndexLookup? {
    indexes.compactMap { LookupPlanner(query, conditions, $0).lookup }
      .max { $0.score < $1.score }
  }
}

/// Looks what one index can do for one of a query's alternatives.
private struct LookupPlanner {
  private let query: NormalizedQuery
  private let conditions: [Condition]
  private let index: FieldIndex

  init(_ query: NormalizedQuery, _ conditions: [Condition], _ index: FieldIndex) {
    self.query = query
    self.conditions = conditions
    self.index = index
  }

  private var fields: [FieldIndex.Field] { index.definition.fields }

  var lookup: IndexLookup? {
    let bound = fields.prefix { boundValue($0) != nil }
    let rest = fields[bound.count...]
    guard rest.allSatisfy({ $0.kind != .contains && isDemanded($0.path) }) else { return nil }
    var prefix: [UInt8] = []
    for field in bound {
      if let value = boundValue(field) { prefix += field.part(value) }
    }
    let limits = rest.first.map { self.limits(of: $0) } ?? KeyLimits()
    let walk = self.walk(rest)
    let isOrdered = walk != .unordered && query.limit != nil
    let score = bound.count * 4 + (limits.isNarrow ? 2 : 0) + (isOrdered ? 1 : 0)
    guard score > 0 else { return nil }
    return IndexLookup(index: index, range: limits.range(prefix), walk: walk, score: score)
  }

  /// The one value that the field, or an element of it, has in every match.
  private func boundValue(_ field: FieldIndex.Field) -> Value? {
    for condition in conditions where condition.field == field.path {
      switch (field.kind, condition.test) {
      case (.contains, .arrayContains(let element)): return element
      case (.contains, _): continue
      case (_, _): if let value = condition.equalValue { return value }
      }
    }
    return nil
  }

  /// Returns true if every match has the field.
  private func isDemanded(_ path: FieldPath) -> Bool {
    query.requiredFields.contains(path) || conditions.contains { $0.field == path }
  }

  // MARK: Order

  /// Returns the order in which to walk: the query's if the fields behind the bound ones are its
  /// orders.
  private func walk(_ rest: ArraySlice<FieldIndex.Field>) -> IndexLookup.Walk {
    // A bound array has entries in the order of their elements, one of which is the same in all.
    let orders = query.orders.filter { order in
      !conditions.contains { $0.field == order.field && $0.equalValue != nil }
    }
    guard let last = orders.last, last.field.isDocumentName else { return .unordered }
    guard orders.dropLast().map(\.field) == rest.map(\.path) else { return .unordered }
    let ascending = rest.map { $0.kind == .ascending } + [true]
    let wanted = orders.map { $0.direction == .ascending }
    if ascending == wanted { return .forward }
    return ascending == wanted.map { !$0 } ? .backward : .unordered
  }

  // MARK: Ranges

  /// The limits that the tests of a field put on its part of the keys; none without tests.
  private struct KeyLimits {
    var lower: [UInt8]?
    var upper: [UInt8]?

    var isNarrow: Bool { lower != nil }

    /// The keys behind a prefix; first bytes of parts are below FF.
    func range(_ prefix: [UInt8]) -> IndexRange {
      IndexRange(lower: prefix + (lower ?? []), upper: prefix + (upper ?? [0xFF]))
    }
  }

  /// The range of the field's tests: of its operands' class, and between them.
  private func limits(of field: FieldIndex.Field) -> KeyLimits {
    var limits = KeyLimits()
    for condition in conditions where condition.field == field.path {
      switch condition.test {
      case .lessThan(let value), .lessThanOrEqual(let value):
        narrow(&limits, field, value, isUpper: field.kind == .ascending)
      case .greaterThan(let value), .greaterThanOrEqual(let value):
        narrow(&limits, field, value, isUpper: field.kind != .ascending)
      default: continue
      }
    }
    return limits
  }

  /// Takes an operand as bound, in the order of the keys, and its class as the other one.
  private func narrow(
    _ limits: inout KeyLimits,
    _ field: FieldIndex.Field,
    _ value: Value,
    isUpper: Bool
  ) {
    let part = field.part(value)
    let tags = OrderedEncoding.tagRange(of: value.typeOrder)
    let isAscending = field.kind == .ascending
    let first = isAscending ? tags.lowerBound : ~(tags.upperBound - 1)
    let end = isAscending ? tags.upperBound : ~tags.lowerBound + 1
    let lower = isUpper ? [first] : part
    let upper = isUpper ? part + [0xFF] : [end]
    limits.lower = later(limits.lower ?? lower, lower)
    limits.upper = earlier(limits.upper ?? upper, upper)
  }

  private func later(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    left.lexicographicallyPrecedes(right) ? right : left
  }

  private func earlier(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    right.lexicographicallyPrecedes(left) ? right : left
  }
}

import BaseText
import FirestoreModel

/// The facts that the conditions of one alternative of a query establish about every document that
/// it returns.
///
/// An equality gives the field's value; several of one field are kept as constraints. Filters treat
/// `1` and `1.0`, and `0.0` and `-0.0`, as equal, while rules distinguish them. So every stored
/// form of the value is a variant of its own, and all variants must be allowed. Other conditions
/// give constraints. The map is open: fields that no condition names may exist.
struct SymbolicDocument {
  /// The document that `__name__` is equal to.
  let name: DocumentName?
  /// All ways in which the known fields may be stored.
  let variants: [RulesMap]

  /// Derives the facts from the conditions of one alternative.
  ///
  /// - Parameter maximumVariants: More combinations than this are not tried: fields with many ways to
  ///   be stored stay unknown then.
  init(
    _ conditions: [Condition],
    compatibility: RulesSession.Compatibility,
    maximumVariants: Int
  ) {
    var name: DocumentName?
    var fields: [(path: FieldPath, values: [RulesValue])] = []
    let isLenient = compatibility == .emulator
    var combinations = 1
    for field in Self.distinctFields(conditions) {
      let tests = conditions.filter { $0.field == field }
      let equal = Self.value(of: tests, isLenient: isLenient)
      if field.isDocumentName {
        if case .reference(let document)? = equal { name = document }
        continue
      }
      var values = [
        RulesValue.constraint(
          FieldConstraint(tests: tests.map(\.test), isLenient: isLenient)
        )
      ]
      if let equal {
        guard let stored = isLenient ? [RulesValue(equal)] : equal.storedVariants else { continue }
        guard combinations * stored.count <= maximumVariants else { continue }
        combinations *= stored.count
        values = stored
      }
      fields.append((field, values))
    }
    self.name = name
    variants = Self.combine(fields, isOpen: !isLenient)
  }

  /// The one value that a field has.
  ///
  /// As in Google's emulator other conditions beside an equality leave
  /// it a constraint, where its semantics are asked for.
  private static func value(of tests: [Condition], isLenient: Bool) -> Value? {
    let equalities = Set(tests.filter { $0.equalValue != nil }.map(\.test))
    guard equalities.count == 1, !isLenient || Set(tests.map(\.test)).count == 1 else { return nil }
    return tests.lazy.compactMap(\.equalValue).first
  }

  private static func distinctFields(_ conditions: [Condition]) -> [FieldPath] {
    var seen: Set<FieldPath> = []
    return conditions.map(\.field).filter { seen.insert($0).inserted }
      .sorted { $0.segments.count > $1.segments.count }
  }

  private static func combine(
    _ fields: [(path: FieldPath, values: [RulesValue])],
    isOpen: Bool
  ) -> [RulesMap] {
    var trees = [SymbolicTree()]
    for (path, values) in fields {
      trees = trees.flatMap { tree in
        values.map { value in
          var copy = tree
          copy.set(value, at: path.segments[...])
          return copy
        }
      }
    }
    return trees.map { $0.map(isOpen: isOpen) }
  }
}

/// Nested maps of known fields; deeper fields come first, so that a value replaces the values below
/// it.
private struct SymbolicTree {
  private var value: RulesValue?
  private var children: [Text: SymbolicTree] = [:]

  mutating func set(_ value: RulesValue, at path: ArraySlice<Text>) {
    guard let first = path.first else {
      // Knowledge below a field is more precise than a constraint of the field itself.
      if case .constraint = value, !children.isEmpty { return }
      self.value = value
      return
    }
    children[first, default: SymbolicTree()].set(value, at: path.dropFirst())
  }

  func map(isOpen: Bool) -> RulesMap {
    RulesMap(children.mapValues { $0.content(isOpen: isOpen) }, isOpen: isOpen)
  }

  private func content(isOpen: Bool) -> RulesValue { value ?? .map(map(isOpen: isOpen)) }
}

extension Value {
  /// Every stored value that a filter takes for equal to this one; nil where they are too many.
  fileprivate var storedVariants: [RulesValue]? {
    switch self {
    case .integer(let number): Self.variants(of: number)
    case .double(let number): Self.variants(of: number)
    case .array(let elements):
      Self.product(elements.map(\.storedVariants)).map { $0.map { .list($0) } }
    case .map(let map):
      Self.product(map.entries.map(\.value.storedVariants)).map { choices in
        choices.map { choice in
          .map(RulesMap(Dictionary(uniqueKeysWithValues: zip(map.entries.map(\.key), choice))))
        }
      }
    case .geoPoint(let point) where point.latitude == 0 || point.longitude == 0: nil
    case .timestamp(let instant): [.timestamp(RulesTimestamp(instant.truncatedToMicroseconds))]
    case .bson(let value):
      // Those of an exact number are the number's; every spelling of another decimal is one to rules.
      value.exactNumber.map(\.storedVariants) ?? [RulesValue(self)]
    case .null, .boolean, .string, .bytes, .reference, .vector, .geoPoint: [RulesValue(self)]
    }
  }

  private static func variants(of number: Int64) -> [RulesValue] {
    var result: [RulesValue] = [.integer(number)]
    let double = Double(number)
    if Int64(exactly: double) == number { result.append(.float(double)) }
    if number == 0 { result.append(.float(-0.0)) }
    return result
  }

  private static func variants(of number: Double) -> [RulesValue] {
    if let integer = Int64(exactly: number) { return variants(of: integer) }
    return [.float(number)]
  }

  /// All choices of one variant each.
  private static func product(_ parts: [[RulesValue]?]) -> [[RulesValue]]? {
    var result: [[RulesValue]] = [[]]
    for part in parts {
      guard let part, result.count * part.count <= 16 else { return nil }
      result = result.flatMap { prefix in part.map { prefix + [$0] } }
    }
    return result
  }
}

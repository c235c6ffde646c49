import FirestoreModel

// Methods of lists, sets, maps and what maps differ in.

extension Evaluator {
  func apply(
    _ method: Method,
    _ elements: [RulesValue],
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    switch method {
    case .size: return .integer(Int64(elements.count))
    case .toSet: return .set(RulesSet(elements))
    case .join: return .string(try joined(elements, arguments[0], node))
    case .concat, .hasAll, .hasAny, .hasOnly, .removeAll: break
    default: return nil
    }
    guard case .list(let other) = arguments[0] else { throw typeFault(arguments[0], "list", node) }
    switch method {
    case .concat:
      guard elements.count + other.count <= RulesLimits.resultSize else {
        throw fault("The list is too long.", node)
      }
      return .list(elements + other)
    case .hasAll: return .boolean(Self.holds(elements, all: other))
    case .hasOnly: return .boolean(Self.holds(other, all: elements))
    case .hasAny:
      let keys = Set(other.map(IdentityKey.init))
      return .boolean(elements.contains { keys.contains(IdentityKey(value: $0)) })
    default:
      let keys = Set(other.map(IdentityKey.init))
      return .list(elements.filter { !keys.contains(IdentityKey(value: $0)) })
    }
  }

  private static func holds(_ elements: [RulesValue], all wanted: [RulesValue]) -> Bool {
    if wanted.count <= 4 {
      return wanted.allSatisfy { one in elements.contains { $0.isIdentical(to: one) } }
    }
    let keys = Set(elements.map(IdentityKey.init))
    return wanted.allSatisfy { keys.contains(IdentityKey(value: $0)) }
  }

  private func joined(
    _ elements: [RulesValue],
    _ separator: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> Text {
    guard case .string(let between) = separator else { throw typeFault(separator, "string", node) }
    var result = ""
    for (index, element) in elements.enumerated() {
      guard let text = element.converted else {
        throw typeFault(element, "int,float,null,string,bool,path", node)
      }
      if index > 0 { result += between.string }
      result += text.string
      guard result.utf8.count <= RulesLimits.resultSize else {
        throw fault("The text is too long.", node)
      }
    }
    return Text(result)
  }

  func apply(
    _ method: Method,
    _ set: RulesSet,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    switch method {
    case .size: return .integer(Int64(set.elements.count))
    case .difference, .union, .intersection:
      guard case .set(let other) = arguments[0] else { throw typeFault(arguments[0], "set", node) }
      return .set(Self.combine(method, set, other))
    case .hasAll, .hasAny, .hasOnly: break
    default: return nil
    }
    let other: RulesSet
    switch arguments[0] {
    case .set(let given): other = given
    case .list(let elements): other = RulesSet(elements)
    default: throw typeFault(arguments[0], "list,set", node)
    }
    return switch method {
    case .hasAll: .boolean(other.elements.allSatisfy(set.contains))
    case .hasAny: .boolean(other.elements.contains(where: set.contains))
    default: .boolean(set.elements.allSatisfy(other.contains))
    }
  }

  private static func combine(_ method: Method, _ left: RulesSet, _ right: RulesSet) -> RulesSet {
    switch method {
    case .difference: RulesSet(left.elements.filter { !right.contains($0) })
    case .union: RulesSet(left.elements + right.elements)
    default: RulesSet(left.elements.filter(right.contains))
    }
  }

  func apply(
    _ method: Method,
    _ map: RulesMap,
    _ arguments: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> RulesValue? {
    switch method {
    case .size: return .integer(Int64(map.count))
    case .keys: return .list(map.keys.map(RulesValue.string))
    case .values: return .list(map.sorted.map(\.value))
    case .get: return try value(at: arguments[0], in: map, or: arguments[1], node)
    case .diff:
      guard case .map(let other) = arguments[0] else { throw typeFault(arguments[0], "map", node) }
      if session.compatibility == .emulator {
        for (key, value) in map.sorted {
          if let previous = other[key] { try checkComparable(value, previous, node) }
        }
      }
      return .mapDiff(RulesMapDiff(from: other, to: map))
    default: return nil
    }
  }

  /// The default where a step is missing or leads into something that is no map.
  private func value(
    at key: RulesValue,
    in map: RulesMap,
    or missing: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    var keys = [key]
    if case .list(let list) = key { keys = list }
    var value = RulesValue.map(map)
    for key in keys {
      guard case .string(let name) = key else { throw typeFault(key, "string", node) }
      guard case .map(let inner) = value, let next = inner[name] else { return missing }
      value = next
    }
    return value
  }

  static func apply(_ method: Method, _ diff: RulesMapDiff) -> RulesValue? {
    let keys: [Text]
    switch method {
    case .addedKeys: keys = diff.added
    case .removedKeys: keys = diff.removed
    case .changedKeys: keys = diff.changed
    case .unchangedKeys: keys = diff.unchanged
    case .affectedKeys: keys = diff.added + diff.removed + diff.changed
    default: return nil
    }
    return .set(RulesSet(keys.map(RulesValue.string)))
  }
}

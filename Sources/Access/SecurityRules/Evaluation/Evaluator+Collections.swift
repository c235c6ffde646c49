import BaseText

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
    case .toSet:
      try checkDistinct(elements, node)
      return .set(try set(elements, node))
    case .join: return .string(try joined(elements, arguments[0], node))
    case .concat, .hasAll, .hasAny, .hasOnly, .removeAll: break
    default: return nil
    }
    guard case .list(let other) = arguments[0] else { throw typeFault(arguments[0], "list", node) }
    switch method {
    case .concat:
      try checkSize(elements.count + other.count, "list", node)
      try spend((elements.count + other.count) * 4, node)
      return .list(elements + other)
    case .hasAll: return .boolean(try holds(elements, all: other, node))
    case .hasOnly: return .boolean(try holds(other, all: elements, node))
    case .hasAny:
      let keys = try keys(other, lookingUp: elements, node)
      return .boolean(elements.contains(where: keys.contains))
    default:
      let keys = try keys(other, lookingUp: elements, node)
      return .list(elements.filter { !keys.contains($0) })
    }
  }

  private func holds(
    _ elements: [RulesValue],
    all wanted: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> Bool {
    guard wanted.count <= 4 else {
      let keys = try keys(elements, lookingUp: wanted, node)
      return wanted.allSatisfy(keys.contains)
    }
    return try compare(node) { comparison in
      wanted.allSatisfy { one in
        !one.isConstraint && elements.contains { comparison.isIdentical($0, one) }
      }
    }
  }

  /// Values for look-ups, with the steps of both.
  private func keys(
    _ values: [RulesValue],
    lookingUp others: [RulesValue],
    _ node: Node
  ) throws(RulesFault) -> IdentitySet {
    try spend(walking: values, times: RulesSet.elementSteps, node)
    try spend(walking: others, times: RulesSet.elementSteps, node)
    return IdentitySet(values)
  }

  private func set(_ elements: [RulesValue], _ node: Node) throws(RulesFault) -> RulesSet {
    try spend(walking: elements, times: RulesSet.elementSteps, node)
    return RulesSet(elements)
  }

  private func joined(
    _ elements: [RulesValue],
    _ separator: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> Text {
    guard case .string(let between) = separator else { throw typeFault(separator, "string", node) }
    var result = ""
    for (index, element) in elements.enumerated() {
      let text = try converted(element, node)
      let added = text.byteCount + between.byteCount
      try checkSize(result.utf8.count + added, "text", node)
      try spend(8 + added / 4, node)
      if index > 0 { result += between.string }
      result += text.string
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
      try spend(walking: set.elements + other.elements, times: 2 * RulesSet.elementSteps, node)
      return .set(Self.combine(method, set, other))
    case .hasAll, .hasAny, .hasOnly: break
    default: return nil
    }
    let other: RulesSet
    switch arguments[0] {
    case .set(let given): other = given
    case .list(let elements):
      try checkDistinct(elements, node)
      other = try self.set(elements, node)
    default: throw typeFault(arguments[0], "list,set", node)
    }
    try spend(walking: set.elements + other.elements, times: RulesSet.elementSteps, node)
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
    if method != .get { try spend(map.walkSteps, node) }
    switch method {
    case .size: return .integer(Int64(map.count))
    case .keys: return .list(map.keys.map(RulesValue.string))
    case .values: return .list(map.sorted.map(\.value))
    case .get: return try value(at: arguments[0], in: map, or: arguments[1], node)
    case .diff:
      guard case .map(let other) = arguments[0] else { throw typeFault(arguments[0], "map", node) }
      return .mapDiff(try difference(from: other, to: map, node))
    default: return nil
    }
  }

  private func difference(
    from old: RulesMap,
    to new: RulesMap,
    _ node: Node
  ) throws(RulesFault) -> RulesMapDiff {
    try spend(2 * (old.walkSteps + new.walkSteps), node)
    if session.compatibility == .emulator {
      for (key, value) in new.sorted {
        if let previous = old[key] { try checkDistinct([value, previous], node) }
      }
    }
    var comparison = RulesComparison(stepsLeft: session.work.left)
    let difference = RulesMapDiff(from: old, to: new, &comparison)
    try spend(session.work.left - comparison.stepsLeft, node)
    return difference
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
      guard case .map(let inner) = value else { return missing }
      let next = inner[name]
      try spend(1 + inner.lookupSteps(name, next), node)
      guard let next else { return missing }
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

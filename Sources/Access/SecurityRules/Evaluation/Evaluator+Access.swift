import BaseText

// Members, indexes and slices.

extension Evaluator {
  func member(_ object: RulesValue, _ name: Text, _ node: Node) throws(RulesFault) -> RulesValue {
    guard case .map(let map) = object else { throw typeFault(object, "map,path", node) }
    let value = map[name]
    try spend(map.lookupSteps(name, value), node)
    guard let value else {
      let message = "Property \(name.string) is undefined on object."
      throw fault(message, node, isUndetermined: map.isOpen)
    }
    return value
  }

  func element(
    _ object: RulesValue,
    _ index: RulesValue,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    switch (object, index) {
    case (.map, .string(let key)): return try member(object, key, node)
    case (.path(let path), .string(let name)):
      guard let bound = path.bindings[name] else {
        throw fault("Property \(name.string) is undefined on object.", node)
      }
      return bound
    case (.path(let path), .integer(let position)):
      try spend(path.segments.count, node)
      guard let plain = path.plain, let position = Int(exactly: position),
        plain.indices.contains(position)
      else { throw fault("Index \(position) is out of range.", node) }
      return .string(plain[position])
    case (.list(let elements), .integer(let position)):
      guard let position = Int(exactly: position), elements.indices.contains(position) else {
        throw fault("Index \(position) is out of range.", node)
      }
      return elements[position]
    case (.string, .integer(let position)):
      guard position >= 0, position < .max else { throw fault("Index is out of range.", node) }
      return try slice(object, index, .integer(position + 1), node)
    case (.list, _), (.string, _): throw typeFault(index, "int", node)
    case (.map, _): throw typeFault(index, "string", node)
    case (.path, _): throw typeFault(index, "int,string", node)
    default: throw typeFault(object, "list,map,path,string", node)
    }
  }

  func slice(
    _ object: RulesValue,
    _ from: RulesValue?,
    _ to: RulesValue?,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    switch object {
    case .list(let elements):
      let range = try bounds(from, to, elements.count, node)
      try spend(range.count * 2, node)
      return .list(Array(elements[range]))
    case .string(let text): return try slice(text, from, to, node)
    case .path(let path):
      try spend(path.segments.count, node)
      guard let plain = path.plain else { throw fault("A variable is not bound in path.", node) }
      let range = try bounds(from, to, plain.count, node)
      return .path(RulesPath(plain: Array(plain[range])))
    default: throw typeFault(object, "list,path,string", node)
    }
  }

  /// Positions are those of UTF-16, in which a part may cut a character.
  private func slice(
    _ text: Text,
    _ from: RulesValue?,
    _ to: RulesValue?,
    _ node: Node
  ) throws(RulesFault) -> RulesValue {
    try spend(text.byteCount / 2, node)
    let units = text.string.utf16
    let range = try bounds(from, to, units.count, node)
    let start = units.index(units.startIndex, offsetBy: range.lowerBound)
    let end = units.index(start, offsetBy: range.count)
    return .string(Text(String(decoding: units[start..<end], as: UTF16.self)))
  }

  private func bounds(
    _ from: RulesValue?,
    _ to: RulesValue?,
    _ count: Int,
    _ node: Node
  ) throws(RulesFault) -> Range<Int> {
    let lower = try bound(from, or: 0, node)
    let upper = try bound(to, or: count, node)
    guard 0 <= lower, lower <= upper, upper <= count else {
      throw fault("Range is out of bounds.", node)
    }
    return lower..<upper
  }

  private func bound(_ value: RulesValue?, or other: Int, _ node: Node) throws(RulesFault) -> Int {
    guard let value else { return other }
    guard case .integer(let number) = value else { throw typeFault(value, "int", node) }
    return Int(number)
  }
}
